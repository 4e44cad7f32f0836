#include "engine/device_buffers.hpp"

#include "engine/known_buffers.hpp"
#include "problem/shared_elements.hpp"
#include "support/error.hpp"
#include "support/whole_numbers.hpp"

#include "kernels/arguments.h"

#include <cstdint>
#include <limits>

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
constexpr Named named_list{"products", CLGEMM_INVALID_PRODUCTS, CLGEMM_PRODUCTS_TOO_SMALL, CLGEMM_WRONG_CONTEXT_PRODUCTS};

BufferFacts check_buffer(cl_mem buffer, const Named& named, std::size_t bytes_needed, cl_mem_flags forbidden,
                         cl_context context, bool remember)
{
    if (!buffer)
        throw Error(named.invalid, std::string(named.name) + " is null");
    BufferFacts facts;
    try {
        facts = facts_of(buffer, remember);
    } catch (const cl::Error&) {
        throw Error(named.invalid, std::string(named.name) + " is no OpenCL memory object");
    }
    if (facts.type != CL_MEM_OBJECT_BUFFER)
        throw Error(named.invalid, std::string(named.name) + " is an image or another object, but must be a buffer");
    if (facts.context != context)
        throw Error(named.wrong_context, std::string(named.name) + " belongs to another context than the queue");
    if (facts.flags & forbidden & CL_MEM_WRITE_ONLY)
        throw Error(named.invalid, std::string(named.name) + " is write-only, but must be read");
    if (facts.flags & forbidden & CL_MEM_READ_ONLY)
        throw Error(named.invalid, std::string(named.name) + " is read-only, but must be written");
    if (facts.bytes < bytes_needed)
        throw Error(named.too_small, std::string(named.name) + " has " + std::to_string(facts.bytes) +
                                         " bytes, but the call needs " + std::to_string(bytes_needed));
    return facts;
}

// How many bytes the buffer's address is known to be a multiple of, as a power of 2. (Elements at other addresses than their
// own multiples are the caller's affair: OpenCL does not have them.)
std::size_t alignment_of(const BufferFacts& buffer, std::size_t element_bytes)
{
    std::size_t result = buffer_alignment;
    // OpenCL aligns its own allocations for every vector type, but takes host pointers as they come.
    if (buffer.flags & CL_MEM_USE_HOST_PTR) {
        const auto address = reinterpret_cast<std::uintptr_t>(buffer.host_pointer);
        while (address % result != 0 && result > element_bytes)
            result /= 2;
    }
    return result;
}

void check_matrix(Problem& problem, Matrix& matrix, const Buffers& buffers, const Named& named, cl_mem_flags forbidden,
                  const DeviceState& state)
{
    const std::size_t bytes = matrix.extent(problem.batch.strided()) * matrix.element_bytes();
    const bool remember = state.tells_when_buffers_go && !buffers.made_for_this_call;
    const BufferFacts facts = check_buffer(buffers[matrix.memory], named, bytes, forbidden, state.context(), remember);
    matrix.alignment = alignment_of(facts, matrix.element_bytes());
}

void check_list(const Batch& batch, cl_mem list, const DeviceState& state)
{
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    const std::size_t products = batch.first > most - batch.count ? most : batch.first + batch.count;
    check_buffer(list, named_list, saturating_product(products, sizeof(kernel_arguments::Product)), CL_MEM_WRITE_ONLY,
                 state.context(), state.tells_when_buffers_go);
}

} // namespace

std::span<const cl_event> checked_wait_list(cl_uint count, const cl_event* list, cl_context context)
{
    if ((count == 0) != (list == nullptr))
        throw Error(CLGEMM_INVALID_WAIT_LIST, list ? "numWait is 0, but waitList is not null"
                                                   : "numWait is " + std::to_string(count) + ", but waitList is null");
    const std::span<const cl_event> events(list, count);
    for (std::size_t i = 0; i < events.size(); i++) {
        const auto refuse = [&](const char* why) {
            throw Error(CLGEMM_INVALID_WAIT_LIST, "waitList[" + std::to_string(i) + "] " + why);
        };
        if (!events[i])
            refuse("is null");
        cl_context its_context = nullptr;
        if (clGetEventInfo(events[i], CL_EVENT_CONTEXT, sizeof(cl_context), &its_context, nullptr) != CL_SUCCESS)
            refuse("is no OpenCL event");
        if (its_context != context)
            refuse("belongs to another context than the queue");
    }
    return events;
}

void check_operand(Problem& problem, Memory operand, const Buffers& buffers, const DeviceState& state)
{
    check_matrix(problem, problem.matrix_in(operand), buffers, operand == Memory::a ? named_a : named_b, CL_MEM_WRITE_ONLY,
                 state);
}

void check_buffers(Problem& problem, const Buffers& buffers, const DeviceState& state)
{
    if (!problem.only_scales_c()) {
        check_operand(problem, Memory::a, buffers, state);
        check_operand(problem, Memory::b, buffers, state);
    }
    check_matrix(problem, problem.c, buffers, named_c, CL_MEM_READ_ONLY | (problem.beta != 0.0f ? CL_MEM_WRITE_ONLY : 0),
                 state);
    if (problem.batch.listed)
        check_list(problem.batch, buffers.list, state);
}

void check_c_is_apart(const Problem& problem, const Buffers& buffers)
{
    for (const Matrix* const operand : {&problem.a, &problem.b})
        if (buffers[operand->memory] == buffers.c && shares_elements_with_c(problem, *operand))
            throw Error(CLGEMM_OVERLAPPING_C, std::string("C shares elements with ") +
                                                  (operand->memory == Memory::a ? "A" : "B") +
                                                  ", which lies in the same buffer");
}

void check_workspace_is_apart(cl_mem workspace, const Problem& problem, const Buffers& buffers)
{
    const auto check = [&](Memory which, const Named& named) {
        if (share_memory(workspace, buffers[which]))
            throw Error(named_workspace.invalid, std::string(named_workspace.name) + " shares memory with " + named.name +
                                                     ", but must have its memory alone");
    };
    try {
        check(Memory::c, named_c);
        if (problem.batch.listed)
            check(Memory::list, named_list);
        if (problem.only_scales_c())
            return;
        check(Memory::a, named_a);
        check(Memory::b, named_b);
    } catch (const cl::Error&) {
        throw Error(named_workspace.invalid, std::string(named_workspace.name) + " is no OpenCL memory object");
    }
}

void check_workspace(cl_mem workspace, std::size_t bytes_needed, const DeviceState& state)
{
    const BufferFacts facts = check_buffer(workspace, named_workspace, bytes_needed, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                           state.context(), state.tells_when_buffers_go);
    if (alignment_of(facts, 1) < buffer_alignment)
        throw Error(named_workspace.invalid, std::string(named_workspace.name) +
                                                 " is in memory of the host's that does not begin at a multiple of " +
                                                 std::to_string(buffer_alignment) + " bytes");
}

} // namespace clgemm::core
