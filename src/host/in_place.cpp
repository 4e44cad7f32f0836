#include "host/in_place.hpp"

#include "engine/multiply.hpp"

#include <algorithm>
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

// OpenCL takes no pointers to const; what is const is only read.
Range range_of(const Matrix& matrix, const void* memory)
{
    return {static_cast<std::byte*>(const_cast<void*>(memory)), matrix.extent() * matrix.element_bytes()};
}

// The caller's memory as buffers. Matrices may be parts of a larger one, each between the columns of another; since OpenCL
// allows no two buffers in the same memory, ranges that overlap share one.
class HostBuffers {
public:
    HostBuffers(const cl::Context& context, std::vector<Range> ranges)
    {
        // Pointers into different objects are ordered by std::less alone.
        std::sort(ranges.begin(), ranges.end(),
                  [](const Range& x, const Range& y) { return std::less<>()(x.begin, y.begin); });
        std::vector<Range> merged;
        for (const auto& range : ranges) {
            if (merged.empty() || !std::less<>()(range.begin, merged.back().end()))
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
            if (!std::less<>()(first, range.begin) && std::less<>()(first, range.end()))
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

bool works_in_place(const Problem& problem, const DeviceProfile& device)
{
    // Three matrices that overlap take one buffer.
    const std::size_t most = device.max_allocation / 3;
    const auto fits = [&](const Matrix& matrix) { return matrix.extent() <= most / matrix.element_bytes(); };
    return device.shares_host_memory && fits(problem.a) && fits(problem.b) && fits(problem.c);
}

void multiply_in_place(Problem problem, const HostOperands& host, const cl::CommandQueue& callers, bool is_in_order,
                       DeviceState& state, const Request& request)
{
    // On an out-of-order queue of the caller's, this call's commands could not be told from the others.
    const cl::CommandQueue queue = is_in_order ? callers : cl::CommandQueue(state.context, state.device);
    std::vector<Range> ranges{range_of(problem.c, host.c)};
    if (!problem.only_scales_c()) // else a and b may be null
        for (const Memory operand : {Memory::a, Memory::b})
            ranges.push_back(range_of(problem.matrix_in(operand), host[operand]));
    const HostBuffers memory(state.context, ranges);
    Buffers buffers{.made_for_this_call = true};
    const auto place = [&](Memory which) {
        Matrix& matrix = problem.matrix_in(which);
        const auto [buffer, offset] = memory.of(host[which]);
        matrix.offset = offset / matrix.element_bytes();
        buffers[which] = buffer();
        return buffer;
    };
    if (!problem.only_scales_c()) {
        place(Memory::a);
        place(Memory::b);
    }
    const cl::Buffer of_c = place(Memory::c);
    cl::Event done;
    try {
        done = multiply(state, problem, buffers, {queue, true, {}, true}, request);
        // Mapping is how the host comes to see what a device wrote to its memory.
        const std::vector<cl::Event> first{done};
        const std::size_t size = problem.c.element_bytes(), begin = problem.c.offset;
        void* const mapped =
            queue.enqueueMapBuffer(of_c, CL_TRUE, CL_MAP_READ, begin * size, (problem.c.extent() - begin) * size, &first);
        cl::Event unmapped;
        queue.enqueueUnmapMemObject(of_c, mapped, nullptr, &unmapped);
        unmapped.wait();
    } catch (...) {
        clFinish(queue()); // a step that did start must not read the caller's memory later
        // The device's memory is the host's: where C has been computed, it is there, also if it could not be mapped.
        if (!done() || !is_computed(done))
            throw;
    }
}

} // namespace clgemm::core
