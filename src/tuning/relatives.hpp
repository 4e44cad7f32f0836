// Whose tuning data serves a device that has none of its own: its nearest relative's among those that were measured, brought
// to the device's scale.
#pragma once

#include "device/profile.hpp"
#include "tuning/tuning.hpp"

#include <optional>
#include <string>

namespace clgemm::core {

// The device that a tuning file is about.
struct MeasuredDevice {
    std::string platform, name, type; // the name as lasting_name() gives it
    std::size_t compute_units = 1;
    // Older files do not say these: empty, and 0.
    std::string vendor, architecture;
    std::size_t clock_mhz = 0;
};

MeasuredDevice as_measured(const DeviceProfile& device);

// How near the measured device is to another one; of two, the larger value is the nearer.
enum class Kinship {
    none,
    vendor,       // the same vendor; neither this nor the next one counts for CPUs
    architecture, // the same architecture (DeviceProfile::architecture)
    namesake,     // the same name, but another architecture: virtual machines call very different CPUs "AMD EPYC"
    elsewhere,    // the same name, with another driver or another number of compute units
    itself
};
Kinship kinship(const MeasuredDevice& measured, const DeviceProfile& device);

// Of two relatives of the same kinship: by what factor the arithmetic of the whole device differs, from 1 on. The smaller is
// the nearer.
double distance(const MeasuredDevice& measured, const DeviceProfile& device);

// The relative's data as the device's own: times of arithmetic by what a compute unit does in a second, and memory as it was
// measured of this device, where it was. The origin says whose data it is.
Tuning borrowed(Tuning relatives, const MeasuredDevice& relative, const DeviceProfile& device,
                std::optional<double> bytes_per_ns);

} // namespace clgemm::core
