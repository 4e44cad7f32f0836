// What single drivers do otherwise than the rest, and what the library does about it: the one place that knows drivers by
// their names and versions. docs/drivers.md says what was measured of each driver, and which defects are left to its makers.
#pragma once

#include "device/profile.hpp"

#include <string>
#include <string_view>

namespace clgemm::core {

// Changes what the profile, otherwise complete, says of how to use this driver.
void work_around_quirks(DeviceProfile& profile);

// The name by which tuning data knows a device, whatever its driver's version calls it.
std::string lasting_name(std::string_view platform, const std::string& name);

} // namespace clgemm::core
