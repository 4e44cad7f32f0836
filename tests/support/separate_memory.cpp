// For a test program in which every device is a GPU with memory of its own, as far as the library can tell: what is on the
// host travels there and back. It is compiled with this layer between it and OpenCL.
#include <CL/cl.h>

#include <cstdlib>
#include <dlfcn.h>

// The tests are about what travels: a kernel that is soon compiled multiplies, unless they name another one. Before main(),
// since the library reads its environment once.
[[maybe_unused]] static const int one_kernel = setenv("CLGEMM_KERNEL", "01_naive", 1);

extern "C" CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size,
                                                           void* value, size_t* size_needed)
{
    static auto* const own = reinterpret_cast<decltype(&clGetDeviceInfo)>(dlsym(RTLD_NEXT, "clGetDeviceInfo"));
    const cl_int status = own(device, name, size, value, size_needed);
    if (status == CL_SUCCESS && value && name == CL_DEVICE_TYPE)
        *static_cast<cl_device_type*>(value) = CL_DEVICE_TYPE_GPU;
    if (status == CL_SUCCESS && value && name == CL_DEVICE_HOST_UNIFIED_MEMORY)
        *static_cast<cl_bool*>(value) = CL_FALSE;
    return status;
}
