// Which device is used where the caller names none.
#pragma once

#include "support/opencl.hpp"

#include <string>
#include <vector>

namespace clgemm::core {

// Every device of every platform; empty where there is none. Throws cl::Error for other failures.
std::vector<cl::Device> all_devices();

// The first device whose platform's or own name contains `wanted` (case does not matter; empty: any), a GPU before an
// accelerator before a CPU. Throws CLGEMM_NO_DEVICE with what to install or what there is.
cl::Device choose_device(const std::string& wanted);

} // namespace clgemm::core
