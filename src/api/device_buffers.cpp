#include "api/device_buffers.hpp"

#include "support/error.hpp"

#include <cstdint>

namespace clgemm::core {
namespace {

struct Named {
    const char* name;
    clgemm_status invalid, too_small, wrong_context;
};

constexpr Named named_a{"A", CLGEMM_INVALID_A, CLGEMM_A_TOO_SMALL, CLGEMM_WRONG_CONTEXT_A};
constexpr Named named_b{"B", CLGEMM_INVALID_B, CLGEMM_B_TOO_SMALL, CLGEMM_WRONG_CONTEXT_B};
constexpr Named named_c{"C", CLGEMM_INVALID_C, CLGEMM_C_TOO_SMALL, CLGEMM_WRONG_CONTEXT_C};
constexpr Named named_workspace{"options->workspace", CLGEMM_INVALID_WORKSPACE, CLGEMM_WORKSPACE_TOO_SMALL,
                                CLGEMM_INVALID_WORKSPACE};

// Returns the buffer's flags.
cl_mem_flags check_buffer(cl_mem buffer, const Named& named, std::size_t bytes_needed, cl_mem_flags forbidden,
                          cl_context context)
{
    const std::string name = named.name;
    if (!buffer)
        throw Error(named.invalid, name + " is null");
    cl_mem_object_type type = 0;
    try {
        type = info<cl_mem_object_type>(buffer, CL_MEM_TYPE);
    } catch (const cl::Error&) {
        throw Error(named.invalid, name + " is no OpenCL memory object");
    }
    if (type != CL_MEM_OBJECT_BUFFER)
        throw Error(named.invalid, name + " is an image or another object, but must be a buffer");
    if (info<cl_context>(buffer, CL_MEM_CONTEXT) != context)
        throw Error(named.wrong_context, name + " belongs to another context than the queue");
    const auto flags = info<cl_mem_flags>(buffer, CL_MEM_FLAGS);
    if (flags & forbidden & CL_MEM_WRITE_ONLY)
        throw Error(named.invalid, name + " is write-only, but must be read");
    if (flags & forbidden & CL_MEM_READ_ONLY)
        throw Error(named.invalid, name + " is read-only, but must be written");
    const auto bytes = info<std::size_t>(buffer, CL_MEM_SIZE);
    if (bytes < bytes_needed)
        throw Error(named.too_small,
                    name + " has " + std::to_string(bytes) + " bytes, but the call needs " + std::to_string(bytes_needed));
    return flags;
}

// How many bytes the buffer's address is known to be a multiple of, as a power of 2. (Floats at other addresses than their
// own multiples are the caller's affair: OpenCL does not have them.)
std::size_t alignment_of(cl_mem buffer, cl_mem_flags flags)
{
    std::size_t result = buffer_alignment;
    // OpenCL aligns its own allocations for every vector type, but takes host pointers as they come.
    if (flags & CL_MEM_USE_HOST_PTR) {
        const auto address = reinterpret_cast<std::uintptr_t>(info<void*>(buffer, CL_MEM_HOST_PTR));
        while (address % result != 0 && result > sizeof(float))
            result /= 2;
    }
    return result;
}

void check_matrix(Matrix& matrix, cl_mem buffer, const Named& named, cl_mem_flags forbidden, cl_context context)
{
    const cl_mem_flags flags = check_buffer(buffer, named, matrix.extent() * sizeof(float), forbidden, context);
    matrix.alignment = alignment_of(buffer, flags);
}

} // namespace

cl_context context_of(cl_command_queue queue)
{
    if (!queue)
        throw Error(CLGEMM_INVALID_QUEUE, "queue is null");
    try {
        return info<cl_context>(queue, CL_QUEUE_CONTEXT);
    } catch (const cl::Error&) {
        throw Error(CLGEMM_INVALID_QUEUE, "queue is no OpenCL command queue");
    }
}

std::vector<cl::Event> checked_wait_list(cl_uint count, const cl_event* list, cl_context context)
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
            if (events.back().getInfo<CL_EVENT_CONTEXT>()() == context)
                continue;
        } catch (const cl::Error&) {
            throw Error(CLGEMM_INVALID_WAIT_LIST, name + " is no OpenCL event");
        }
        throw Error(CLGEMM_INVALID_WAIT_LIST, name + " belongs to another context than the queue");
    }
    return events;
}

void check_buffers(Problem& problem, cl_mem a, cl_mem b, cl_mem c, cl_context context)
{
    if (problem.touches_nothing())
        return;
    if (!problem.only_scales_c()) {
        check_matrix(problem.in(Memory::a), a, named_a, CL_MEM_WRITE_ONLY, context);
        check_matrix(problem.in(Memory::b), b, named_b, CL_MEM_WRITE_ONLY, context);
    }
    check_matrix(problem.c, c, named_c, CL_MEM_READ_ONLY | (problem.beta != 0.0f ? CL_MEM_WRITE_ONLY : 0), context);
}

void check_workspace(cl_mem workspace, std::size_t bytes_needed, cl_context context)
{
    const cl_mem_flags flags =
        check_buffer(workspace, named_workspace, bytes_needed, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, context);
    if (alignment_of(workspace, flags) < buffer_alignment)
        throw Error(named_workspace.invalid, std::string(named_workspace.name) +
                                                 " is in memory of the host's that does not " + "begin at a multiple of " +
                                                 std::to_string(buffer_alignment) + " bytes");
}

} // namespace clgemm::core
