#include "plan/tensor_plan.hpp"

#include "plan/plan_builder.hpp"
#include "select/tensor_blocks.hpp"
#include "support/arithmetic.hpp"

#include <algorithm>

namespace clgemm::core {
namespace {

constexpr std::size_t split_items = 256; // as kernels/split.cl has it

// An operand as the kernels take it: where it starts, and how far apart neighbours in M or N, and in K, are.
struct Strided {
    Memory memory;
    std::size_t offset, stride, stride_k;
};

class TensorPlanner {
public:
    TensorPlanner(const Problem& problem, const DeviceProfile& device, const Selection& selection)
        : problem_(problem), selection_(selection), tile_(selection.tiling),
          builder_(device), a_{Memory::a, problem.a.offset, problem.a.transposed ? problem.a.ld : 1,
                               problem.a.transposed ? 1 : problem.a.ld},
          b_{Memory::b, problem.b.offset, problem.b.transposed ? 1 : problem.b.ld, problem.b.transposed ? problem.b.ld : 1}
    {
    }

    Plan plan()
    {
        const Way& way = selection_.way;
        const std::size_t block_m = way.block_m > 0 ? way.block_m : problem_.m;
        const std::size_t block_n = way.block_n > 0 ? way.block_n : problem_.n;
        const Image a = place(block_m, tile_.m), b = place(block_n, tile_.n);
        for (std::size_t n = 0; n < problem_.n; n += block_n)
            for (std::size_t m = 0; m < problem_.m; m += block_m) {
                const Block block{m, n, std::min(block_m, problem_.m - m), std::min(block_n, problem_.n - n)};
                add_split(block, a, b, m == 0);
                add_multiplication(block, a, b);
            }
        return builder_.finish();
    }

private:
    // Of C.
    struct Block {
        std::size_t m0, n0, m, n;
    };

    // What `split` writes, in the workspace.
    struct Image {
        std::size_t offset, rows, ranges;
    };

    Image place(std::size_t rows, std::size_t tile)
    {
        const TensorImage image = tensor_image(rows, problem_.k, tile);
        return {builder_.workspace().place(image.rows, image.row_floats).offset, image.rows,
                builder_.workspace().place(image.range_blocks, image.range_depths).offset};
    }

    std::vector<StepArgument> operands(const Block& block) const
    {
        return {a_.memory, a_.offset + block.m0 * a_.stride, a_.stride, a_.stride_k,
                b_.memory, b_.offset + block.n0 * b_.stride, b_.stride, b_.stride_k};
    }

    // B's image serves all blocks of C that lie below one another.
    void add_split(const Block& block, const Image& a, const Image& b, bool with_b)
    {
        const std::size_t groups_a = divide_up(a.rows, split_rows);
        const std::size_t groups_b = with_b ? divide_up(b.rows, split_rows) : 0;
        std::vector<StepArgument> arguments{block.m, block.n, problem_.k};
        const auto matrices = operands(block);
        arguments.insert(arguments.end(), matrices.begin(), matrices.end());
        arguments.insert(arguments.end(), {Memory::workspace, a.offset, a.rows, b.offset, b.rows, a.ranges, b.ranges,
                                           groups_a, groups_a + groups_b});
        builder_.add({with_b ? "split A and B" : "split A",
                      &kernel_source("split"),
                      "split",
                      "",
                      {(groups_a + groups_b) * divide_up(problem_.k, split_depth), 1, 1},
                      {split_items, 1},
                      std::move(arguments),
                      Passing::numbers_in_one});
    }

    void add_multiplication(const Block& block, const Image& a, const Image& b)
    {
        // Each part of K but the last is a multiple of the tile's depth.
        const std::size_t part = round_up(divide_up(problem_.k, selection_.way.splits), tile_.k);
        const std::size_t parts = divide_up(problem_.k, part);
        const bool add_parts = parts > 1;
        const std::size_t sums_ld = round_up(problem_.m, 4);
        const View c = add_parts ? builder_.workspace().place(sums_ld, problem_.n * parts)
                                 : View{Memory::c, problem_.c.offset + block.n0 * problem_.c.ld + block.m0, problem_.c.ld};
        const std::size_t stride = add_parts ? sums_ld * problem_.n : 0;

        std::vector<StepArgument> arguments{block.m, block.n, problem_.k, add_parts ? 1.0f : problem_.alpha};
        const auto matrices = operands(block);
        arguments.insert(arguments.end(), matrices.begin(), matrices.end());
        arguments.insert(arguments.end(), {add_parts ? 0.0f : problem_.beta, c.memory, c.offset, c.ld, part, stride,
                                           Memory::workspace, a.offset, a.rows, b.offset, b.rows, a.ranges, b.ranges});
        builder_.add({"multiply",
                      &selection_.kernel->source(),
                      "multiply",
                      selection_.parameters.options(),
                      {divide_up(block.m, tile_.m), divide_up(block.n, tile_.n), parts},
                      {tile_.items_m, tile_.items_n},
                      std::move(arguments),
                      Passing::numbers_in_one,
                      tile_.retargeted_bytes});
        if (add_parts)
            builder_.add_sum_of_parts(problem_, parts, c, stride);
    }

    const Problem& problem_;
    const Selection& selection_;
    const Tiling& tile_;
    PlanBuilder builder_;
    const Strided a_, b_;
};

} // namespace

Plan plan_on_tensor_cores(const Problem& problem, const DeviceProfile& device, const Selection& selection)
{
    return TensorPlanner(problem, device, selection).plan();
}

} // namespace clgemm::core
