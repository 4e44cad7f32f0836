#include "host/in_place.hpp"

#include "engine/multiply.hpp"
#include "host/incomplete.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

namespace clgemm::core {
namespace {

// Memory of the caller's from its first element to behind its last one.
struct Range {
    std::byte* begin;
    std::size_t bytes;
    std::byte* end() const { return begin + bytes; }
};

std::size_t elements_of(const Matrix& matrix, std::size_t products)
{
    return matrix.extent(products) - matrix.offset;
}

// OpenCL takes no pointers to const; what is const is only read.
Range range_of(const Matrix& matrix, std::size_t products, const void* memory)
{
    return {static_cast<std::byte*>(const_cast<void*>(memory)) + matrix.offset * matrix.element_bytes(),
            elements_of(matrix, products) * matrix.element_bytes()};
}

// The matrices that are looked at in the caller's memory. (The others need not have any there.)
std::vector<Memory> in_callers_memory(const Problem& problem, const PreparedOperands& kept)
{
    std::vector<Memory> result{Memory::c};
    for (const Memory operand : {Memory::a, Memory::b})
        if (!problem.only_scales_c() && !kept[operand])
            result.push_back(operand);
    return result;
}

std::vector<Range> ranges_of(const Problem& problem, const HostOperands& host, const std::vector<Memory>& matrices)
{
    std::vector<Range> result;
    result.reserve(matrices.size());
    for (const Memory which : matrices)
        result.push_back(range_of(problem.matrix_in(which), problem.batch.count, host[which]));
    return result;
}

// Pointers into different objects are ordered by std::less alone.
bool is_before(const std::byte* x, const std::byte* y)
{
    return std::less<>()(x, y);
}

// How many of `products` such matrices, one for each product, lie within so many elements.
std::size_t products_within(std::size_t most_elements, const Matrix& matrix, std::size_t products)
{
    if (matrix.rows == 0 || matrix.cols == 0)
        return products;
    const std::size_t one = elements_of(matrix, 1);
    if (one > most_elements)
        return 0;
    return matrix.distance == 0 ? products : std::min(products, (most_elements - one) / matrix.distance + 1);
}

// The caller's memory as buffers. Matrices may be parts of a larger one, each between the columns of another; since OpenCL
// allows no two buffers in the same memory, ranges that overlap share one. (In it they are whole elements apart, since each
// begins at a multiple of their size.)
class HostBuffers {
public:
    HostBuffers(const cl::Context& context, std::vector<Range> ranges)
    {
        std::sort(ranges.begin(), ranges.end(), [](const Range& x, const Range& y) { return is_before(x.begin, y.begin); });
        std::vector<Range> merged;
        for (const auto& range : ranges) {
            if (merged.empty() || !is_before(range.begin, merged.back().end()))
                merged.push_back(range);
            else
                merged.back().bytes =
                    std::max(merged.back().bytes, static_cast<std::size_t>(range.end() - merged.back().begin));
        }
        for (const auto& range : merged)
            shared_.push_back(
                {range, cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, range.bytes, range.begin)});
    }

    struct Place {
        cl::Buffer buffer;
        std::size_t offset = 0; // in bytes
    };

    Place of(const void* memory) const
    {
        const auto* const first = static_cast<const std::byte*>(memory);
        for (const auto& [range, buffer] : shared_)
            if (!is_before(first, range.begin) && is_before(first, range.end()))
                return {buffer, static_cast<std::size_t>(first - range.begin)};
        return {};
    }

private:
    struct Shared {
        Range range;
        cl::Buffer buffer;
    };
    std::vector<Shared> shared_;
};

bool is_computed(const cl::Event& event)
{
    cl_int status = CL_QUEUED;
    clGetEventInfo(event(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    return status == CL_COMPLETE;
}

} // namespace

std::size_t products_in_place(const Problem& problem, const DeviceProfile& device, const PreparedOperands& kept)
{
    if (!device.shares_host_memory)
        return 0;
    // A driver may keep a copy of the caller's memory, and write all of it back, gaps included: what another thread has
    // written there meanwhile would be lost. Drivers for CPUs keep none.
    if (device.type != DeviceType::cpu && !problem.c.lies_without_gaps())
        return 0;
    // Three matrices that overlap take one buffer.
    const std::size_t most = device.max_allocation / 3;
    std::size_t result = problem.batch.count;
    for (const Matrix* matrix : {&problem.a, &problem.b, &problem.c})
        if (!kept[matrix->memory])
            result = products_within(most / matrix->element_bytes(), *matrix, result);
    return result;
}

bool lie_at_whole_elements(const Problem& problem, const HostOperands& host, const PreparedOperands& kept)
{
    const std::vector<Memory> matrices = in_callers_memory(problem, kept);
    return std::all_of(matrices.begin(), matrices.end(), [&](Memory which) {
        return reinterpret_cast<std::uintptr_t>(host[which]) % problem.matrix_in(which).element_bytes() == 0;
    });
}

void multiply_in_place(Problem problem, const HostOperands& host, const cl::CommandQueue& callers, bool is_in_order,
                       DeviceState& state, const Request& request, const PreparedOperands& kept)
{
    // On an out-of-order queue of the caller's, this call's commands could not be told from the others.
    const cl::CommandQueue queue = is_in_order ? callers : cl::CommandQueue(state.context, state.device);
    const std::vector<Memory> matrices = in_callers_memory(problem, kept);
    const std::vector<Range> ranges = ranges_of(problem, host, matrices);
    const HostBuffers memory(state.context, ranges);
    bool c_is_touched = false;
    Buffers buffers{.made_for_this_call = true, .c_is_touched = &c_is_touched};
    for (std::size_t i = 0; i < matrices.size(); i++) {
        Matrix& matrix = problem.matrix_in(matrices[i]);
        const auto [buffer, offset] = memory.of(ranges[i].begin);
        matrix.offset = offset / matrix.element_bytes();
        buffers[matrices[i]] = buffer();
    }
    const cl::Buffer of_c(buffers.c, true);
    cl::Event done;
    try {
        done = multiply(state, problem, buffers, {queue, true, {}, true}, request, kept);
        // Mapping is how the host comes to see what a device wrote to its memory. The host waits once, at the end: each time
        // it waits, one of the driver's threads must wake it up.
        const std::size_t size = problem.c.element_bytes();
        cl::Event mapping, unmapped; // PoCL 3.1 may abort where a command fails whose event nobody holds
        void* const mapped = queue.enqueueMapBuffer(of_c, CL_FALSE, CL_MAP_READ, problem.c.offset * size,
                                                    elements_of(problem.c, problem.batch.count) * size, nullptr, &mapping);
        queue.enqueueUnmapMemObject(of_c, mapped, nullptr, &unmapped);
        unmapped.wait();
        done.wait(); // it has ended: this throws if it failed
    } catch (const std::exception& failure) {
        clFinish(queue()); // a step that did start must not read the caller's memory later
        // A CPU's memory is the host's: where C has been computed, it is in place, even if it could not be mapped.
        if (state.profile().type == DeviceType::cpu && done() && is_computed(done))
            return;
        // Where it was an earlier command of the caller's queue that failed, no step has run, but OpenCL does not tell.
        if (c_is_touched)
            throw_incomplete("C may have been computed in part when the device failed: ", failure);
        throw;
    }
}

} // namespace clgemm::core
