// Events of operations, for the caller.
#pragma once

#include "support/opencl.hpp"

#include <span>

namespace clgemm::core {

// The event of an operation that has no commands of its own: it is complete when the events of the wait list are. (A marker
// without a list waits for all that was enqueued before. That is right where the queue is in order, and too much where it is
// not.)
inline cl::Event event_after(cl_command_queue queue, cl_context context, bool is_in_order,
                             std::span<const cl_event> wait_for)
{
    if (!is_in_order && wait_for.empty()) {
        cl::UserEvent complete(cl::Context(context, true));
        complete.setStatus(CL_COMPLETE);
        return complete;
    }
    cl_event event = nullptr;
    const cl_int status = clEnqueueMarkerWithWaitList(queue, static_cast<cl_uint>(wait_for.size()),
                                                      wait_for.empty() ? nullptr : wait_for.data(), &event);
    cl::detail::errHandler(status, "clEnqueueMarkerWithWaitList");
    return cl::Event(event);
}

// Hands the event to the caller, if the caller wanted one.
inline void give(cl::Event& event, cl_event* callers)
{
    if (!callers)
        return;
    *callers = event();
    event() = nullptr;
}

} // namespace clgemm::core
