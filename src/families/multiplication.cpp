#include "families/multiplication.hpp"

#include "support/whole_numbers.hpp"

#include <algorithm>

namespace clgemm::core {

Arithmetic fp32_in_any_order(const Arithmetic& asked)
{
    return {.accuracy = is_reproducible(asked) ? CLGEMM_MATH_REPRODUCIBLE : CLGEMM_MATH_STRICT};
}

Answer takes_in_one_sum(const Problem& problem)
{
    if (is_reproducible(problem.arithmetic) && problem.k > reproducible_depth)
        return Answer::no("adds all of K in one sum, which is reproducible up to a K of " +
                          std::to_string(reproducible_depth));
    return Answer::yes();
}

void add_split_k_ways(std::vector<Way>& ways, Way way, const Problem& problem, const Tiling& tiling, std::size_t most)
{
    constexpr std::size_t counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 80, 96, 128};
    // With fewer steps in a part, starting and adding would cost more than they save.
    constexpr std::size_t fewest_steps = 4;
    if (problem.batch.listed) { // the products are in the dimension that the parts would have
        ways.push_back(way);
        return;
    }
    if (is_reproducible(problem.arithmetic)) {
        const std::size_t blocks = divide_up(problem.k, reproducible_depth);
        ways.push_back(way);
        way.split_k = blocks;
        if (blocks > 1 && most > 1 && blocks <= most_products_at_once)
            ways.push_back(way);
        return;
    }
    for (const std::size_t count : counts) {
        if (count > 1 && (problem.k / count < fewest_steps * tiling.k || count > most))
            break;
        way.split_k = count;
        ways.push_back(way);
    }
}

SplitK split_k(const Problem& problem, std::size_t depth, WorkspaceLayout& workspace)
{
    const std::size_t parts = divide_up(problem.k, depth);
    if (parts == 1)
        return {depth, 1, problem.c, 0};
    const Matrix& c = problem.c;
    // Runs of neighbours start at multiples of a vector.
    const std::size_t ld = round_up(c.stored_rows(), 4);
    // Reproducible sums are added part after part: a CPU's cache has few places for parts that lie a power of two apart.
    const std::size_t cols = c.stored_cols() + (is_reproducible(problem.arithmetic) ? divide_up(64, ld) : 0);
    Matrix sums = workspace.place(ld, saturating_product(cols, parts), false, problem.arithmetic.accumulator);
    sums.rows = c.rows;
    sums.cols = c.cols;
    sums.transposed = c.transposed;
    return {depth, parts, sums, ld * cols};
}

SplitK split_k(const Problem& problem, std::size_t parts, std::size_t unit, WorkspaceLayout& workspace)
{
    if (is_reproducible(problem.arithmetic))
        return split_k(problem, parts > 1 ? reproducible_depth : problem.k, workspace);
    return split_k(problem, round_up(divide_up(problem.k, parts), unit), workspace);
}

std::size_t parts_of(const Problem& problem, const SplitK& split)
{
    return split.parts > 1 ? split.parts : problem.batch.count;
}

kernel_arguments::Multiplication multiplication(const Problem& problem, const SplitK& split)
{
    const Matrix &a = problem.a, &b = problem.b, &c = problem.c;
    if (split.parts > 1) // the last step scales
        return {problem.m,
                problem.n,
                problem.k,
                1,
                0,
                strided(a),
                strided(b),
                strided(split.target),
                split.depth,
                split.depth,
                split.depth * a.col_stride(),
                split.depth * b.row_stride(),
                split.distance,
                0};
    kernel_arguments::Multiplication result{
        problem.m,   problem.n, problem.k,  problem.alpha, problem.beta, strided(a), strided(b), strided(split.target),
        split.depth, 0,         a.distance, b.distance,    c.distance,   0};
    if (problem.batch.listed) {
        result.partA = result.partB = result.partC = 0;
        result.first = problem.batch.first;
    }
    return result;
}

