// From a problem to its plan: the path that a call, a workspace query and an explanation share, so that they agree. A call
// that comes again is not decided again, which would take the host a tenth of the time that a small product takes.
#pragma once

#include "plan/plan.hpp"
#include "select/selector.hpp"
#include "support/remembered.hpp"

#include <memory>

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

    const DeviceProfile& device() const { return selector_.device(); }

private:
    Decision decide_anew(const Problem& problem, const Wishes& wishes);

    Selector selector_; // for calls that differ in scalars or in where their matrices lie
    Remembered<Decision, 16> known_{256};
};

} // namespace clgemm::core
