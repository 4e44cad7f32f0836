#include "engine/small_call.hpp"

#include "families/registry.hpp"
#include "select/plan_of.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace clgemm::core {
namespace {

// The least number from `least` on that leaves the same rest as `original` when divided by `unit`.
std::size_t alike(std::size_t least, std::size_t original, std::size_t unit)
{
    return least + (original % unit + unit - least % unit) % unit;
}

Matrix resized(const Matrix& original, std::size_t rows, std::size_t cols, const Batch& batch, bool stays_without_gaps)
{
    constexpr std::size_t page = 1024; // floats: columns that are so far apart share a set of a CPU's first-level cache
    Matrix result = original;
    result.rows = rows;
    result.cols = cols;
    result.offset %= widest_vector;
    if (stays_without_gaps && !batch.listed && original.lies_without_gaps()) {
        const std::size_t offset = result.offset;
        result = packed(result);
        result.offset = offset;
        if (batch.count == 1)
            result.distance = 0;
        return result;
    }
    result.ld = alike(result.stored_rows(), original.ld, page);
    if (batch.listed) // the kernels rely on what all offsets are multiples of
        return result;
    const bool is_shared = batch.count == 1 || original.distance == 0;
    result.distance = is_shared ? 0 : alike(result.extent(), original.distance, widest_vector);
    result.siblings = {is_shared || !original.prepared ? 1 : batch.count, 0, result.distance};
    return result;
}

// The sizes to try: a little more than a tile, so that there are whole tiles and others; and the call's own size where it is
// less than that, or up to a few tiles; or whatever it is, as far as products of it can be small.
std::vector<std::size_t> sizes(std::size_t callers, std::size_t tile, bool own)
{
    constexpr std::size_t most = 8192;
    const std::size_t more = alike(tile + 1, callers, widest_vector);
    std::vector<std::size_t> result{more, std::min(callers, more), std::min(callers, 4 * tile)};
    if (own)
        result.push_back(std::min(callers, most));
    return result;
}

// Does the host compute it in no time?
bool is_small(std::size_t m, std::size_t n, std::size_t k)
{
    constexpr std::size_t most_multiplications = std::size_t{1} << 24;
    return saturating_product(saturating_product(m, n), k) <= most_multiplications;
}

// The deepest K that the host computes in no time.
constexpr std::size_t most_blocks_of_k = 64;

std::vector<std::size_t> depths(const Problem& problem, std::size_t tile)
{
    const std::size_t k = problem.k, own = std::min(k, alike(most_blocks_of_k * reproducible_depth, k, widest_vector));
    const std::size_t two_steps = alike(2 * tile + 1, k, widest_vector);
    if (!is_reproducible(problem.arithmetic))
        return {two_steps, own};
    // Some programs go through whole blocks, and leave what is more than that to others.
    const std::size_t two_blocks = alike(reproducible_depth + 20, k, widest_vector);
    const std::size_t three_blocks = alike(2 * reproducible_depth + 20, k, std::lcm(widest_vector, tile));
    return {two_blocks, three_blocks, std::max(own, two_blocks), two_steps, own};
}

bool has(const Plan& plan, const Step& program)
{
    const auto steps = steps_and_makings(plan);
    return std::any_of(steps.begin(), steps.end(), [&](const Step* step) { return are_of_one_program(*step, program); });
}

std::optional<SmallCall> small_call_by(const Step& program, const Problem& problem, const PlannedCall& call,
                                       const DeviceProfile& device, float alpha, float beta)
{
    const Variant& variant = call.selection->variant;
    const Way& way = call.selection->way;
    const Tiling& tile = variant.tiling;
    // One product of a batch may have a program of its own: the last one, after as many as are computed at once.
    const std::size_t several = std::min<std::size_t>(problem.batch.count, 2);
    const auto found = [&](bool own_sizes, bool stays_without_gaps, std::size_t products,
                           std::size_t k) -> std::optional<SmallCall> {
        for (const std::size_t m : sizes(problem.m, way.transposed ? tile.n : tile.m, own_sizes))
            for (const std::size_t n : sizes(problem.n, way.transposed ? tile.m : tile.n, own_sizes)) {
                if (own_sizes && !is_small(m, n, k))
                    continue;
                Problem small = resized(problem, m, n, k, products, stays_without_gaps);
                small.alpha = alpha;
                small.beta = beta;
                if (!takes(small, variant, device))
                    continue;
                Plan plan = plan_of(small, device, variant, way);
                if (has(plan, program))
                    return SmallCall{small, std::move(plan)};
            }
        return std::nullopt;
    };
    // Some programs are for more rows or columns than a few tiles have.
    for (const bool own_sizes : {false, true})
        for (const bool stays_without_gaps : {false, true})
            for (const std::size_t products : {several, std::size_t{1}})
                for (const std::size_t k : depths(problem, tile.k))
                    if (auto small = found(own_sizes, stays_without_gaps, products, k))
                        return small;
    return std::nullopt;
}

} // namespace

Problem resized(const Problem& problem, std::size_t m, std::size_t n, std::size_t k, std::size_t products,
                bool stays_without_gaps)
{
    Problem result = problem;
    result.m = m;
    result.n = n;
    result.k = k;
    result.batch = {products, problem.batch.listed, 0};
    result.a = resized(problem.a, m, k, result.batch, stays_without_gaps);
    result.b = resized(problem.b, k, n, result.batch, stays_without_gaps);
    result.c = resized(problem.c, m, n, result.batch, stays_without_gaps);
    return result;
}

std::size_t begin_of(const Problem& resized, const Matrix& matrix, std::size_t product)
{
    return matrix.offset + product * (resized.batch.listed ? round_up(matrix.extent(), matrix.distance) : matrix.distance);
}

std::vector<const Step*> steps_to_check(const Plan& plan, const KernelInfo& kernel, const Arithmetic& arithmetic)
{
    const KernelSource& kernels_own = kernel.source();
    std::vector<const Step*> result;
    for (const Step* const step : steps_and_makings(plan))
        if ((is_reproducible(arithmetic) || step->source == &kernels_own) &&
            std::none_of(result.begin(), result.end(), [&](const Step* known) { return are_of_one_program(*known, *step); }))
            result.push_back(step);
    std::stable_partition(result.begin(), result.end(), [&](const Step* step) { return step->source == &kernels_own; });
    return result;
}

std::vector<SmallCall> small_calls_by(const Step& program, const Problem& problem, const PlannedCall& call,
                                      const DeviceProfile& device)
{
    std::vector<SmallCall> result;
    const auto add = [&](float alpha, float beta) {
        if (auto small = small_call_by(program, problem, call, device, alpha, beta))
            result.push_back(std::move(*small));
    };
    if (is_reproducible(problem.arithmetic)) {
        add(0.7f, -1.3f);
    } else {
        add(1.0f, 0.0f);
        add(1.0f, 0.5f);
    }
    return result;
}

} // namespace clgemm::core
