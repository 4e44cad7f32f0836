#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "failing_opencl.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <string_view>
#include <type_traits>

namespace clgemm::test {
namespace {

struct State {
    std::mutex mutex;
    Failure failure{"", Failure::never, Failure::never, CL_SUCCESS};
    Failed failed;
    std::map<std::string, long> living;

    State()
    {
        const char *const function = std::getenv("FAILING_OPENCL_FUNCTION"),
                          *const call = std::getenv("FAILING_OPENCL_CALL"), *const code = std::getenv("FAILING_OPENCL_CODE");
        if (call) {
            const bool all = std::string_view(call) == "all";
            const long nth = all ? 1 : std::atol(call);
            failure = {function ? function : "", nth, all ? Failure::for_ever : nth,
                       code ? std::atoi(code) : CL_OUT_OF_RESOURCES};
        }
    }
};

// Never destroyed: objects are released until the program's very end.
State& state()
{
    static auto* const all = new State;
    return *all;
}

// By its name, since a program that has all functions that it calls from here may not be linked with it.
void* opencl()
{
    static void* const library = dlopen("libOpenCL.so.1", RTLD_NOW);
    return library;
}

constexpr bool counts_references(std::string_view function)
{
    return function.starts_with("clRetain") || function.starts_with("clRelease");
}

// CL_SUCCESS: it may go on to the driver.
cl_int failure_of(std::string_view function)
{
    const std::lock_guard lock(state().mutex);
    const Failure& failure = state().failure;
    if (failure.function.empty() ? counts_references(function) : failure.function != function)
        return CL_SUCCESS;
    const long call = ++state().failed.calls;
    if (call < failure.first || call > failure.last)
        return CL_SUCCESS;
    if (state().failed.caught.empty())
        state().failed.caught = function;
    return failure.code;
}

void count(const char* kind, long references)
{
    const std::lock_guard lock(state().mutex);
    state().living[kind] += references;
}

// What is counted of an object; nothing of others, such as devices, of which drivers hold no count.
template <typename T> void count(T, long) {}
void count(cl_context, long references)
{
    count("context", references);
}
void count(cl_command_queue, long references)
{
    count("queue", references);
}
void count(cl_mem, long references)
{
    count("buffer", references);
}
void count(cl_program, long references)
{
    count("program", references);
}
void count(cl_kernel, long references)
{
    count("kernel", references);
}
void count(cl_event, long references)
{
    count("event", references);
}

template <typename First, typename... Rest> First first_of(First first, Rest...)
{
    return first;
}

// An error's way out, where a function gives an object.
void give_code(cl_int* where, cl_int code)
{
    if (where)
        *where = code;
}
template <typename T> void give_code(T, cl_int) {}

void count_new_event(cl_event* event)
{
    if (event)
        count(*event, 1);
}
template <typename T> void count_new_event(T) {}

thread_local int depth = 0;

struct Inside {
    Inside() { depth++; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { depth--; }
};

template <typename Function, typename Result, typename... Arguments> Result intercepted(Arguments... arguments)
{
    const Inside counted;
    static auto* const own = reinterpret_cast<Result (*)(Arguments...)>(dlsym(opencl(), Function::name));
    constexpr std::string_view name = Function::name;
    if (const cl_int code = failure_of(name); code != CL_SUCCESS) {
        (give_code(arguments, code), ...);
        if constexpr (std::is_same_v<Result, cl_int>)
            return code;
        else
            return nullptr;
    }
    const Result result = own(arguments...);
    if constexpr (std::is_same_v<Result, cl_int>) {
        if (result != CL_SUCCESS)
            return result;
        if constexpr (counts_references(name))
            count(first_of(arguments...), name.starts_with("clRetain") ? 1 : -1);
    } else {
        if (!result)
            return result;
        count(result, 1);
    }
    (count_new_event(arguments), ...);
    return result;
}

} // namespace

void fail_opencl(const Failure& failure)
{
    const std::lock_guard lock(state().mutex);
    state().failure = failure;
    state().failed = {};
}

Failed stop_failing_opencl()
{
    const std::lock_guard lock(state().mutex);
    state().failure = {"", Failure::never, Failure::never, CL_SUCCESS};
    return state().failed;
}

bool is_inside_opencl()
{
    return depth > 0;
}

std::map<std::string, long> living_opencl_objects()
{
    const std::lock_guard lock(state().mutex);
    std::erase_if(state().living, [](const auto& kind) { return kind.second == 0; });
    return state().living;
}

} // namespace clgemm::test

// Gives OpenCL's function a body, with parameters that are written nowhere: a friend of a class that is declared outside is
// that very function, and the class has its type. (Defined in a class, it is emitted where something asks for its address.)
#define INTERCEPT(function)                                                                                                 \
    template <typename Type> struct function##_interceptor;                                                                 \
    template <typename Result, typename... Arguments> struct function##_interceptor<Result(Arguments...)> {                 \
        static constexpr const char* name = #function;                                                                      \
        friend Result function(Arguments... arguments)                                                                      \
        {                                                                                                                   \
            return clgemm::test::intercepted<function##_interceptor, Result>(arguments...);                                 \
        }                                                                                                                   \
    };                                                                                                                      \
    template struct function##_interceptor<decltype(function)>;                                                             \
    [[gnu::used]] static auto* const function##_emitted = &function;

