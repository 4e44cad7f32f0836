#include "host/small_product.hpp"

#include "engine/multiply.hpp"
#include "host/in_groups.hpp"
#include "host/lanes.hpp"
#include "host/packing.hpp"
#include "host/streaming_copy.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

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

// The bytes of this matrix for so many products, or of the one that they share.
std::size_t bytes_of(const Matrix& matrix, std::size_t products)
{
    return elements_of(matrix) * matrix.element_bytes() * matrix.count_for(products);
}

// Where the matrix begins, in bytes from the beginning of the block.
std::size_t begin_of(const Matrix& placed)
{
    return placed.offset * placed.element_bytes();
}

Matrix placed(const Matrix& matrix, std::size_t products, const PreparedOperands& kept, std::size_t& end)
{
    Matrix result = packed(matrix);
    if (kept[matrix.memory]) // nothing of it travels
        result.rows = result.cols = 0;
    result.offset = round_up(end, buffer_alignment) / matrix.element_bytes();
    end = begin_of(result) + bytes_of(result, products);
    return result;
}

Layout layout_of(const Problem& problem, const PreparedOperands& kept)
{
    const std::size_t products = problem.batch.count;
    Layout result;
    result.a = placed(problem.a, products, kept, result.end);
    result.b = placed(problem.b, products, kept, result.end);
    result.c = placed(problem.c, products, kept, result.end);
    return result;
}

// Transferring so many bytes takes as long as enqueuing a transfer does.
constexpr std::size_t worth_a_command = std::size_t{256} << 10;

// From so many bytes on, matrices and block together are larger than most cores' own caches.
constexpr std::size_t larger_than_caches = std::size_t{1} << 20;

// Calls visit(matrix, bytes from the beginning of the block) for the matrix of each product, or the one that all share.
template <typename Visit>
void for_each_matrix(const Matrix& matrix, const Matrix& in_block, std::size_t products, const Visit& visit)
{
    Matrix each = matrix;
    for (std::size_t i = 0; i < matrix.count_for(products); i++, each.offset += matrix.distance)
        visit(each, begin_of(in_block) + i * elements_of(matrix) * matrix.element_bytes());
}

// Products that travel together, from the caller's memory to the device and back.
class UnderWay {
public:
    UnderWay(const Problem& problem, const PreparedOperands& kept, DeviceState& state)
        : problem_(problem), kept_(kept), layout_(layout_of(problem, kept)), lanes_(&state.attached.get<Lanes>().small),
          lane_(is_usual() ? lanes_->take([&] { return SmallLane(state.context, state.device); })
                           : SmallLane(state.context, state.device, layout_.end)),
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
        const std::size_t a_bytes = bytes_of(layout_.a, products), b_begin = begin_of(layout_.b),
                          b_end = b_begin + bytes_of(layout_.b, products);
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
        multiply(state, as_small_product(problem_, kept_), {buffer, buffer, buffer}, {lane_->queue, true}, request, kept_);
    }

    // Has the device begin while the host does something else.
    void flush() const { lane_->queue.flush(); }

    void receive()
    {
        lane_->queue.enqueueReadBuffer(lane_->on_device, CL_TRUE, begin_of(layout_.c),
                                       bytes_of(problem_.c, problem_.batch.count),
                                       lane_->block.data() + begin_of(layout_.c));
    }

    // Writes what was received to the caller's memory. This cannot fail any more.
    void finish(const HostOperands& host) noexcept
    {
        for_each_matrix(problem_.c, layout_.c, problem_.batch.count, [&](const Matrix& matrix, std::size_t begin) {
            unpack(matrix, lane_->block.data() + begin, 0, elements_of(matrix), host.c, copy_);
        });
        if (is_usual())
            lanes_->keep(std::move(*lane_));
        lane_.reset();
    }

private:
    bool is_usual() const { return layout_.end <= SmallLane::bytes; }

    void fill(const Matrix& from, const Matrix& in_block, const HostOperands& host)
    {
        if (kept_[from.memory])
            return;
        for_each_matrix(from, in_block, problem_.batch.count, [&](const Matrix& matrix, std::size_t begin) {
            pack(matrix, host[matrix.memory], 0, elements_of(matrix), lane_->block.data() + begin, copy_);
        });
    }
    void send(std::size_t first, std::size_t end)
    {
        if (end > first)
            lane_->queue.enqueueWriteBuffer(lane_->on_device, CL_FALSE, first, end - first, lane_->block.data() + first);
    }

    const Problem problem_;
    const PreparedOperands& kept_;
    const Layout layout_;
    Idle<SmallLane>* const lanes_;
    std::optional<SmallLane> lane_;
    Copy* const copy_;
};

