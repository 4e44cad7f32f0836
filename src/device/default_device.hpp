// Which device is used where the caller names none.
#pragma once

#include "support/opencl.hpp"

#include <string>

namespace clgemm::core {

// The first device whose platform's or own name contains `wanted` (case does not matter; empty: any), a GPU before an
// accelerator before a CPU. Platforms and devices that fail are passed over. Throws CLGEMM_NO_DEVICE with what to install or
// what there is, or, where all fail, the status of the first.
cl::Device choose_device(const std::string& wanted);

} // namespace clgemm::core
