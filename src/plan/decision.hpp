// From a problem to its plan: the path that a call, a workspace query and an explanation share, so that they agree. A call
// that comes again is not decided again, which would take the host a tenth of the time that a small product takes.
#pragma once

#include "plan/plan.hpp"
#include "select/selector.hpp"
#include "support/remembered.hpp"

#include <memory>
#include <utility>

namespace clgemm::core {

struct Decision {
    std::shared_ptr<const Selection> selection; // null where C is only scaled or nothing is to be done
    Plan plan;
};

// Of one device.
class Decider {
public:
    Decider(DeviceProfile device, Tuning tuning) : selector_(std::move(device), std::move(tuning)) {}

    // Throws what select() and plan_multiply() throw. Threads may ask at once.
    std::shared_ptr<const Decision> decide(const Problem& problem, const Wishes& wishes);

private:
    Decision decide_anew(const Problem& problem, const Wishes& wishes);

    // What calls share that differ in scalars, or in where their matrices lie: a program that goes through a large matrix
    // block by block never makes the same call twice.
    Selector selector_;
    Remembered<Decision, 16> known_{256};
};

} // namespace clgemm::core