// What the library and the tests call, and what releases what they make.
INTERCEPT(clBuildProgram)
INTERCEPT(clCreateBuffer)
INTERCEPT(clCreateCommandQueue)
INTERCEPT(clCreateContext)
INTERCEPT(clCreateKernel)
INTERCEPT(clCreateProgramWithBinary)
INTERCEPT(clCreateProgramWithSource)
INTERCEPT(clCreateSubBuffer)
INTERCEPT(clCreateUserEvent)
INTERCEPT(clEnqueueCopyBuffer)
INTERCEPT(clEnqueueFillBuffer)
INTERCEPT(clEnqueueMapBuffer)
INTERCEPT(clEnqueueMarkerWithWaitList)
INTERCEPT(clEnqueueNDRangeKernel)
INTERCEPT(clEnqueueReadBuffer)
INTERCEPT(clEnqueueReadBufferRect)
INTERCEPT(clEnqueueUnmapMemObject)
INTERCEPT(clEnqueueWriteBuffer)
INTERCEPT(clEnqueueWriteBufferRect)
INTERCEPT(clFinish)
INTERCEPT(clFlush)
INTERCEPT(clGetCommandQueueInfo)
INTERCEPT(clGetContextInfo)
INTERCEPT(clGetDeviceIDs)
INTERCEPT(clGetDeviceInfo)
INTERCEPT(clGetEventInfo)
INTERCEPT(clGetKernelWorkGroupInfo)
INTERCEPT(clGetMemObjectInfo)
INTERCEPT(clGetPlatformIDs)
INTERCEPT(clGetPlatformInfo)
INTERCEPT(clGetProgramBuildInfo)
INTERCEPT(clGetProgramInfo)
INTERCEPT(clReleaseCommandQueue)
INTERCEPT(clReleaseContext)
INTERCEPT(clReleaseDevice)
INTERCEPT(clReleaseEvent)
INTERCEPT(clReleaseKernel)
INTERCEPT(clReleaseMemObject)
INTERCEPT(clReleaseProgram)
INTERCEPT(clRetainCommandQueue)
INTERCEPT(clRetainContext)
INTERCEPT(clRetainDevice)
INTERCEPT(clRetainEvent)
INTERCEPT(clRetainKernel)
INTERCEPT(clRetainMemObject)
INTERCEPT(clRetainProgram)
INTERCEPT(clSetEventCallback)
INTERCEPT(clSetKernelArg)
INTERCEPT(clWaitForEvents)
