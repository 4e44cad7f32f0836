#include "little_memory.hpp"

#include "support/opencl.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

namespace clgemm::test {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

struct Buffer {
    std::size_t bytes;
    int references;
};

struct State {
    std::mutex mutex;
    std::map<cl_mem, Buffer> buffers;
    std::size_t bytes = 0, limit = unlimited;
    Refusal refusal = Refusal::when_made;
};

// Never destroyed: buffers are released until the program's very end.
State& state()
{
    static auto* const all = new State;
    return *all;
}

bool refuses_commands()
{
    const std::lock_guard lock(state().mutex);
    return state().refusal == Refusal::when_used && state().bytes > state().limit;
}

template <typename Function> Function* opencls_own(Function*, const char* name)
{
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace

LittleMemory::LittleMemory(std::size_t bytes, Refusal refusal)
{
    const std::lock_guard lock(state().mutex);
    state().limit = bytes;
    state().refusal = refusal;
}

LittleMemory::~LittleMemory()
{
    const std::lock_guard lock(state().mutex);
    state().limit = unlimited;
}

} // namespace clgemm::test

using namespace clgemm::test;

extern "C" {

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host,
                                               cl_int* error)
{
    static auto* const own = opencls_own(&clCreateBuffer, "clCreateBuffer");
    const std::lock_guard lock(state().mutex);
    if (state().refusal == Refusal::when_made && size > state().limit - std::min(state().limit, state().bytes)) {
        if (error)
            *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return nullptr;
    }
    cl_mem const buffer = own(context, flags, size, host, error);
    if (buffer) {
        state().buffers[buffer] = {size, 1};
        state().bytes += size;
    }
    return buffer;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainMemObject(cl_mem object)
{
    static auto* const own = opencls_own(&clRetainMemObject, "clRetainMemObject");
    const std::lock_guard lock(state().mutex);
    const auto known = state().buffers.find(object);
    if (known != state().buffers.end())
        known->second.references++;
    return own(object);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseMemObject(cl_mem object)
{
    static auto* const own = opencls_own(&clReleaseMemObject, "clReleaseMemObject");
    const std::lock_guard lock(state().mutex);
    const auto known = state().buffers.find(object);
    if (known != state().buffers.end() && --known->second.references == 0) {
        state().bytes -= known->second.bytes;
        state().buffers.erase(known);
    }
    return own(object);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                                       const size_t* offset, const size_t* global, const size_t* local,
                                                       cl_uint count, const cl_event* events, cl_event* event)
{
    static auto* const own = opencls_own(&clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel");
    return refuses_commands() ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                              : own(queue, kernel, dimensions, offset, global, local, count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void* pattern,
                                                    size_t pattern_size, size_t offset, size_t size, cl_uint count,
                                                    const cl_event* events, cl_event* event)
{
    static auto* const own = opencls_own(&clEnqueueFillBuffer, "clEnqueueFillBuffer");
    return refuses_commands() ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                              : own(queue, buffer, pattern, pattern_size, offset, size, count, events, event);
}

} // extern "C"
