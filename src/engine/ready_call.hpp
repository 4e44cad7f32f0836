// Calls that were made before on a device in a context: planned, and with their programs.
#pragma once

#include "execute/execution.hpp"
#include "select/planner.hpp"

namespace clgemm::core {

struct ReadyCall {
    std::shared_ptr<const Selection> selection; // null where C is only scaled
    ReadyPlan ready;
};

// A call that comes again is not planned again, which would take the host a tenth of the time that a small product takes.
using ReadyCalls = Remembered<ReadyCall, std::tuple_size_v<CallKey>>;

} // namespace clgemm::core
