// Where a device's tuning comes from: the first of CLGEMM_TUNING's file, the user's own file (clgemm-tune writes it), the
// library's own data, that of the device's nearest relative, and guesses. Guesses also complete the other ones.
#pragma once

#include "support/embedded.hpp"
#include "tuning/tuning.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>

namespace clgemm::core {

// In bytes: a larger one is not read. Without entries for single calls a tuner's file has 150,000 at most.
constexpr std::size_t largest_tuning_file = std::size_t{1} << 20;

// Asked where data is borrowed: the bytes that this device's memory moves in a ns; none where nobody can tell.
using MeasureMemory = std::function<std::optional<double>()>;

// The tuning by all sources. A file that is of no use, or that CLGEMM_TUNING names and that cannot be read, gets one line on
// standard error, and the next source is asked. What the tuning leaves out gets a line in the log.
Tuning tuning_for(const DeviceProfile& device, const MeasureMemory& measure_memory = {});

// The tuning by the nearest text that is of use, among those that are about the device or its relatives
// (tuning/relatives.hpp); guesses where there is none. The library's own texts are tuning_texts(). Users can do nothing
// about a defect in one of those: no call fails, and no line is written but in the log.
Tuning tuning_among(std::span<const EmbeddedText> texts, const DeviceProfile& device,
                    const MeasureMemory& measure_memory = {});

// The tuning by that file. Throws TuningFileError where it cannot be read or is of no use.
Tuning tuning_in(const std::filesystem::path& path, const DeviceProfile& device);

// Where the user's file for the device is or would be; none without a home directory.
std::optional<std::filesystem::path> user_tuning_file(const DeviceProfile& device);

} // namespace clgemm::core
