#include "device/query_profile.hpp"

#include "device/instructions.hpp"
#include "device/processor.hpp"
#include "device/quirks.hpp"
#include "device/tiles.hpp"
#include "device/utf8.hpp"

#include <algorithm>
#include <vector>

namespace clgemm::core {
namespace {

// Some drivers count the terminating zero into the string. What is no UTF-8 would be another text when it comes back from a
// record of calls or a tuning file.
std::string text_of(const std::string& told)
{
    return as_utf8(told.substr(0, told.find('\0')));
}

// From cl_ext.h (cl_nv_device_attribute_query).
constexpr cl_device_info compute_capability_major = 0x4000;
constexpr cl_device_info compute_capability_minor = 0x4001;

// The most local memory that the hardware gives a work-group, from NVIDIA's "CUDA C++ Programming Guide", compute
// capabilities.
std::size_t retargeted_local_memory(unsigned compute_capability)
{
    constexpr std::size_t kilobyte = 1024;
    switch (compute_capability) {
    case 80:
    case 87: return 163 * kilobyte;
    case 86:
    case 89: return 99 * kilobyte;
    case 90: return 227 * kilobyte;
    default: return 0;
    }
}

// 0 where the driver does not know the question. Any other failure throws: taken for 0, it would give the device another
// architecture.
unsigned nvidia_attribute(const cl::Device& device, cl_device_info which)
{
    cl_uint value = 0;
    const cl_int code = clGetDeviceInfo(device(), which, sizeof value, &value, nullptr);
    if (code != CL_SUCCESS && code != CL_INVALID_VALUE)
        throw cl::Error(code, "clGetDeviceInfo");
    return code == CL_SUCCESS ? value : 0;
}

// None where the driver does not know the question.
std::vector<std::size_t> intel_sub_groups(const cl::Device& device)
{
    constexpr cl_device_info which = 0x4108; // from cl_ext.h (cl_intel_required_subgroup_size)
    std::size_t bytes = 0;
    cl_int code = clGetDeviceInfo(device(), which, 0, nullptr, &bytes);
    if (code == CL_INVALID_VALUE)
        return {};
    std::vector<std::size_t> result(bytes / sizeof(std::size_t));
    if (code == CL_SUCCESS)
        code = clGetDeviceInfo(device(), which, bytes, result.data(), nullptr);
    if (code != CL_SUCCESS)
        throw cl::Error(code, "clGetDeviceInfo");
    return result;
}

bool has_word(const std::string& list, const std::string& word)
{
    return (" " + list + " ").find(" " + word + " ") != std::string::npos;
}

// With cl_khr_subgroup_shuffle a kernel must know a work-item's place in its sub-group, which OpenCL C tells from 2.0 on.
// Where programs are in OpenCL C 1.2, Mesa does not declare the extension's functions; PoCL 6 and Intel's runtime do.
bool has_subgroups(const std::string& language)
{
    return language >= "CL2.0";
}

} // namespace

DeviceProfile told_by_opencl(const cl::Device& device)
{
    const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
    const std::string extensions = text_of(device.getInfo<CL_DEVICE_EXTENSIONS>());

    DeviceProfile p;
    p.name = text_of(device.getInfo<CL_DEVICE_NAME>());
    p.vendor = text_of(device.getInfo<CL_DEVICE_VENDOR>());
    p.driver_version = text_of(device.getInfo<CL_DRIVER_VERSION>());
    p.platform_name = text_of(platform.getInfo<CL_PLATFORM_NAME>());
    p.platform_version = text_of(platform.getInfo<CL_PLATFORM_VERSION>());

    const cl_device_type type = device.getInfo<CL_DEVICE_TYPE>();
    p.type = (type & CL_DEVICE_TYPE_GPU)   ? DeviceType::gpu
             : (type & CL_DEVICE_TYPE_CPU) ? DeviceType::cpu
                                           : DeviceType::accelerator;
    p.compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    p.max_work_group_size = device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
    const auto items = device.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>();
    std::copy_n(items.begin(), std::min<std::size_t>(items.size(), 3), p.max_work_item_sizes.begin());
    p.local_memory = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
    p.global_memory = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
    p.max_allocation = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
    const std::size_t cache = device.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>();
    p.cache = p.type == DeviceType::cpu ? cache_of_cores(cache, p.compute_units) : cache;
    p.shares_host_memory = p.type == DeviceType::cpu || device.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY>() == CL_TRUE;
    p.clock_mhz = device.getInfo<CL_DEVICE_MAX_CLOCK_FREQUENCY>();
    p.vector_width = std::max<std::size_t>(1, device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>());

    constexpr cl_device_fp_config ieee = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST;
    p.has_ieee_floats = (device.getInfo<CL_DEVICE_SINGLE_FP_CONFIG>() & ieee) == ieee;

    work_around_quirks(p);

    // NVIDIA's compiler takes inline PTX, and shfl.sync on every device it still supports; no sub-group extension is
    // reported there. The same hardware under PoCL takes no PTX, hence the platform's name.
    p.nvidia_ptx = p.platform_name == "NVIDIA CUDA";
    if (p.nvidia_ptx)
        p.compute_capability =
            10 * nvidia_attribute(device, compute_capability_major) + nvidia_attribute(device, compute_capability_minor);
    p.architecture = p.type == DeviceType::cpu ? host_processor() : architecture_of(p);
    p.registers = registers_of(p);
    p.retargeted_local_memory = retargeted_local_memory(p.compute_capability);
    if (p.nvidia_ptx)
        p.shuffle = Shuffle::nvidia_ptx;
    else if (has_word(extensions, "cl_khr_subgroup_shuffle") && has_subgroups(p.language))
        p.shuffle = Shuffle::khr_subgroup_shuffle;
    else if (has_word(extensions, "cl_intel_subgroups"))
        p.shuffle = Shuffle::intel_subgroups;
    if (p.type == DeviceType::gpu && has_word(extensions, "cl_intel_required_subgroup_size"))
        p.sub_group = sub_group_to_ask_for(intel_sub_groups(device));
    return p;
}

DeviceProfile query_profile(const cl::Device& device)
{
    DeviceProfile p = told_by_opencl(device);
    p.tiles = find_tiles(device, p);
    p.instructions = find_instructions(p);
    return p;
}

} // namespace clgemm::core
