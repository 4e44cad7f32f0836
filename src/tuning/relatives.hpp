// A device without tuning data of its own uses that of its nearest relative among the devices that were measured, brought to
// its own scale.
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

// How near the measured device is to another one. The larger value is the nearer.
enum class Kinship {
    none,
    vendor,       // the same vendor; neither this nor the next one counts for CPUs
    architecture, // the same architecture (DeviceProfile::architecture)
    namesake,     // the same name, but another architecture: virtual machines call very different CPUs "AMD EPYC"
    elsewhere,    // the same name, with another driver or another number of compute units
    itself
};
Kinship kinship(const MeasuredDevice& measured, const DeviceProfile& device);

// By what factor the arithmetic of the two devices as a whole differs, from 1 on. Of two relatives of the same kinship, the
// one with the smaller factor is the nearer.
double distance(const MeasuredDevice& measured, const DeviceProfile& device);

// The relative's data brought to the device's scale: times of arithmetic by how much a compute unit does in a second, and
// memory as fast as it was measured on this device, where it was. Entries for single calls are left out. The origin says
// whose data it is.
Tuning borrowed(Tuning relatives, const MeasuredDevice& relative, const DeviceProfile& device,
                std::optional<double> bytes_per_ns);

} // namespace clgemm::core
