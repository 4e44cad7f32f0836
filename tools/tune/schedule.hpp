// How the time of a device's tuning is divided.
#pragma once

#include "tune/budget.hpp"

namespace clgemm::tune {

// The search has the budget; with what follows, all takes at most two and a half times as long. For a quarter of the budget
// what was found is measured again, a tenth is left for making the file, and the rest is for the trial.
class Schedule {
public:
    explicit Schedule(double budget) : all_(2.5 * budget), budget_(budget) {}

    double left_to_search() const { return all_.left() - 1.5 * budget_; }
    double share_searched() const { return 1 - left_to_search() / budget_; }
    double left_to_confirm() const { return all_.left() - 1.25 * budget_; }
    double left_to_compare() const { return all_.left() - 0.1 * budget_; }

private:
    Budget all_;
    double budget_;
};

} // namespace clgemm::tune
