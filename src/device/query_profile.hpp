// What OpenCL tells of a device, as its profile.
#pragma once

#include "device/profile.hpp"
#include "support/opencl.hpp"

namespace clgemm::core {

// Throws cl::Error.
DeviceProfile query_profile(const cl::Device& device);

} // namespace clgemm::core
