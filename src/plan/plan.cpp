#include "plan/plan.hpp"

#include "plan/cpu_plans.hpp"
#include "plan/plan_builder.hpp"
#include "plan/tensor_plan.hpp"
#include "support/arithmetic.hpp"

#include <algorithm>

namespace clgemm::core {
namespace {

class Planner {
public:
    Planner(const Problem& problem, const DeviceProfile& device) : problem_(problem), builder_(device) {}

    Plan scale()
    {
        builder_.add_helper("scale", "scale C", problem_.m, problem_.n, builder_.group().rows,
                            {problem_.m, problem_.n, problem_.beta, Memory::c, problem_.c.offset, problem_.c.ld});
        return builder_.finish();
    }

    Plan multiply(const Selection& selection)
    {
        if (selection.kernel->splits_k)
            multiply_parts(selection);
        else
            multiply_whole_tiles(selection);
        return builder_.finish();
    }

private:
    // Kernels 1 to 12: the operands as they want them, whole tiles where they need them, all of K at once.
    void multiply_whole_tiles(const Selection& selection)
    {
        const KernelInfo& kernel = *selection.kernel;
        const Tiling& tile = selection.tiling;
        const auto padded = [](bool needed, std::size_t size, std::size_t to) { return needed ? round_up(size, to) : size; };
        const std::size_t padded_k = padded(kernel.whole_tiles_in, problem_.k, tile.k);
        const std::size_t padded_m = padded(kernel.whole_tiles_in, problem_.m, tile.m);
        const std::size_t padded_n = padded(kernel.whole_tiles_in, problem_.n, tile.n);

        const View a = prepare(problem_.a, Memory::a, "A", kernel.a, tile.width, padded_m, padded_k);
        const View b = prepare(problem_.b, Memory::b, "B", kernel.b, tile.width, padded_k, padded_n);

        const View own_c{Memory::c, problem_.c.offset, problem_.c.ld};
        const bool c_as_it_is = !kernel.whole_tiles_out ||
                                (padded_m == problem_.m && padded_n == problem_.n && problem_.c.aligned_to(tile.width));
        const View c = c_as_it_is ? own_c : builder_.workspace().place(padded_m, padded_n);
        const float beta = c_as_it_is ? problem_.beta : 0.0f; // otherwise the last step applies it

        std::string options = selection.parameters.options();
        if (kernel.a == Storage::either)
            options += " -DTRANS_A=" + std::to_string(problem_.a.transposed);
        if (kernel.b == Storage::either)
            options += " -DTRANS_B=" + std::to_string(problem_.b.transposed);
        // Kernels that take whole tiles of C may as well think that C is that large.
        const std::size_t m = c_as_it_is ? problem_.m : padded_m;
        const std::size_t n = c_as_it_is ? problem_.n : padded_n;
        builder_.add({"multiply",
                      &kernel.source(),
                      "multiply",
                      options,
                      {divide_up(m, tile.m), divide_up(n, tile.n), 1},
                      {tile.items_m, tile.items_n},
                      {m, n, padded_k, problem_.alpha, a.memory, a.offset, a.ld, b.memory, b.offset, b.ld, beta, c.memory,
                       c.offset, c.ld}});
        if (!c_as_it_is)
            builder_.add_helper(
                "unpad", "unpad C", problem_.m, problem_.n, builder_.group().rows,
                {problem_.m, problem_.n, c.memory, c.offset, c.ld, problem_.beta, own_c.memory, own_c.offset, own_c.ld});
    }

