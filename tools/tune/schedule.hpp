// How the time of a device's tuning is divided.
#pragma once

#include "tune/budget.hpp"

namespace clgemm::tune {

// The search has the budget, and with what follows all takes two and a half times as long, however much there is to do: the
// rest is for the trial, but for a share in which what was found is measured again, and one in which the file is made.
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
