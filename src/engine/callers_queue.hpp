// The queue of a caller, and what the library asks of it: once for each call.
#pragma once

#include "support/opencl.hpp"

namespace clgemm::core {

struct CallersQueue {
    cl_command_queue queue;
    cl_context context;
    cl_device_id device;
    bool is_in_order;
};

// Throws CLGEMM_INVALID_QUEUE where it is no queue.
CallersQueue ask(cl_command_queue queue);

// Throws CLGEMM_INVALID_QUEUE where the handle is that of the buffer's context: some drivers read any object of theirs as a
// queue, and tell of a context and a device that are none.
void check_is_not_the_context(const CallersQueue& queue, cl_mem buffer);

} // namespace clgemm::core
