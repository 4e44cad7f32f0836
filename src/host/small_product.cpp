#include "host/small_product.hpp"

#include "engine/multiply.hpp"
#include "host/in_groups.hpp"
#include "host/lanes.hpp"
#include "host/packing.hpp"
#include "host/streaming_copy.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>
#include <optional>

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

// Of the matrices of so many products, or of the one that all share.
std::size_t bytes_of(const Matrix& matrix, std::size_t products)
{
    return elements_of(matrix) * matrix.element_bytes() * (matrix.distance == 0 ? 1 : products);
}

// In bytes from the beginning of the block.
std::size_t begin_of(const Matrix& placed)
{
    return placed.offset * placed.element_bytes();
}

Matrix placed(const Matrix& matrix, std::size_t products, std::size_t& end)
{
    Matrix result = packed(matrix);
    result.offset = round_up(end, buffer_alignment) / matrix.element_bytes();
    end = begin_of(result) + bytes_of(matrix, products);
    return result;
}

Layout layout_of(const Problem& problem)
{
    const std::size_t products = problem.batch.count;
    Layout result;
    result.a = placed(problem.a, products, result.end);
    result.b = placed(problem.b, products, result.end);
    result.c = placed(problem.c, products, result.end);
    return result;
}

// A transfer of so many bytes takes as long as it takes to enqueue one.
constexpr std::size_t worth_a_command = std::size_t{256} << 10;

// Matrices and block together are larger than most cores' own caches from so many bytes on.
constexpr std::size_t larger_than_caches = std::size_t{1} << 20;

// Calls visit(matrix, bytes from the beginning of the block) for the matrix of each product, or the one that all share.
template <typename Visit>
void for_each_matrix(const Matrix& matrix, const Matrix& in_block, std::size_t products, const Visit& visit)
{
    Matrix each = matrix;
    for (std::size_t i = 0; i < (matrix.distance == 0 ? 1 : products); i++, each.offset += matrix.distance)
        visit(each, begin_of(in_block) + i * elements_of(matrix) * matrix.element_bytes());
}

// Products that travel together, from the caller's memory to the device and back.
class UnderWay {
public:
    UnderWay(const Problem& problem, DeviceState& state)
        : problem_(problem), layout_(layout_of(problem)), lanes_(&state.attached.get<Lanes>().small),
          lane_(lanes_->take([&] { return SmallLane(state.context, state.device); })),
          copy_(layout_.end < larger_than_caches ? cached_copy : streaming_copy)
    {
    }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    ~UnderWay()
    {
        if (lane_)
            clFinish(lane_->queue()); // the block must not go before the transfers do
    }

    // Sends the operands, and has the device multiply them.
    void start(const HostOperands& host, DeviceState& state, const Request& request)
    {
        const std::size_t products = problem_.batch.count;
        const std::size_t a_bytes = bytes_of(problem_.a, products), b_begin = begin_of(layout_.b),
                          b_end = b_begin + bytes_of(problem_.b, products);
        const bool reads_c = problem_.beta != 0.0f, a_goes_ahead = a_bytes >= worth_a_command;
        cl_mem buffer = lane_->on_device();
        fill(problem_.a, layout_.a, host);
        if (a_goes_ahead) {
            send(0, begin_of(layout_.a) + a_bytes);
            lane_->queue.flush();
        }
        fill(problem_.b, layout_.b, host);
        if (reads_c)
            fill(problem_.c, layout_.c, host);
        send(a_goes_ahead ? b_begin : 0, reads_c ? layout_.end : b_end);
        multiply(state, as_small_product(problem_), {buffer, buffer, buffer}, {lane_->queue, true}, request);
    }

    // So that the device begins while the host has something else to do.
    void flush() const { lane_->queue.flush(); }

    void receive()
    {
        lane_->queue.enqueueReadBuffer(lane_->on_device, CL_TRUE, begin_of(layout_.c),
                                       bytes_of(problem_.c, problem_.batch.count),
                                       lane_->block.data() + begin_of(layout_.c));
    }

    // Writes what was received to the caller's memory, which nothing can prevent any more.
    void finish(const HostOperands& host) noexcept
    {
        for_each_matrix(problem_.c, layout_.c, problem_.batch.count, [&](const Matrix& matrix, std::size_t begin) {
            unpack(matrix, lane_->block.data() + begin, 0, elements_of(matrix), host.c, copy_);
        });
        lanes_->keep(std::move(*lane_));
        lane_.reset();
    }

private:
    void fill(const Matrix& from, const Matrix& in_block, const HostOperands& host)
    {
        for_each_matrix(from, in_block, problem_.batch.count, [&](const Matrix& matrix, std::size_t begin) {
            pack(matrix, host[matrix.memory], 0, elements_of(matrix), lane_->block.data() + begin, copy_);
        });
    }
    void send(std::size_t first, std::size_t end)
    {
        lane_->queue.enqueueWriteBuffer(lane_->on_device, CL_FALSE, first, end - first, lane_->block.data() + first);
    }

    const Problem problem_;
    const Layout layout_;
    Idle<SmallLane>* const lanes_;
    std::optional<SmallLane> lane_;
    Copy* const copy_;
};

} // namespace

bool fits_small_product(const Problem& problem)
{
    // Each alone first, so that their sum cannot overflow.
    const auto fits = [](const Matrix& matrix) {
        return matrix.rows <= SmallLane::bytes && matrix.cols <= SmallLane::bytes && bytes_of(matrix, 1) <= SmallLane::bytes;
    };
    return fits(problem.a) && fits(problem.b) && fits(problem.c) &&
           layout_of(product_of(problem, 0)).end <= SmallLane::bytes;
}

std::size_t products_in_a_block(const Problem& problem)
{
    std::size_t of_each = 0, of_all = 3 * buffer_alignment; // each of the three begins at a multiple of that
    for (const Matrix* matrix : {&problem.a, &problem.b, &problem.c})
        (matrix->distance == 0 ? of_all : of_each) += bytes_of(*matrix, 1);
    if (of_each == 0 || of_all > SmallLane::bytes)
        return 1;
    return std::clamp<std::size_t>((SmallLane::bytes - of_all) / of_each, 1, problem.batch.count);
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
    const std::size_t count = problem.batch.count, group = products_in_a_block(problem);
    Request for_group = request;
    if (group < count)
        for_group.workspace = nullptr; // it is for all products in one piece
    std::optional<UnderWay> under_way[2];
    std::size_t started = 0, finished = 0;
    const auto finish_one = [&] {
        std::optional<UnderWay>& first = under_way[finished % 2];
        first->receive();
        first->finish(host);
        first.reset();
        finished++;
    };
    try {
        for (std::size_t begin = 0; begin < count; begin += group) {
            if (started - finished == 2)
                finish_one();
            UnderWay& now =
                under_way[started % 2].emplace(products_of(problem, begin, std::min(group, count - begin)), state);
            started++;
            now.start(host, state, for_group);
            if (group < count)
                now.flush();
        }
        while (finished < started)
            finish_one();
    } catch (const std::exception& failure) {
        if (finished > 0)
            fail_incomplete(failure);
        throw;
    }
}

} // namespace clgemm::core
