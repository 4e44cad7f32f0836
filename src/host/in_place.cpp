#include "host/in_place.hpp"

#include "api/multiply.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace clgemm::core {
namespace {

// Memory of the caller's from its first element to behind its last one.
struct Range {
    float* begin;
    std::size_t elements;
    float* end() const { return begin + elements; }
};

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
                merged.back().elements =
                    std::max(merged.back().elements, static_cast<std::size_t>(range.end() - merged.back().begin));
        }
        for (const auto& range : merged)
            shared_.push_back({range, cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                                 range.elements * sizeof(float), range.begin)});
    }

    struct Place {
        cl::Buffer buffer;
        std::size_t offset = 0; // in elements
    };

    Place of(const float* matrix) const
    {
        for (const auto& [range, buffer] : shared_)
            if (!std::less<>()(matrix, range.begin) && std::less<>()(matrix, range.end()))
                return {buffer, static_cast<std::size_t>(matrix - range.begin)};
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
    const std::size_t most = device.max_allocation / sizeof(float) / 3;
    return device.shares_host_memory && problem.a.extent() <= most && problem.b.extent() <= most &&
           problem.c.extent() <= most;
}

void multiply_in_place(Problem problem, const HostOperands& host, const cl::CommandQueue& callers, DeviceState& state,
                       const Request& request)
{
    // On an out-of-order queue of the caller's, this call's commands could not be told from the others.
    const cl::CommandQueue queue = is_in_order(callers) ? callers : cl::CommandQueue(state.context, state.device);
    std::vector<Range> ranges{{host.c, problem.c.extent()}};
    if (!problem.only_scales_c()) { // else a and b may be null; OpenCL takes no pointers to const, but they are only read
        ranges.push_back({const_cast<float*>(host.a), problem.in(Memory::a).extent()});
        ranges.push_back({const_cast<float*>(host.b), problem.in(Memory::b).extent()});
    }
    const HostBuffers buffers(queue.getInfo<CL_QUEUE_CONTEXT>(), ranges);
    const auto of_c = buffers.of(host.c);
    const auto of_a = problem.only_scales_c() ? HostBuffers::Place{} : buffers.of(host.a);
    const auto of_b = problem.only_scales_c() ? HostBuffers::Place{} : buffers.of(host.b);

    problem.in(Memory::a).offset = of_a.offset;
    problem.in(Memory::b).offset = of_b.offset;
    problem.c.offset = of_c.offset;
    cl::Event done;
    try {
        done = multiply(problem, of_a.buffer(), of_b.buffer(), of_c.buffer(), Launch{queue, {}, true}, request);
        // Mapping is how the host comes to see what a device wrote to its memory.
        const std::vector<cl::Event> first{done};
        const std::size_t begin = of_c.offset * sizeof(float), bytes = (problem.c.extent() - of_c.offset) * sizeof(float);
        void* const mapped = queue.enqueueMapBuffer(of_c.buffer, CL_TRUE, CL_MAP_READ, begin, bytes, &first);
        cl::Event unmapped;
        queue.enqueueUnmapMemObject(of_c.buffer, mapped, nullptr, &unmapped);
        unmapped.wait();
    } catch (...) {
        clFinish(queue()); // a step that did start must not read the caller's memory later
        // The device's memory is the host's: where C has been computed, it is there, also if it could not be mapped.
        if (!done() || !is_computed(done))
            throw;
    }
}

} // namespace clgemm::core
