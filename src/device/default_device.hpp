// Which device is used where the caller names none.
#pragma once

#include "support/opencl.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace clgemm::core {

// The first device with `wanted` in its "platform/device" name (case does not matter; empty: any); GPUs come first, then
// accelerators, then CPUs. Platforms and devices that fail are passed over. Throws CLGEMM_NO_DEVICE with what to install or
// what there is, or, where all fail, the status of the first failure.
cl::Device choose_device(const std::string& wanted);

// The same device, and behind it others of its platform and type: at most `most` in all, but always the first.
std::vector<cl::Device> choose_devices(const std::string& wanted, std::size_t most);

} // namespace clgemm::core
