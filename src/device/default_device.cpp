#include "device/default_device.hpp"

#include "device/query_profile.hpp"
#include "support/error.hpp"

#include "clgemm/clgemm.h"

#include <algorithm>
#include <cctype>

namespace clgemm::core {
namespace {

// From cl_ext.h: the ICD loader's code for "no platform installed".
constexpr cl_int platform_not_found = -1001;

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

int rank(DeviceType type)
{
    return type == DeviceType::gpu ? 0 : type == DeviceType::accelerator ? 1 : 2;
}

} // namespace

std::vector<cl::Device> all_devices()
{
    std::vector<cl::Platform> platforms;
    try {
        cl::Platform::get(&platforms);
    } catch (const cl::Error& error) {
        if (error.err() != platform_not_found)
            throw;
    }
    std::vector<cl::Device> result;
    for (const auto& platform : platforms) {
        std::vector<cl::Device> devices;
        try {
            platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
        } catch (const cl::Error&) {
            continue; // a platform without devices, or one that fails, must not hide the others
        }
        result.insert(result.end(), devices.begin(), devices.end());
    }
    return result;
}

cl::Device choose_device(const std::string& wanted)
{
    const auto devices = all_devices();
    if (devices.empty())
        throw Error(CLGEMM_NO_DEVICE, "no OpenCL device found: install your GPU's OpenCL driver, or PoCL for the CPU "
                                      "(Debian and Ubuntu: apt-get install pocl-opencl-icd)");
    std::string seen;
    const cl::Device* best = nullptr;
    int best_rank = 0;
    for (const auto& device : devices) {
        const auto profile = query_profile(device);
        const std::string full_name = profile.platform_name + "/" + profile.name;
        seen += (seen.empty() ? "" : ", ") + ("'" + full_name + "'");
        if (lower(full_name).find(lower(wanted)) == std::string::npos)
            continue;
        if (!best || rank(profile.type) < best_rank) {
            best = &device;
            best_rank = rank(profile.type);
        }
    }
    if (!best)
        throw Error(CLGEMM_NO_DEVICE,
                    "CLGEMM_DEVICE is '" + wanted + "', which is part of no device's name; there are: " + seen);
    return *best;
}

} // namespace clgemm::core