    // Kernels from 13 on: operands as they are, or copied where the selection says so; K whole or in parts, which are added.
    void multiply_parts(const Selection& selection)
    {
        const KernelInfo& kernel = *selection.kernel;
        const Tiling& tile = selection.tiling;
        const Way& way = selection.way;
        const Problem problem = way.exchanged ? exchanged(problem_) : problem_;
        const Operand a = way.copy_a ? copy_along_columns(problem.a, Memory::a, "A", false)
                                     : Operand::as_it_is(problem.a, way.exchanged ? Memory::b : Memory::a);
        const Operand b = way.copy_b ? copy_along_columns(problem.b, Memory::b, "B", true)
                                     : Operand::as_it_is(problem.b, way.exchanged ? Memory::a : Memory::b);

        // Each part of K but the last is a multiple of the tile's depth.
        const std::size_t part = round_up(divide_up(problem.k, way.splits), tile.k);
        const std::size_t parts = divide_up(problem.k, part);
        const bool add_parts = parts > 1;
        // The sums of all parts, each as C lies, columns at multiples of a vector.
        const std::size_t sums_ld = round_up(problem_.m, 4);
        const View c = add_parts ? builder_.workspace().place(sums_ld, problem_.n * parts)
                                 : View{Memory::c, problem.c.offset, problem.c.ld};
        const std::size_t stride = add_parts ? sums_ld * problem_.n : 0;

        // Vectors along K are of no use to kernel 13, the only one that must be told of small sizes.
        const bool is_warp_tiled = !kernel.few_columns && kernel.scheme == Scheme::tiles;
        const bool wide_a = a.wide && !(is_warp_tiled && a.transposed);
        const bool wide_b = b.wide && !(is_warp_tiled && !b.transposed);
        const auto small = [&](std::size_t size, bool wide, std::size_t tile_size) {
            return is_warp_tiled && (wide ? round_up(size, 4) : size) < tile_size;
        };
        std::string options = selection.parameters.options();
        for (const auto& [name, value] : {std::pair<const char*, bool>{"TRANS_A", a.transposed},
                                          {"TRANS_B", b.transposed},
                                          {"WIDE_A", wide_a},
                                          {"WIDE_B", wide_b},
                                          {"SMALL_M", small(problem.m, wide_a, tile.m)},
                                          {"SMALL_N", small(problem.n, wide_b, tile.n)}})
            options += std::string(" -D") + name + (value ? "=1" : "=0");
        std::vector<StepArgument> arguments{problem.m,
                                            problem.n,
                                            problem.k,
                                            add_parts ? 1.0f : problem.alpha,
                                            a.view.memory,
                                            a.view.offset,
                                            a.view.ld,
                                            b.view.memory,
                                            b.view.offset,
                                            b.view.ld,
                                            add_parts ? 0.0f : problem.beta,
                                            c.memory,
                                            c.offset};
        if (is_warp_tiled) {
            arguments.emplace_back(c.ld);
        } else {
            arguments.insert(arguments.end(), {way.exchanged ? c.ld : 1, way.exchanged ? 1 : c.ld});
        }
        arguments.insert(arguments.end(), {part, stride});
        builder_.add({"multiply",
                      &kernel.source(),
                      "multiply",
                      options,
                      {divide_up(problem.m, tile.m), divide_up(problem.n, tile.n), parts},
                      {tile.items_m, tile.items_n},
                      arguments,
                      Passing::numbers_in_one,
                      tile.retargeted_bytes});
        if (add_parts)
            builder_.add_sum_of_parts(problem_, parts, c, stride);
    }

    // An operand, for kernels that are told how it lies.
    struct Operand {
        View view;
        bool transposed; // op() transposes it
        bool wide;       // takes vectors along its columns as stored
        static Operand as_it_is(const Matrix& matrix, Memory memory)
        {
            return {{memory, matrix.offset, matrix.ld}, matrix.transposed, takes_vectors(matrix)};
        }
    };

    // Copies an operand so that its columns run along M (A) or N (B, which is then stored transposed), aligned.
    Operand copy_along_columns(const Matrix& matrix, Memory memory, const std::string& name, bool store_transposed)
    {
        const bool turn = matrix.transposed != store_transposed;
        const std::size_t rows = round_up(turn ? matrix.cols : matrix.rows, 4);
        const std::size_t cols = turn ? matrix.rows : matrix.cols;
        return {copy(matrix, memory, name, turn, rows, cols), store_transposed, true};
    }
    // The operand as the kernel wants it: where it lies if that will do, else copied into the workspace. rows x cols is
    // the size, with padding, of op(operand).
    View prepare(const Matrix& matrix, Memory memory, const std::string& name, Storage wanted, std::size_t width,
                 std::size_t rows, std::size_t cols)
    {
        const bool store_transposed = wanted == Storage::either ? matrix.transposed : wanted == Storage::transposed;
        if (store_transposed)
            std::swap(rows, cols);
        const bool turn = store_transposed != matrix.transposed;
        if (!turn && rows == matrix.rows && cols == matrix.cols && matrix.aligned_to(width))
            return {memory, matrix.offset, matrix.ld};

        return copy(matrix, memory, name, turn, rows, cols);
    }

    // Copies a matrix, turned or not, to rows x cols in the workspace; what it has less is zeros.
    View copy(const Matrix& matrix, Memory memory, const std::string& name, bool turn, std::size_t rows, std::size_t cols)
    {
        const View copy = builder_.workspace().place(rows, cols);
        const std::vector<StepArgument> arguments{
            matrix.rows,        matrix.cols,        memory,      matrix.offset, matrix.ld,
            turn ? cols : rows, turn ? rows : cols, copy.memory, copy.offset,   copy.ld};
        if (turn)
            builder_.add_helper("transpose", "transpose " + name, cols, rows, builder_.group().tile, arguments);
        else
            builder_.add_helper("pad", "pad " + name, rows, cols, builder_.group().rows, arguments);
        return copy;
    }

    const Problem& problem_;
    PlanBuilder builder_;
};

} // namespace

Plan plan_scale(const Problem& problem, const DeviceProfile& device)
{
    return Planner(problem, device).scale();
}

Plan plan_multiply(const Problem& problem, const DeviceProfile& device, const Selection& selection)
{
    if (selection.kernel->scheme == Scheme::tensor)
        return plan_on_tensor_cores(problem, device, selection);
    if (is_for_cpus(selection.kernel->scheme))
        return plan_on_cpu(problem, device, selection);
    return Planner(problem, device).multiply(selection);
}

} // namespace clgemm::core
