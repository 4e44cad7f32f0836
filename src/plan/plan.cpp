#include "plan/plan.hpp"

#include "support/arithmetic.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <limits>

namespace clgemm::core {
namespace {

// The work-group of the helper kernels (pad, unpad, transpose, scale): TILE x ROWS work-items.
struct HelperGroup {
    std::size_t tile = 32, rows = 8;
    std::string options() const { return "-DTILE=" + std::to_string(tile) + " -DROWS=" + std::to_string(rows); }
};

HelperGroup helper_group(const DeviceProfile& device)
{
    HelperGroup group;
    while (group.rows > 1 && group.tile * group.rows > device.max_work_group_size)
        group.rows /= 2;
    while (group.tile > 1 &&
           (group.tile * group.rows > device.max_work_group_size || group.tile > device.max_work_item_sizes[0]))
        group.tile /= 2;
    return group;
}

// A matrix in a buffer, as a kernel's arguments take it.
struct View {
    Memory memory;
    std::size_t offset, ld;
};

// Lays matrices out one after the other in the workspace.
class WorkspaceLayout {
public:
    View place(std::size_t rows, std::size_t cols)
    {
        // Whole cache lines and the widest vector: every matrix starts at a multiple of 256 bytes.
        constexpr std::size_t alignment = 256 / sizeof(float);
        constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(float) - alignment;
        if (cols > 0 && rows > (most - elements_) / cols)
            throw Error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "the temporaries of this call are larger than memory can be");
        const View view{Memory::workspace, elements_, rows};
        elements_ += round_up(rows * cols, alignment);
        return view;
    }
    std::size_t bytes() const { return elements_ * sizeof(float); }

private:
    std::size_t elements_ = 0;
};

class Planner {
public:
    Planner(const Problem& problem, const DeviceProfile& device) : problem_(problem), group_(helper_group(device)) {}

    Plan scale()
    {
        add_helper("scale", "scale C", problem_.m, problem_.n, group_.rows,
                   {problem_.m, problem_.n, problem_.beta, Memory::c, problem_.c.offset, problem_.c.ld});
        return std::move(plan_);
    }

    Plan multiply(const Selection& selection)
    {
        if (selection.kernel->splits_k)
            multiply_parts(selection);
        else
            multiply_whole_tiles(selection);
        plan_.workspace_bytes = workspace_.bytes();
        return std::move(plan_);
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
        const View c = c_as_it_is ? own_c : workspace_.place(padded_m, padded_n);
        const float beta = c_as_it_is ? problem_.beta : 0.0f; // otherwise the last step applies it

        std::string options = selection.parameters.options();
        if (kernel.a == Storage::either)
            options += " -DTRANS_A=" + std::to_string(problem_.a.transposed);
        if (kernel.b == Storage::either)
            options += " -DTRANS_B=" + std::to_string(problem_.b.transposed);
        // Kernels that take whole tiles of C may as well think that C is that large.
        const std::size_t m = c_as_it_is ? problem_.m : padded_m;
        const std::size_t n = c_as_it_is ? problem_.n : padded_n;
        plan_.steps.push_back({"multiply",
                               &kernel.source(),
                               "multiply",
                               options,
                               {divide_up(m, tile.m), divide_up(n, tile.n), 1},
                               {tile.items_m, tile.items_n},
                               {m, n, padded_k, problem_.alpha, a.memory, a.offset, a.ld, b.memory, b.offset, b.ld, beta,
                                c.memory, c.offset, c.ld}});
        if (!c_as_it_is)
            add_helper(
                "unpad", "unpad C", problem_.m, problem_.n, group_.rows,
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
        const View c = add_parts ? workspace_.place(sums_ld, problem_.n * parts)
                                 : View{Memory::c, problem.c.offset, problem.c.ld};
        const std::size_t stride = add_parts ? sums_ld * problem_.n : 0;

        // Vectors along K are of use to kernels of few columns alone.
        const bool wide_a = a.wide && (kernel.few_columns || !a.transposed);
        const bool wide_b = b.wide && (kernel.few_columns || b.transposed);
        const auto small = [](std::size_t size, bool wide, std::size_t tile_size) {
            return (wide ? round_up(size, 4) : size) < tile_size;
        };
        std::string options = selection.parameters.options();
        for (const auto& [name, value] :
             {std::pair<const char*, bool>{"TRANS_A", a.transposed}, {"TRANS_B", b.transposed}, {"WIDE_A", wide_a},
              {"WIDE_B", wide_b}, {"SMALL_M", small(problem.m, wide_a, tile.m)}, {"SMALL_N", small(problem.n, wide_b, tile.n)}})
            options += std::string(" -D") + name + (value ? "=1" : "=0");
        std::vector<StepArgument> arguments{problem.m,     problem.n,         problem.k,     add_parts ? 1.0f : problem.alpha,
                                            a.view.memory, a.view.offset,     a.view.ld,     b.view.memory,
                                            b.view.offset, b.view.ld,         add_parts ? 0.0f : problem.beta,
                                            c.memory,      c.offset};
        if (kernel.few_columns) {
            arguments.insert(arguments.end(), {way.exchanged ? c.ld : 1, way.exchanged ? 1 : c.ld});
        } else {
            arguments.emplace_back(c.ld);
        }
        arguments.insert(arguments.end(), {part, stride});
        plan_.steps.push_back({"multiply",
                               &kernel.source(),
                               "multiply",
                               options,
                               {divide_up(problem.m, tile.m), divide_up(problem.n, tile.n), parts},
                               {tile.items_m, tile.items_n},
                               arguments});
        if (add_parts)
            add_helper("reduce", "add the " + std::to_string(parts) + " parts of K", problem_.m, problem_.n, group_.rows,
                       {problem_.m, problem_.n, parts, problem_.alpha, c.memory, c.offset, c.ld, stride, problem_.beta,
                        Memory::c, problem_.c.offset, problem_.c.ld});
    }

    // An operand, for kernels that are told how it lies.
    struct Operand {
        View view;
        bool transposed; // op() transposes it
        bool wide;       // takes vectors along its columns, in the direction that is not K
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
        const View copy = workspace_.place(rows, cols);
        const std::vector<StepArgument> arguments{
            matrix.rows,        matrix.cols,        memory,      matrix.offset, matrix.ld,
            turn ? cols : rows, turn ? rows : cols, copy.memory, copy.offset,   copy.ld};
        if (turn)
            add_helper("transpose", "transpose " + name, cols, rows, group_.tile, arguments);
        else
            add_helper("pad", "pad " + name, rows, cols, group_.rows, arguments);
        return copy;
    }

    // A helper kernel over p x q elements, `lines` of dimension 1 in a work-group.
    void add_helper(const char* kernel, std::string purpose, std::size_t p, std::size_t q, std::size_t lines,
                    std::vector<StepArgument> arguments)
    {
        plan_.steps.push_back({std::move(purpose),
                               &kernel_source(kernel),
                               kernel,
                               group_.options(),
                               {divide_up(p, group_.tile), divide_up(q, lines), 1},
                               {group_.tile, group_.rows},
                               std::move(arguments)});
    }

    const Problem& problem_;
    HelperGroup group_;
    WorkspaceLayout workspace_;
    Plan plan_;
};

} // namespace

Plan plan_scale(const Problem& problem, const DeviceProfile& device)
{
    return Planner(problem, device).scale();
}

Plan plan_multiply(const Problem& problem, const DeviceProfile& device, const Selection& selection)
{
    return Planner(problem, device).multiply(selection);
}

} // namespace clgemm::core
