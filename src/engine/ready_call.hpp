// Calls that were made before on a device in a context: planned, and with their programs.
#pragma once

#include "execute/execution.hpp"
#include "select/planner.hpp"

#include <string>

namespace clgemm::core {

struct ReadyCall {
    std::shared_ptr<const Selection> selection; // null where C is only scaled
    ReadyPlan ready;
    // Why the call can never be had in this way: a program that the driver refuses, or that computes wrongly. Then `ready`
    // has no programs, and of its plan only the workspace's size. Empty: the call can be had.
    std::string unavailable;
    std::size_t products = 1; // of a batch: how many the plan computes
};

// A call that comes again is not planned again, which would take the host a tenth of the time that a small product takes.
using ReadyCalls = Remembered<ReadyCall, std::tuple_size_v<CallKey>>;

} // namespace clgemm::core
