// The queue that host-memory calls use when the caller gives none.
#pragma once

#include "support/opencl.hpp"

namespace clgemm::core {

// An in-order queue on the default device, made when first asked for. Its context has all the devices that share calls on
// host memory. Throws CLGEMM_NO_DEVICE.
cl::CommandQueue default_queue();

void drop_default_queue();

} // namespace clgemm::core