bool reads_c_first(const Problem& problem, const SplitK& split)
{
    constexpr std::size_t deep = 512;
    return problem.beta != 0.0f && !problem.batch.listed && split.parts == 1 && problem.k <= deep &&
           !is_reproducible(problem.arithmetic);
}

std::array<std::size_t, 3> groups_of(const Variant& variant, const Problem& problem, const SplitK& split)
{
    return {divide_up(problem.m, variant.tiling.m), divide_up(problem.n, variant.tiling.n), parts_of(problem, split)};
}

Step multiplication_step(const Variant& variant, const Problem& problem, const SplitK& split, const std::string& options)
{
    const Tiling& tile = variant.tiling;
    Step step;
    step.purpose = "multiply";
    step.source = &variant.kernel->source();
    step.function = "multiply";
    step.options = variant.parameters.options() + options;
    step.groups = groups_of(variant, problem, split);
    step.group_size = {tile.items_m, tile.items_n};
    step.buffers = {problem.a.memory, problem.b.memory, split.target.memory};
    step.arguments = ArgumentBytes(multiplication(problem, split));
    step.retargeted_local_bytes = tile.retargeted_bytes;
    add_list(step, problem);
    return step;
}

void add_sum_of_parts(PlanBuilder& builder, const Problem& problem, const SplitK& split)
{
    if (split.parts > 1)
        builder.add_reduction(problem, split.parts, split.target, split.distance);
}

Load load_of_tiles(const Problem& problem, const DeviceProfile& device, const Tiling& tiling, const SplitK& split)
{
    const std::size_t tiles = divide_up(problem.m, tiling.m) * divide_up(problem.n, tiling.n);
    const auto on_each_unit = [&](std::size_t groups) {
        return static_cast<double>(divide_up(groups, device.compute_units));
    };
    double per_unit = on_each_unit(tiles * parts_of(problem, split));
    // The last block of K may have next to nothing to do.
    if (split.parts > 1 && is_reproducible(problem.arithmetic)) {
        const double rest = static_cast<double>(problem.k % split.depth) / static_cast<double>(split.depth);
        per_unit = std::min(per_unit, on_each_unit(tiles * (problem.k / split.depth)) + on_each_unit(tiles) * rest);
    }
    return {per_unit, divide_up(split.depth, tiling.k)};
}

double bytes_of(const Problem& problem, const Matrix& matrix)
{
    return static_cast<double>(matrix.count_for(problem.batch.count)) * bytes_of(matrix);
}

void add_multiplication(Outline& outline, const Problem& problem, const SplitK& split, const Load& load, double bytes_first)
{
    const double c = bytes_of(problem, problem.c), written = static_cast<double>(split.parts) * c;
    outline.launches.push_back(
        {bytes_of(problem, problem.a) + bytes_of(problem, problem.b) + written - bytes_first, bytes_first, load});
    if (split.parts > 1)
        outline.launches.push_back({written + c});
}

void count_storing_by_floats(Outline& outline, const Problem& problem, const Way& way, const Tiling& tiling, double depth)
{
    if (way.split_k > 1 || problem.c.aligned_to(4))
        return;
    for (Outline::Launch& launch : outline.launches)
        if (launch.load.steps > 0)
            launch.steps_more = depth / static_cast<double>(tiling.k);
}

std::vector<Problem> pieces_of_k(const Problem& problem, std::size_t depth)
{
    std::vector<Problem> result;
    for (std::size_t begin = 0; begin < problem.k; begin += depth)
        result.push_back(piece_of_k(problem, begin, depth));
    return result;
}

Problem piece_of_k(const Problem& problem, std::size_t begin, std::size_t depth)
{
    Problem piece = problem;
    piece.k = piece.a.cols = piece.b.rows = std::min(depth, problem.k - begin);
    piece.a.offset += begin * problem.a.col_stride();
    piece.b.offset += begin * problem.b.row_stride();
    if (begin > 0)
        piece.beta = 1;
    return piece;
}

} // namespace clgemm::core
