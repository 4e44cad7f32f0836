#include "device/profile.hpp"

namespace clgemm::core {
namespace {

// AMD's drivers have the architecture in the device's name, alone or among other words: "gfx90a:sramecc+:xnack-", "...
// (radeonsi, gfx1030, ...)".
std::string amd_architecture(const std::string& name)
{
    const std::size_t begin = name.find("gfx");
    if (begin == std::string::npos)
        return "";
    const std::size_t end = name.find_first_not_of("0123456789abcdef", begin + 3);
    return name.substr(begin, end == std::string::npos ? end : end - begin);
}

} // namespace

std::string architecture_of(const DeviceProfile& device)
{
    if (device.compute_capability > 0)
        return "sm_" + std::to_string(device.compute_capability);
    return amd_architecture(device.name);
}

// NVIDIA's and AMD's GPUs have 256. Arm's OpenCL Developer Guide says 64 for a Mali, whose vendor is "ARM" to Arm's driver
// and "Arm" to Mesa. Of the others we know Intel's GPUs, which have 128 in the smallest sub-groups.
std::size_t registers_of(const DeviceProfile& device)
{
    if (device.type == DeviceType::gpu && !device.architecture.empty())
        return 256;
    return device.vendor == "ARM" || device.vendor == "Arm" ? 64 : 128;
}

const char* to_string(DeviceType type)
{
    switch (type) {
    case DeviceType::cpu: return "CPU";
    case DeviceType::gpu: return "GPU";
    case DeviceType::accelerator: break;
    }
    return "accelerator";
}

} // namespace clgemm::core
