// All that the library knows of a device, as its profile: what OpenCL tells, and what a kernel finds out.
#pragma once

#include "device/profile.hpp"
#include "support/opencl.hpp"

namespace clgemm::core {

// What OpenCL tells, without tiles and instructions. This takes microseconds, and leaves nothing in the process. Throws
// cl::Error.
DeviceProfile told_by_opencl(const cl::Device& device);

// The whole profile. On a CPU a kernel may be built and run for it (device/tiles.hpp). Throws cl::Error.
DeviceProfile query_profile(const cl::Device& device);

} // namespace clgemm::core
