#include "engine/computes_rightly.hpp"

#include "execute/execution.hpp"
#include "reference/reference.hpp"
#include "reference/reproducible.hpp"

#include "kernels/arguments.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace clgemm::core {
namespace {

// The matrices of all products as they lie in one buffer, and NaN around them.
class HostMatrix {
public:
    HostMatrix(const Problem& problem, const Matrix& matrix) : matrix_(matrix)
    {
        for (std::size_t i = 0; i < problem.batch.count; i++)
            begins_.push_back(begin_of(problem, matrix, i));
        numbers_.assign(begins_.back() + matrix.extent() - matrix.offset, std::numeric_limits<float>::quiet_NaN());
    }

    std::size_t begin(std::size_t product) const { return begins_[product]; }
    std::size_t at(std::size_t product, std::size_t row, std::size_t col) const
    {
        return begin(product) + row * matrix_.row_stride() + col * matrix_.col_stride();
    }
    const float* data() const { return numbers_.data(); }

    void fill(std::mt19937& random)
    {
        std::uniform_real_distribution<float> some(-1, 1);
        for (std::size_t product = 0; product < begins_.size(); product++)
            for (std::size_t col = 0; col < matrix_.cols; col++)
                for (std::size_t row = 0; row < matrix_.rows; row++)
                    numbers_[at(product, row, col)] = some(random);
    }
    void scale(std::size_t product, std::size_t row, std::size_t col, float factor)
    {
        numbers_[at(product, row, col)] *= factor;
    }

    cl::Buffer on_device(const cl::Context& context)
    {
        return {context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, numbers_.size() * sizeof(float), numbers_.data()};
    }
    std::vector<float> read(const cl::CommandQueue& queue, const cl::Buffer& buffer) const
    {
        std::vector<float> result(numbers_.size());
        queue.enqueueReadBuffer(buffer, CL_TRUE, 0, result.size() * sizeof(float), result.data());
        return result;
    }

private:
    const Matrix& matrix_;
    std::vector<std::size_t> begins_;
    std::vector<float> numbers_;
};

struct HostMatrices {
    explicit HostMatrices(const Problem& problem) : a(problem, problem.a), b(problem, problem.b), c(problem, problem.c) {}