// How many products of a batch travel together: as many as fit, or one where none does.
std::size_t products_in_a_block(const Problem& problem, const PreparedOperands& kept)
{
    std::size_t of_each = 0, of_all = 3 * buffer_alignment; // each of the three matrices begins at a multiple of it
    for (const Matrix* matrix : {&problem.a, &problem.b, &problem.c})
        if (!kept[matrix->memory])
            (matrix->distance == 0 ? of_all : of_each) += bytes_of(*matrix, 1);
    if (of_each == 0 || of_all > SmallLane::bytes)
        return 1;
    return std::clamp<std::size_t>((SmallLane::bytes - of_all) / of_each, 1, problem.batch.count);
}

// Calls visit(piece) for each piece of the problem that travels together: some products or, where not even one fits since
// what is kept is large, some rows or columns of one. If a single row or column does not fit, either, its block is larger.
template <typename Visit> void for_each_piece(const Problem& problem, const PreparedOperands& kept, const Visit& visit)
{
    const std::size_t count = problem.batch.count;
    if (!kept || layout_of(product_of(problem, 0), kept).end <= SmallLane::bytes) {
        const std::size_t group = products_in_a_block(problem, kept);
        for (std::size_t first = 0; first < count; first += group)
            visit(products_of(problem, first, std::min(group, count - first)));
        return;
    }
    // An operand that is kept stays whole. Where both are kept, A is cut all the same, as an operand without images: images
    // are of whole operands, and those of pieces would push them out.
    const bool cuts_rows = kept[problem.b.memory];
    const auto& [cut, lines, across] =
        cuts_rows ? std::tuple(problem.a.memory, problem.m, problem.n) : std::tuple(problem.b.memory, problem.n, problem.m);
    const std::size_t of_a_line = (kept[cut] ? 0 : problem.k) + across;
    const std::size_t room = (SmallLane::bytes - 3 * buffer_alignment) / size_of(problem.arithmetic.operands);
    const std::size_t most = std::max<std::size_t>(1, room / of_a_line);
    for (std::size_t i = 0; i < count; i++)
        for (std::size_t line = 0; line < lines; line += most) {
            const std::size_t some = std::min(most, lines - line);
            Problem product = product_of(problem, i);
            product.matrix_in(cut).prepared = false;
            visit(cuts_rows ? block_of(product, line, some, 0, problem.n) : block_of(product, 0, problem.m, line, some));
        }
}

} // namespace

bool fits_small_product(const Problem& problem)
{
    // Each matrix alone first, so that the sum of all cannot overflow.
    const auto fits = [](const Matrix& matrix) {
        return matrix.rows <= SmallLane::bytes && matrix.cols <= SmallLane::bytes && bytes_of(matrix, 1) <= SmallLane::bytes;
    };
    return fits(problem.a) && fits(problem.b) && fits(problem.c) &&
           layout_of(product_of(problem, 0), {}).end <= SmallLane::bytes;
}

std::size_t products_in_a_block(const Problem& problem)
{
    return products_in_a_block(problem, {});
}

Problem as_small_product(const Problem& problem, const PreparedOperands& kept)
{
    const Layout layout = layout_of(problem, kept);
    Problem result = problem;
    if (!kept[problem.a.memory])
        result.a = layout.a;
    if (!kept[problem.b.memory])
        result.b = layout.b;
    result.c = layout.c;
    return result;
}

void multiply_in_pieces(const Problem& problem, const HostOperands& host, DeviceState& state, const Request& request,
                        const PreparedOperands& kept)
{
    std::size_t pieces = 0;
    for_each_piece(problem, kept, [&](const Problem&) { pieces++; });
    Request for_piece = request;
    if (pieces > 1)
        for_piece.workspace = nullptr; // it is for all products in one piece
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
        for_each_piece(problem, kept, [&](const Problem& piece) {
            if (started - finished == 2)
                finish_one();
            UnderWay& now = under_way[started % 2].emplace(piece, kept, state);
            started++;
            now.start(host, state, for_piece);
            if (pieces > 1)
                now.flush();
        });
        while (finished < started)
            finish_one();
    } catch (const std::exception& failure) {
        if (finished > 0)
            fail_incomplete(failure);
        throw;
    }
}

} // namespace clgemm::core
