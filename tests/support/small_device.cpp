// A layer between a program and OpenCL by which every device has no more local memory than SMALL_DEVICE_LOCAL_MEMORY bytes:
// as another driver's device may that has the same name. With SMALL_DEVICE_ODD_NAME the first letter of its name is no
// UTF-8. A program gets it by LD_PRELOAD.
#include <CL/cl.h>

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

extern "C" CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size,
                                                           void* value, size_t* size_needed)
{
    static auto* const own = reinterpret_cast<decltype(&clGetDeviceInfo)>(dlsym(RTLD_NEXT, "clGetDeviceInfo"));
    static const char* const most = std::getenv("SMALL_DEVICE_LOCAL_MEMORY"); // NOLINT(concurrency-mt-unsafe)
    static const bool has_odd_name = std::getenv("SMALL_DEVICE_ODD_NAME");    // NOLINT(concurrency-mt-unsafe)
    const cl_int status = own(device, name, size, value, size_needed);
    if (status == CL_SUCCESS && name == CL_DEVICE_LOCAL_MEM_SIZE && value && most) {
        auto& bytes = *static_cast<cl_ulong*>(value);
        bytes = std::min<cl_ulong>(bytes, std::strtoull(most, nullptr, 10));
    }
    if (status == CL_SUCCESS && name == CL_DEVICE_NAME && value && has_odd_name)
        *static_cast<char*>(value) = '\xE9';
    return status;
}