    HostMatrix a, b, c;
};

// Where bits count, subnormal numbers do, too. This makes elements of C that are sums of nothing else, among those that are
// compared. A matrix that all products share is scaled for the first one alone: scaled twice, it would make zeros.
void make_some_tiny(const Problem& x, std::size_t product, HostMatrices& host)
{
    const bool has_own_a = product < x.a.count_for(x.batch.count), has_own_b = product < x.b.count_for(x.batch.count);
    for (std::size_t l = 0; l < x.k; l++) {
        for (std::size_t i = 5; has_own_a && i < x.m; i += 16)
            host.a.scale(product, i, l, 0x1p-70f);
        for (std::size_t j = 13; has_own_b && j < x.n; j += 16)
            host.b.scale(product, l, j, 0x1p-70f);
    }
    for (std::size_t j = 13; j < x.n; j += 16)
        for (std::size_t i = 5; i < x.m; i += 16)
            host.c.scale(product, i, j, 0x1p-140f);
}

HostMatrices random_matrices(const Problem& x)
{
    std::mt19937 random(1);
    HostMatrices result(x);
    result.a.fill(random);
    result.b.fill(random);
    if (x.beta != 0.0f)
        result.c.fill(random);
    if (is_reproducible(x.arithmetic))
        for (std::size_t i = 0; i < x.batch.count; i++)
            make_some_tiny(x, i, result);
    return result;
}

// Compares every eighth element of a column, and other ones in the next column: what a compiler does not fuse, or adds in
// another order, is wrong nearly everywhere.
bool has_right_bits(const Problem& x, std::size_t product, const HostMatrices& host, const std::vector<float>& computed)
{
    const auto& [a, b, c] = host;
    for (std::size_t j = 0; j < x.n; j++)
        for (std::size_t i = j % 8; i < x.m; i += 8) {
            const std::size_t at = c.at(product, i, j);
            const float expected =
                reference::reproducible(x.k, x.alpha, a.data() + a.at(product, i, 0), x.a.col_stride(),
                                        b.data() + b.at(product, 0, j), x.b.row_stride(), x.beta, c.data() + at);
            if (std::bit_cast<std::uint32_t>(computed[at]) != std::bit_cast<std::uint32_t>(expected))
                return false;
        }
    return true;
}

clgemm_transpose transpose_of(const Matrix& matrix)
{
    return matrix.transposed ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
}

bool is_right(const Problem& x, std::size_t product, const HostMatrices& host, const std::vector<float>& computed)
{
    const auto& [a, b, c] = host;
    for (std::size_t j = 0; j < x.n; j++)
        for (std::size_t i = 0; i < x.m; i++) {
            const auto exact = reference::element(CLGEMM_COLUMN_MAJOR, transpose_of(x.a), transpose_of(x.b), i, j, x.k,
                                                  x.alpha, a.data() + a.begin(product), x.a.ld, b.data() + b.begin(product),
                                                  x.b.ld, x.beta, c.data() + c.begin(product), x.c.ld);
            if (!reference::is_right(computed[c.at(product, i, j)], exact, x.k, x.arithmetic))
                return false;
        }
    return true;
}

// The list of a listed batch. It names the matrices as the caller does.
std::vector<kernel_arguments::Product> list_of(const Problem& x)
{
    const auto begin = [&](Memory which, std::size_t product) { return begin_of(x, x.matrix_in(which), product); };
    std::vector<kernel_arguments::Product> result;
    for (std::size_t i = 0; i < x.batch.count; i++)
        result.push_back({begin(Memory::a, i), begin(Memory::b, i), begin(Memory::c, i), x.alpha, x.beta});
    return result;
}

// What the call takes besides the matrices themselves.
class OtherMemory {
public:
    OtherMemory(const cl::Context& context, const SmallCall& call)
    {
        if (call.plan.workspace_bytes > 0)
            workspace_ = cl::Buffer(context, CL_MEM_READ_WRITE, call.plan.workspace_bytes);
        if (call.problem.batch.listed) {
            auto list = list_of(call.problem);
            list_ =
                cl::Buffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, list.size() * sizeof list.front(), list.data());
        }
        for (const Image& image : call.plan.images)
            images_.emplace_back(image_of(image.operand), cl::Buffer(context, CL_MEM_READ_WRITE, image.bytes));
    }

    void add_to(Buffers& buffers) const
    {
        buffers.workspace = workspace_();
        buffers.list = list_();
        for (const auto& [which, image] : images_)
            buffers[which] = image();
    }

private:
    cl::Buffer workspace_, list_;
    std::vector<std::pair<Memory, cl::Buffer>> images_;
};

} // namespace

bool computes_rightly(DeviceState& state, const SmallCall& call)
{
    const Problem& x = call.problem;
    HostMatrices host = random_matrices(x);
    cl::Buffer a = host.a.on_device(state.context), b = host.b.on_device(state.context), c = host.c.on_device(state.context);
    const OtherMemory other(state.context, call);
    Buffers buffers;
    buffers[x.a.memory] = a();
    buffers[x.b.memory] = b();
    buffers[x.c.memory] = c();
    other.add_to(buffers);

    const cl::CommandQueue queue(state.context, state.device);
    for (const Image& image : call.plan.images)
        execute(ready(Plan{{image.making}}, state.programs), state.workspaces, buffers, {queue, true});
    execute(ready(call.plan, state.programs), state.workspaces, buffers, {queue, true});
    const std::vector<float> computed = host.c.read(queue, c);
    for (std::size_t i = 0; i < x.batch.count; i++)
        if (!(is_reproducible(x.arithmetic) ? has_right_bits(x, i, host, computed) : is_right(x, i, host, computed)))
            return false;
    return true;
}

} // namespace clgemm::core
