#include "host/small_product.hpp"

#include "api/multiply.hpp"
#include "host/packing.hpp"
#include "host/streaming_copy.hpp"

namespace clgemm::core {
namespace {

// Where the matrices lie in the block and in the buffer, each aligned as a buffer is. C is last, so that it need not be
// sent where it is only written.
struct Layout {
    Matrix a, b, c;
    std::size_t end = 0; // in elements
};

std::size_t elements_of(const Matrix& matrix)
{
    return matrix.rows * matrix.cols;
}

Matrix placed(const Matrix& matrix, std::size_t& end)
{
    constexpr std::size_t step = buffer_alignment / sizeof(float);
    Matrix result = packed(matrix);
    result.offset = (end + step - 1) / step * step;
    end = result.offset + elements_of(matrix);
    return result;
}

Layout layout_of(const Problem& problem)
{
    Layout result;
    result.a = placed(problem.a, result.end);
    result.b = placed(problem.b, result.end);
    result.c = placed(problem.c, result.end);
    return result;
}

// A transfer of so many elements takes as long as it takes to enqueue one.
constexpr std::size_t worth_a_command = std::size_t{64} << 10;

// Matrices and block together are larger than most cores' own caches from so many elements on.
constexpr std::size_t larger_than_caches = std::size_t{256} << 10;

} // namespace

bool fits_small_product(const Problem& problem)
{
    // Each alone first, so that their sum cannot overflow.
    const auto fits = [](const Matrix& matrix) {
        return matrix.rows <= SmallLane::elements && matrix.cols <= SmallLane::elements &&
               elements_of(matrix) <= SmallLane::elements;
    };
    return fits(problem.a) && fits(problem.b) && fits(problem.c) && layout_of(problem).end <= SmallLane::elements;
}

void multiply_small(const Problem& problem, const HostOperands& host, DeviceState& state, const Request& request)
{
    const Layout layout = layout_of(problem);
    SmallLane lane = state.small_lanes.take([&] { return SmallLane(state.context, state.device); });
    float* const block = lane.block.data();
    Copy* const copy = layout.end < larger_than_caches ? cached_copy : streaming_copy;
    const auto fill = [&](const Matrix& from, const Matrix& to) {
        pack(from, host.in(from.memory), 0, elements_of(from), block + to.offset, copy);
    };
    const auto send = [&](std::size_t first, std::size_t end) {
        lane.queue.enqueueWriteBuffer(lane.on_device, CL_FALSE, first * sizeof(float), (end - first) * sizeof(float),
                                      block + first);
    };
    const auto receive = [&](std::size_t first, std::size_t count) {
        lane.queue.enqueueReadBuffer(lane.on_device, CL_TRUE, (layout.c.offset + first) * sizeof(float),
                                     count * sizeof(float), block + layout.c.offset + first);
    };
    const std::size_t a_end = layout.a.offset + elements_of(problem.a), b_end = layout.b.offset + elements_of(problem.b);

    Problem on_device = problem;
    on_device.a = layout.a;
    on_device.b = layout.b;
    on_device.c = layout.c;
    cl_mem buffer = lane.on_device();
    try {
        fill(problem.a, layout.a);
        const bool a_goes_ahead = elements_of(problem.a) >= worth_a_command;
        if (a_goes_ahead) {
            send(0, a_end);
            lane.queue.flush();
        }
        fill(problem.b, layout.b);
        if (problem.beta != 0.0f)
            fill(problem.c, layout.c);
        send(a_goes_ahead ? layout.b.offset : 0, problem.beta != 0.0f ? layout.end : b_end);
        multiply(on_device, buffer, buffer, buffer, Launch{lane.queue, {}, false}, request);
        receive(0, elements_of(problem.c));
    } catch (...) {
        clFinish(lane.queue()); // the block must not go before the transfers do
        throw;
    }
    unpack(problem.c, block + layout.c.offset, 0, elements_of(problem.c), host.c, copy);
    state.small_lanes.keep(std::move(lane));
}

} // namespace clgemm::core
