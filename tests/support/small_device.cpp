// A layer between a program and OpenCL by which every device has no more local memory than SMALL_DEVICE_LOCAL_MEMORY bytes:
// as another driver's device may that has the same name, and no buffer may be larger than SMALL_DEVICE_BUFFER bytes. With
// SMALL_DEVICE_ODD_NAME the first letter of its name is no UTF-8. A program gets it by LD_PRELOAD.
#include <CL/cl.h>

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace {

// A number of bytes from the environment; none: no limit.
cl_ulong limit(const char* variable)
{
    const char* const text = std::getenv(variable); // NOLINT(concurrency-mt-unsafe)
    return text ? std::strtoull(text, nullptr, 10) : std::numeric_limits<cl_ulong>::max();
}

cl_ulong largest_buffer()
{
    static const cl_ulong bytes = limit("SMALL_DEVICE_BUFFER");
    return bytes;
}

} // namespace

extern "C" CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host,
                                                          cl_int* status)
{
    static auto* const own = reinterpret_cast<decltype(&clCreateBuffer)>(dlsym(RTLD_NEXT, "clCreateBuffer"));
    if (size <= largest_buffer())
        return own(context, flags, size, host, status);
    if (status)
        *status = CL_INVALID_BUFFER_SIZE;
    return nullptr;
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size,
                                                           void* value, size_t* size_needed)
{
    static auto* const own = reinterpret_cast<decltype(&clGetDeviceInfo)>(dlsym(RTLD_NEXT, "clGetDeviceInfo"));
    static const cl_ulong local_memory = limit("SMALL_DEVICE_LOCAL_MEMORY");
    static const bool has_odd_name = std::getenv("SMALL_DEVICE_ODD_NAME"); // NOLINT(concurrency-mt-unsafe)
    const cl_int status = own(device, name, size, value, size_needed);
    for (const auto& [what, most] : {std::pair<cl_device_info, cl_ulong>{CL_DEVICE_LOCAL_MEM_SIZE, local_memory},
                                     {CL_DEVICE_MAX_MEM_ALLOC_SIZE, largest_buffer()}})
        if (status == CL_SUCCESS && name == what && value) {
            auto& bytes = *static_cast<cl_ulong*>(value);
            bytes = std::min(bytes, most);
        }
    if (status == CL_SUCCESS && name == CL_DEVICE_NAME && value && has_odd_name)
        *static_cast<char*>(value) = '\xE9';
    return status;
}
