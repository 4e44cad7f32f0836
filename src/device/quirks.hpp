// What single drivers do otherwise than the rest, and what the library does about it. docs/drivers.md says what was measured
// of each driver, and which defects are left to its makers.
#pragma once

#include "device/profile.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace clgemm::core {

// Changes what the profile says of how to use this driver, by the platform's name and version and the device's type.
void work_around_quirks(DeviceProfile& profile);

// The name by which tuning data knows a device, whatever its driver's version calls it.
std::string lasting_name(std::string_view platform, const std::string& name);

// DeviceProfile::sub_group, by the sizes of sub-groups that a GPU of Intel's has (CL_DEVICE_SUB_GROUP_SIZES_INTEL).
std::size_t sub_group_to_ask_for(const std::vector<std::size_t>& sizes);

// DeviceProfile::cache of a CPU, by what its driver says. A virtual machine that has a few of a processor's cores is told
// the size of all its cache, of which the neighbours have their share. So 16 MB count for each core at most, more than
// nearly all processors have.
std::size_t cache_of_cores(std::size_t told, std::size_t cores);

} // namespace clgemm::core
