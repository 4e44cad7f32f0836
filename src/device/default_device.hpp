// Which device is used where the caller names none.
#pragma once

#include "support/opencl.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace clgemm::core {

// The first device whose platform's or own name contains `wanted` (case does not matter; empty: any), a GPU before an
// accelerator before a CPU. Platforms and devices that fail are passed over. Throws CLGEMM_NO_DEVICE with what to install or
// what there is, or, where all fail, the status of the first.
cl::Device choose_device(const std::string& wanted);

// That device, and after it others of its platform and type, `most` in all; at least it alone.
std::vector<cl::Device> choose_devices(const std::string& wanted, std::size_t most);

} // namespace clgemm::core
