// OpenCL's C++ bindings, as the whole library uses them: owning handles, and failures as cl::Error; and how to use what
// the caller owns.
#pragma once

// Programs that look inside the library may have included clgemm.hpp before, which brings the bindings with the same
// versions.
#ifndef CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_ENABLE_EXCEPTIONS
#endif
#ifndef CL_HPP_TARGET_OPENCL_VERSION
#define CL_HPP_TARGET_OPENCL_VERSION 120
#endif
#ifndef CL_HPP_MINIMUM_OPENCL_VERSION
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#endif
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/opencl.hpp>

namespace clgemm::core {

// What an object tells of itself. Handles are returned without being owned: owning them, as the bindings' getInfo() does,
// costs the host time in each call.
template <typename T> T info(cl_command_queue queue, cl_command_queue_info what)
{
    T result{};
    // NOLINTNEXTLINE(bugprone-sizeof-expression): where T is a handle, its own size is meant
    const cl_int status = clGetCommandQueueInfo(queue, what, sizeof(T), &result, nullptr);
    cl::detail::errHandler(status, "clGetCommandQueueInfo");
    return result;
}

template <typename T> T info(cl_mem memory, cl_mem_info what)
{
    T result{};
    // NOLINTNEXTLINE(bugprone-sizeof-expression): where T is a handle, its own size is meant
    const cl_int status = clGetMemObjectInfo(memory, what, sizeof(T), &result, nullptr);
    cl::detail::errHandler(status, "clGetMemObjectInfo");
    return result;
}

// A queue of the caller's for the bindings' functions, which is not owned: releasing a queue flushes it, which takes
// NVIDIA's driver more than a microsecond.
class BorrowedQueue {
public:
    explicit BorrowedQueue(cl_command_queue queue) : queue_(queue, false) {}
    BorrowedQueue(const BorrowedQueue&) = delete;
    BorrowedQueue& operator=(const BorrowedQueue&) = delete;
    ~BorrowedQueue() { queue_() = nullptr; }
    operator const cl::CommandQueue&() const { return queue_; }

private:
    cl::CommandQueue queue_;
};

} // namespace clgemm::core
