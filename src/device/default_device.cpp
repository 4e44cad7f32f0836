#include "device/default_device.hpp"

#include "device/query_profile.hpp"
#include "problem/status_text.hpp"
#include "support/error.hpp"
#include "support/plain_text.hpp"

#include "clgemm/clgemm.h"

#include <algorithm>
#include <vector>

namespace clgemm::core {
namespace {

// From cl_ext.h: the ICD loader's code for "no platform installed".
constexpr cl_int platform_not_found = -1001;

std::string in_small_letters(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), lower);
    return text;
}

int rank(DeviceType type)
{
    return type == DeviceType::gpu ? 0 : type == DeviceType::accelerator ? 1 : 2;
}

void append(std::string& list, const std::string& item)
{
    list += (list.empty() ? "" : ", ") + item;
}

// All devices there are. A platform or a device that cannot be asked is left out, so that it does not hide the others. The
// reasons are kept for error messages.
struct Survey {
    struct Candidate {
        cl::Device device;
        std::string full_name;
        DeviceType type;
        cl_platform_id platform;
    };
    std::vector<Candidate> candidates;
    std::string empty_platforms; // their names
    std::string failures;        // in words: who could not be asked, and why
    cl_int first_failure = CL_SUCCESS;

    void note_failure(const std::string& whose, const cl::Error& error)
    {
        append(failures, whose + ": " + error.what() + " returned " + status_text(error.err()));
        if (first_failure == CL_SUCCESS)
            first_failure = error.err();
    }
};

std::vector<cl::Platform> all_platforms()
{
    std::vector<cl::Platform> platforms;
    try {
        cl::Platform::get(&platforms);
    } catch (const cl::Error& error) {
        if (error.err() != platform_not_found)
            throw;
    }
    return platforms;
}

std::vector<cl::Device> devices_of(const cl::Platform& platform)
{
    std::vector<cl::Device> devices;
    try {
        platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    } catch (const cl::Error& error) {
        if (error.err() != CL_DEVICE_NOT_FOUND)
            throw;
    }
    return devices;
}

Survey survey()
{
    Survey result;
    for (const auto& platform : all_platforms()) {
        std::string name = "a platform";
        std::vector<cl::Device> devices;
        try {
            name = "platform '" + platform.getInfo<CL_PLATFORM_NAME>() + "'";
            devices = devices_of(platform);
        } catch (const cl::Error& error) {
            result.note_failure(name, error);
            continue;
        }
        if (devices.empty())
            append(result.empty_platforms, name);
        for (const auto& device : devices)
            try {
                const DeviceProfile profile = told_by_opencl(device);
                result.candidates.push_back({device, profile.platform_name + "/" + profile.name, profile.type, platform()});
            } catch (const cl::Error& error) {
                result.note_failure("a device of " + name, error);
            }
    }
    return result;
}

[[noreturn]] void refuse(const Survey& found)
{
    if (found.first_failure != CL_SUCCESS)
        throw Error(found.first_failure, "no OpenCL device can be asked what it is: " + found.failures);
    if (!found.empty_platforms.empty())
        throw Error(CLGEMM_NO_DEVICE,
                    "no OpenCL device found: " + found.empty_platforms +
                        " found, but without devices. A GPU's driver has none where its device files cannot be opened, PoCL "
                        "where it cannot write its cache: set POCL_CACHE_DIR to a folder that can be written. Or install "
                        "PoCL for the CPU (Debian and Ubuntu: apt-get install pocl-opencl-icd)");
    throw Error(CLGEMM_NO_DEVICE,
                "no OpenCL device found: install your GPU's OpenCL driver, or PoCL for the CPU (Debian and "
                "Ubuntu: apt-get install pocl-opencl-icd)");
}

const Survey::Candidate& choose(const Survey& found, const std::string& wanted)
{
    if (found.candidates.empty())
        refuse(found);
    std::string seen;
    const Survey::Candidate* best = nullptr;
    for (const auto& candidate : found.candidates) {
        append(seen, "'" + candidate.full_name + "'");
        if (in_small_letters(candidate.full_name).find(in_small_letters(wanted)) == std::string::npos)
            continue;
        if (!best || rank(candidate.type) < rank(best->type))
            best = &candidate;
    }
    if (!best)
        throw Error(CLGEMM_NO_DEVICE, "CLGEMM_DEVICE is '" + wanted + "', which is part of no device's name; there are: " +
                                          seen + (found.failures.empty() ? "" : "; others fail: " + found.failures));
    return *best;
}

} // namespace

cl::Device choose_device(const std::string& wanted)
{
    const Survey found = survey();
    return choose(found, wanted).device;
}

std::vector<cl::Device> choose_devices(const std::string& wanted, std::size_t most)
{
    const Survey found = survey();
    const Survey::Candidate& first = choose(found, wanted);
    std::vector<cl::Device> result{first.device};
    for (const auto& other : found.candidates)
        if (result.size() < most && &other != &first && other.type == first.type && other.platform == first.platform)
            result.push_back(other.device);
    return result;
}

} // namespace clgemm::core
