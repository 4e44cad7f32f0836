// Enqueues the steps of a plan: programs from the cache, workspace from the pool, one event for all of it.
#pragma once

#include "execute/device_state.hpp"
#include "plan/plan.hpp"

#include <vector>

namespace clgemm::core {

// Where the work goes, and what comes before and after it.
struct Launch {
    const cl::CommandQueue& queue;
    std::vector<cl::Event> wait_for;
    bool wants_event = false;
};

// The memory of a call, which the caller owns. A null workspace means the library's own.
struct Buffers {
    cl_mem a = nullptr, b = nullptr, c = nullptr, workspace = nullptr;
};

bool is_in_order(const cl::CommandQueue& queue);

// Do these codes of OpenCL's mean that the same may work with less memory?
bool is_lack_of_memory(cl_int status);

// Returns the event of the whole operation, null unless it was wanted. Throws cl::Error; Error where a program does not
// build; Unavailable where it cannot be had here, or there is no memory for temporaries. Then no step that writes C was
// enqueued, but for cl::Error from a plan of several blocks.
cl::Event execute(DeviceState& state, const Plan& plan, const Buffers& buffers, const Launch& launch);

} // namespace clgemm::core
