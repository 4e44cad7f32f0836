#include "plan/plan.hpp"

#include "support/error.hpp"

#include <algorithm>
#include <limits>

namespace clgemm::core {
namespace {

std::size_t divide_up(std::size_t value, std::size_t by)
{
    return value / by + (value % by != 0);
}
std::size_t round_up(std::size_t value, std::size_t to)
{
    return divide_up(value, to) * to;
}

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
        if (kernel.told_alignment)
            options += " -DWIDE_A=" + std::to_string(!problem_.a.transposed && problem_.a.aligned_to(4)) +
                       " -DWIDE_B=" + std::to_string(problem_.b.transposed && problem_.b.aligned_to(4));
        // Kernels that take whole tiles of C may as well think that C is that large.
        const std::size_t m = c_as_it_is ? problem_.m : padded_m;
        const std::size_t n = c_as_it_is ? problem_.n : padded_n;
        plan_.steps.push_back({"multiply",
                               &kernel.source(),
                               "multiply",
                               options,
                               {divide_up(m, tile.m), divide_up(n, tile.n)},
                               {tile.items_m, tile.items_n},
                               {m, n, padded_k, problem_.alpha, a.memory, a.offset, a.ld, b.memory, b.offset, b.ld, beta,
                                c.memory, c.offset, c.ld}});
        if (!c_as_it_is)
            add_helper(
                "unpad", "unpad C", problem_.m, problem_.n, group_.rows,
                {problem_.m, problem_.n, c.memory, c.offset, c.ld, problem_.beta, own_c.memory, own_c.offset, own_c.ld});
        plan_.workspace_bytes = workspace_.bytes();
        return std::move(plan_);
    }

private:
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
                               {divide_up(p, group_.tile), divide_up(q, lines)},
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
