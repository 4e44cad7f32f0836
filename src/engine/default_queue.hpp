// The queue that host-memory calls use when the caller gives none.
#pragma once

#include "support/opencl.hpp"

#include <memory>

namespace clgemm::core {

// An in-order queue on the default device, made when first asked for. Its context has all the devices that share calls on
// host memory. Throws CLGEMM_NO_DEVICE.
cl::CommandQueue default_queue();

// While this object lives, which holds the context, later default queues are in it, too: else operands that were prepared in
// it could not meet those of calls that name no queue.
void stay_in_default_context(cl_context context, std::weak_ptr<const void> as_long_as);

void drop_default_queue();

} // namespace clgemm::core
