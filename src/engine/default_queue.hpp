// The queue that host-memory calls use when the caller gives none.
#pragma once

#include "support/opencl.hpp"

#include <memory>

namespace clgemm::core {

// An in-order queue on the default device, made when first asked for. Its context has all the devices that share calls on
// host memory. Throws CLGEMM_NO_DEVICE.
cl::CommandQueue default_queue();

// As long as this object lives, which holds the context, later default queues are in this context, too. Otherwise operands
// that were prepared in it could not be used by calls that name no queue.
void stay_in_default_context(cl_context context, std::weak_ptr<const void> as_long_as);

// The default queue, for what is to stay in its context once it is made. Until then `meanwhile` keeps later default queues
// there, whatever other threads tear down.
struct QueueThatStays {
    cl::CommandQueue queue;
    std::shared_ptr<const void> meanwhile;
};
QueueThatStays default_queue_that_stays();

void drop_default_queue();

} // namespace clgemm::core
