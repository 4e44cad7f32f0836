// Where a device's tuning comes from: the first of CLGEMM_TUNING's file, the user's own file (clgemm-tune writes it), the
// library's own data, and guesses. These also complete the others.
#pragma once

#include "tuning/tuning.hpp"

#include <filesystem>
#include <optional>

namespace clgemm::core {

// A file that is no use, or that CLGEMM_TUNING names and that cannot be read, gets one line on standard error, and the next
// source is asked.
Tuning tuning_for(const DeviceProfile& device);

// What that file says. Throws TuningFileError where it cannot be read or is of no use.
Tuning tuning_in(const std::filesystem::path& path, const DeviceProfile& device);

// Where the user's file for the device is or would be; none without a home directory.
std::optional<std::filesystem::path> user_tuning_file(const DeviceProfile& device);

} // namespace clgemm::core
