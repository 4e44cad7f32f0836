// Events of operations, for the caller.
#pragma once

#include "support/opencl.hpp"

#include <span>

namespace clgemm::core {

// What an operation without commands of its own has as its event.
inline cl::Event marker(cl_command_queue queue, std::span<const cl_event> wait_for)
{
    cl_event event = nullptr;
    const cl_int status = clEnqueueMarkerWithWaitList(queue, static_cast<cl_uint>(wait_for.size()),
                                                      wait_for.empty() ? nullptr : wait_for.data(), &event);
    cl::detail::errHandler(status, "clEnqueueMarkerWithWaitList");
    return cl::Event(event);
}

// The event becomes the caller's, who may not have wanted one.
inline void give(cl::Event& event, cl_event* callers)
{
    if (!callers)
        return;
    *callers = event();
    event() = nullptr;
}

} // namespace clgemm::core
