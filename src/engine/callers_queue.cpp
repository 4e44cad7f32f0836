#include "engine/callers_queue.hpp"

#include "support/error.hpp"

#include "clgemm/clgemm.h"

namespace clgemm::core {

CallersQueue ask(cl_command_queue queue)
{
    if (!queue)
        throw Error(CLGEMM_INVALID_QUEUE, "queue is null");
    CallersQueue result{queue, nullptr, nullptr, true};
    try {
        result.context = info<cl_context>(queue, CL_QUEUE_CONTEXT);
    } catch (const cl::Error&) {
        throw Error(CLGEMM_INVALID_QUEUE, "queue is no OpenCL command queue");
    }
    result.device = info<cl_device_id>(queue, CL_QUEUE_DEVICE);
    const auto properties = info<cl_command_queue_properties>(queue, CL_QUEUE_PROPERTIES);
    result.is_in_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
    return result;
}

void check_is_not_the_context(const CallersQueue& queue, cl_mem buffer)
{
    if (!buffer)
        return;
    cl_context context = nullptr;
    try {
        context = info<cl_context>(buffer, CL_MEM_CONTEXT);
    } catch (const cl::Error&) {
        return; // it is no buffer, as its own check will say
    }
    if (static_cast<void*>(context) == static_cast<void*>(queue.queue))
        throw Error(CLGEMM_INVALID_QUEUE, "queue is an OpenCL context, but must be a command queue");
}

} // namespace clgemm::core
