#include "host/small_product.hpp"

#include "engine/multiply.hpp"
#include "host/lanes.hpp"
#include "host/packing.hpp"
#include "host/streaming_copy.hpp"
#include "support/whole_numbers.hpp"

namespace clgemm::core {
namespace {

// Where the matrices lie in the block and in the buffer, each aligned as a buffer is. C is last, so that it need not be
// sent where it is only written.
struct Layout {
    Matrix a, b, c;
    std::size_t end = 0; // in bytes
};

std::size_t elements_of(const Matrix& matrix)
{
    return matrix.rows * matrix.cols;
}

std::size_t bytes_of(const Matrix& matrix)
{
    return elements_of(matrix) * matrix.element_bytes();
}

// In bytes from the beginning of the block.
std::size_t begin_of(const Matrix& placed)
{
    return placed.offset * placed.element_bytes();
}

Matrix placed(const Matrix& matrix, std::size_t& end)
{
    Matrix result = packed(matrix);
    result.offset = round_up(end, buffer_alignment) / matrix.element_bytes();
    end = begin_of(result) + bytes_of(matrix);
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

// A transfer of so many bytes takes as long as it takes to enqueue one.
constexpr std::size_t worth_a_command = std::size_t{256} << 10;

// Matrices and block together are larger than most cores' own caches from so many bytes on.
constexpr std::size_t larger_than_caches = std::size_t{1} << 20;

} // namespace

bool fits_small_product(const Problem& problem)
{
    // Each alone first, so that their sum cannot overflow.
    const auto fits = [](const Matrix& matrix) {
        return matrix.rows <= SmallLane::bytes && matrix.cols <= SmallLane::bytes && bytes_of(matrix) <= SmallLane::bytes;
    };
    return fits(problem.a) && fits(problem.b) && fits(problem.c) && layout_of(problem).end <= SmallLane::bytes;
}

Problem as_small_product(const Problem& problem)
{
    const Layout layout = layout_of(problem);
    Problem result = problem;
    result.a = layout.a;
    result.b = layout.b;
    result.c = layout.c;
    return result;
}

void multiply_small(const Problem& problem, const HostOperands& host, DeviceState& state, const Request& request)
{
    const Layout layout = layout_of(problem);
    auto& lanes = state.attached.get<Lanes>().small;
    SmallLane lane = lanes.take([&] { return SmallLane(state.context, state.device); });
    std::byte* const block = lane.block.data();
    Copy* const copy = layout.end < larger_than_caches ? cached_copy : streaming_copy;
    const auto fill = [&](const Matrix& from, const Matrix& to) {
        pack(from, host[from.memory], 0, elements_of(from), block + begin_of(to), copy);
    };
    const auto send = [&](std::size_t first, std::size_t end) {
        lane.queue.enqueueWriteBuffer(lane.on_device, CL_FALSE, first, end - first, block + first);
    };
    const std::size_t b_begin = begin_of(layout.b), b_end = b_begin + bytes_of(problem.b), c_begin = begin_of(layout.c);

    cl_mem buffer = lane.on_device();
    try {
        fill(problem.a, layout.a);
        const bool a_goes_ahead = bytes_of(problem.a) >= worth_a_command;
        if (a_goes_ahead) {
            send(0, begin_of(layout.a) + bytes_of(problem.a));
            lane.queue.flush();
        }
        fill(problem.b, layout.b);
        if (problem.beta != 0.0f)
            fill(problem.c, layout.c);
        send(a_goes_ahead ? b_begin : 0, problem.beta != 0.0f ? layout.end : b_end);
        multiply(state, as_small_product(problem), {buffer, buffer, buffer}, {lane.queue, true}, request);
        lane.queue.enqueueReadBuffer(lane.on_device, CL_TRUE, c_begin, bytes_of(problem.c), block + c_begin);
    } catch (...) {
        clFinish(lane.queue()); // the block must not go before the transfers do
        throw;
    }
    unpack(problem.c, block + c_begin, 0, elements_of(problem.c), host.c, copy);
    lanes.keep(std::move(lane));
}

} // namespace clgemm::core
