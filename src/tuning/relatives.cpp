#include "tuning/relatives.hpp"

#include "device/quirks.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace clgemm::core {
namespace {

// Lanes of a compute unit that add and multiply floats, by the architecture; 0 where that is not known. From NVIDIA's "CUDA
// C++ Programming Guide", throughput of native arithmetic instructions.
std::size_t lanes_of(std::string_view architecture)
{
    struct Row {
        std::string_view architecture;
        std::size_t lanes;
    };
    constexpr Row rows[] = {{"sm_60", 64},  {"sm_61", 128},  {"sm_62", 128},  {"sm_70", 64},   {"sm_72", 64},
                            {"sm_75", 64},  {"sm_80", 64},   {"sm_86", 128},  {"sm_87", 128},  {"sm_89", 128},
                            {"sm_90", 128}, {"sm_100", 128}, {"sm_103", 128}, {"sm_120", 128}, {"sm_121", 128}};
    const auto row =
        std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.architecture == architecture; });
    return row == std::end(rows) ? 0 : row->lanes;
}

// How many times as long a compute unit of `device` takes for arithmetic; what is not known of both counts as equal.
double slower_by(const MeasuredDevice& measured, const DeviceProfile& device)
{
    const auto ratio = [](std::size_t theirs, std::size_t ours) {
        return theirs > 0 && ours > 0 ? static_cast<double>(theirs) / static_cast<double>(ours) : 1;
    };
    return ratio(measured.clock_mhz, device.clock_mhz) *
           ratio(lanes_of(measured.architecture), lanes_of(device.architecture));
}

std::string in_words(Kinship kinship, const MeasuredDevice& relative)
{
    switch (kinship) {
    case Kinship::elsewhere:
        return "the same device elsewhere, with " + std::to_string(relative.compute_units) + " compute units";
    case Kinship::namesake: return "a namesake of another architecture, " + relative.architecture;
    case Kinship::architecture: return "of the same architecture, " + relative.architecture;
    default: return "the vendor's nearest";
    }
}

} // namespace

MeasuredDevice as_measured(const DeviceProfile& device)
{
    return {device.platform_name,   lasting_name(device.platform_name, device.name),
            to_string(device.type), device.compute_units,
            device.vendor,          device.architecture,
            device.clock_mhz};
}

Kinship kinship(const MeasuredDevice& measured, const DeviceProfile& device)
{
    const MeasuredDevice ours = as_measured(device);
    const auto same = [](const std::string& one, const std::string& other) { return !one.empty() && one == other; };
    if (measured.type != ours.type)
        return Kinship::none;
    const auto differ = [](const std::string& one, const std::string& other) {
        return !one.empty() && !other.empty() && one != other;
    };
    if (measured.name == ours.name && differ(measured.architecture, ours.architecture))
        return Kinship::namesake;
    if (measured.name == ours.name)
        return measured.platform == ours.platform && measured.compute_units == ours.compute_units ? Kinship::itself
                                                                                                  : Kinship::elsewhere;
    // What one CPU takes tells less of another one than guesses do: cores share caches and memory in too many ways
    // (docs/notes/tuning.md).
    if (device.type == DeviceType::cpu)
        return Kinship::none;
    if (same(measured.architecture, ours.architecture))
        return Kinship::architecture;
    return same(measured.vendor, ours.vendor) ? Kinship::vendor : Kinship::none;
}

double distance(const MeasuredDevice& measured, const DeviceProfile& device)
{
    const double factor = slower_by(measured, device) * static_cast<double>(measured.compute_units) /
                          static_cast<double>(device.compute_units);
    return std::max(factor, 1 / factor);
}

Tuning borrowed(Tuning relatives, const MeasuredDevice& relative, const DeviceProfile& device,
                std::optional<double> bytes_per_ns)
{
    const double factor = slower_by(relative, device);
    for (Measurement& measurement : relatives.measurements)
        scale_times(measurement, factor);
    relatives.calls.clear(); // each was timed on that very device
    relatives.bytes_per_ns = bytes_per_ns.value_or(relatives.bytes_per_ns);
    relatives.origin = "borrowed from " + relative.name + ", " + in_words(kinship(relative, device), relative);
    relatives.is_borrowed = true;
    return relatives;
}

} // namespace clgemm::core
