#define CL_HPP_ENABLE_EXCEPTIONS
#include "tools/info/device.hpp"

#include <cstdlib>

namespace clgemm::info {
namespace {

using Json = nlohmann::ordered_json;

std::string type_of(const cl::Device& device)
{
    const auto type = device.getInfo<CL_DEVICE_TYPE>();
    return type & CL_DEVICE_TYPE_GPU           ? "GPU"
           : type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator"
           : type & CL_DEVICE_TYPE_CPU         ? "CPU"
                                               : "other";
}

// Where the device's tuning comes from: the reason of a choice ends with that, in parentheses. Empty where the choice has no
// such reason.
std::string origin_of_tuning(const std::string& explanation)
{
    const std::string reason = line_after(explanation, "because:");
    const std::size_t begin = reason.find('('), end = reason.rfind(')');
    return begin < end && end != std::string::npos ? reason.substr(begin + 1, end - begin - 1) : "";
}

bool is_of_this_device(const std::string& origin)
{
    return !origin.empty() && origin.rfind("guessed", 0) != 0 && origin.rfind("borrowed", 0) != 0;
}

// Without POCL_AFFINITY Linux often leaves PoCL's threads on one core, and small products take twice as long (docs/cpu.md).
// PoCL reads it when it is loaded, so that the library cannot set it.
bool lacks_affinity(const cl::Platform& platform, const cl::Device& device)
{
    return platform.getInfo<CL_PLATFORM_NAME>() == "Portable Computing Language" &&
           device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU &&
           !std::getenv("POCL_AFFINITY"); // NOLINT(concurrency-mt-unsafe): nobody changes the environment
}

} // namespace

std::string as_text(const Json& json, int indent)
{
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string line_after(const std::string& text, const std::string& start)
{
    const std::size_t begin = text.find(start);
    if (begin == std::string::npos)
        return "";
    const std::size_t first = text.find_first_not_of(' ', begin + start.size());
    return text.substr(first, text.find('\n', first) - first);
}

std::string explain_any_problem(const cl::Device& device, const std::string& kernel)
{
    clgemm::Options options;
    options.kernel = kernel;
    constexpr std::size_t size = 512;
    return clgemm::explain(clgemm::Layout::column_major, clgemm::Transpose::no, clgemm::Transpose::no, size, size, size,
                           1.0f, 0, size, 0, size, 0.0f, 0, size, device, options);
}

Json describe(const cl::Platform& platform, const cl::Device& device, bool is_default)
{
    Json about;
    about["name"] = device.getInfo<CL_DEVICE_NAME>();
    about["platform"] = platform.getInfo<CL_PLATFORM_NAME>();
    about["default"] = is_default;
    about["type"] = type_of(device);
    about["opencl"] = device.getInfo<CL_DEVICE_VERSION>();
    about["driver"] = device.getInfo<CL_DRIVER_VERSION>();
    about["compute_units"] = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    about["memory_bytes"] = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
    about["largest_buffer_bytes"] = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
    about["local_memory_bytes"] = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
    about["local_memory_is_its_own"] = device.getInfo<CL_DEVICE_LOCAL_MEM_TYPE>() == CL_LOCAL;
    about["largest_work_group"] = device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
    if (lacks_affinity(platform, device))
        about["advice"] = "set POCL_AFFINITY=1: each thread keeps a core of its own";
    try {
        const std::string text = explain_any_problem(device, ""), origin = origin_of_tuning(text);
        about["tuned"] = is_of_this_device(origin);
        about["tuning"] = origin;
        if (const std::string left_out = line_after(text, "left out:"); !left_out.empty())
            about["left_out"] = left_out;
    } catch (const clgemm::Error& error) {
        about["tuned"] = false;
        about["tuning"] = error.what();
    }
    return about;
}

} // namespace clgemm::info
