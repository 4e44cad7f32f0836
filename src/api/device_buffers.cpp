#include "api/device_buffers.hpp"

#include "support/error.hpp"

#include <cstdint>

namespace clgemm::core {
namespace {

struct Named {
    std::string name;
    clgemm_status invalid, too_small, wrong_context;
};
const Named named_a{"A", CLGEMM_INVALID_A, CLGEMM_A_TOO_SMALL, CLGEMM_WRONG_CONTEXT_A};
const Named named_b{"B", CLGEMM_INVALID_B, CLGEMM_B_TOO_SMALL, CLGEMM_WRONG_CONTEXT_B};
const Named named_c{"C", CLGEMM_INVALID_C, CLGEMM_C_TOO_SMALL, CLGEMM_WRONG_CONTEXT_C};
const Named named_workspace{"options->workspace", CLGEMM_INVALID_WORKSPACE, CLGEMM_WORKSPACE_TOO_SMALL,
                            CLGEMM_INVALID_WORKSPACE};

cl::Buffer checked_buffer(cl_mem handle, const Named& named, std::size_t bytes_needed, cl_mem_flags forbidden,
                          const cl::Context& context)
{
    if (!handle)
        throw Error(named.invalid, named.name + " is null");
    cl::Buffer buffer(handle, true);
    cl_mem_object_type type = 0;
    try {
        type = buffer.getInfo<CL_MEM_TYPE>();
    } catch (const cl::Error&) {
        throw Error(named.invalid, named.name + " is no OpenCL memory object");
    }
    if (type != CL_MEM_OBJECT_BUFFER)
        throw Error(named.invalid, named.name + " is an image or another object, but must be a buffer");
    if (buffer.getInfo<CL_MEM_CONTEXT>()() != context())
        throw Error(named.wrong_context, named.name + " belongs to another context than the queue");
    const cl_mem_flags flags = buffer.getInfo<CL_MEM_FLAGS>();
    if (flags & forbidden & CL_MEM_WRITE_ONLY)
        throw Error(named.invalid, named.name + " is write-only, but must be read");
    if (flags & forbidden & CL_MEM_READ_ONLY)
        throw Error(named.invalid, named.name + " is read-only, but must be written");
    const std::size_t bytes = buffer.getInfo<CL_MEM_SIZE>();
    if (bytes < bytes_needed)
        throw Error(named.too_small, named.name + " has " + std::to_string(bytes) + " bytes, but the call needs " +
                                         std::to_string(bytes_needed));
    return buffer;
}

cl::Buffer checked_matrix(Matrix& matrix, cl_mem handle, const Named& named, cl_mem_flags forbidden,
                          const cl::Context& context)
{
    cl::Buffer buffer = checked_buffer(handle, named, matrix.extent() * sizeof(float), forbidden, context);
    // OpenCL aligns its own allocations for every vector type, but takes host pointers as they come.
    if (buffer.getInfo<CL_MEM_FLAGS>() & CL_MEM_USE_HOST_PTR) {
        const auto address = reinterpret_cast<std::uintptr_t>(buffer.getInfo<CL_MEM_HOST_PTR>());
        while (address % matrix.base_alignment != 0)
            matrix.base_alignment /= 2;
    }
    return buffer;
}

} // namespace

cl::CommandQueue checked_queue(cl_command_queue queue)
{
    if (!queue)
        throw Error(CLGEMM_INVALID_QUEUE, "queue is null");
    try {
        cl::CommandQueue result(queue, true);
        result.getInfo<CL_QUEUE_CONTEXT>();
        return result;
    } catch (const cl::Error&) {
        throw Error(CLGEMM_INVALID_QUEUE, "queue is no OpenCL command queue");
    }
}

std::vector<cl::Event> checked_wait_list(cl_uint count, const cl_event* list, const cl::Context& context)
{
    if ((count == 0) != (list == nullptr))
        throw Error(CLGEMM_INVALID_WAIT_LIST, list ? "numWait is 0, but waitList is not null"
                                                   : "numWait is " + std::to_string(count) + ", but waitList is null");
    std::vector<cl::Event> events;
    for (cl_uint i = 0; i < count; i++) {
        const std::string name = "waitList[" + std::to_string(i) + "]";
        if (!list[i])
            throw Error(CLGEMM_INVALID_WAIT_LIST, name + " is null");
        try {
            events.emplace_back(list[i], true);
            if (events.back().getInfo<CL_EVENT_CONTEXT>()() == context())
                continue;
        } catch (const cl::Error&) {
            throw Error(CLGEMM_INVALID_WAIT_LIST, name + " is no OpenCL event");
        }
        throw Error(CLGEMM_INVALID_WAIT_LIST, name + " belongs to another context than the queue");
    }
    return events;
}

Buffers checked_buffers(Problem& problem, cl_mem a, cl_mem b, cl_mem c, const cl::Context& context)
{
    Buffers buffers;
    if (problem.touches_nothing())
        return buffers;
    if (!problem.only_scales_c()) {
        // In the caller's order, so that the first wrong argument is the one that is named.
        cl::Buffer of_a = checked_matrix(problem.swapped ? problem.b : problem.a, a, named_a, CL_MEM_WRITE_ONLY, context);
        cl::Buffer of_b = checked_matrix(problem.swapped ? problem.a : problem.b, b, named_b, CL_MEM_WRITE_ONLY, context);
        buffers.a = problem.swapped ? of_b : of_a;
        buffers.b = problem.swapped ? of_a : of_b;
    }
    const cl_mem_flags forbidden = CL_MEM_READ_ONLY | (problem.beta != 0.0f ? CL_MEM_WRITE_ONLY : 0);
    buffers.c = checked_matrix(problem.c, c, named_c, forbidden, context);
    return buffers;
}

cl::Buffer checked_workspace(const Request& request, std::size_t bytes_needed, const cl::Context& context)
{
    if (!request.workspace || bytes_needed == 0)
        return {};
    return checked_buffer(request.workspace, named_workspace, bytes_needed, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, context);
}

} // namespace clgemm::core
