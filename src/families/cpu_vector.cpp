// Kernel 18: few columns of C, or few rows, which are the columns of the transposed problem. Both operands are read where
// they lie. A work-group computes a block of rows, from all of K or a part of it.
#include "families/families.hpp"

#include "families/cpu_family.hpp"

#include <algorithm>
#include <bit>

namespace clgemm::core {
namespace {

class CpuVector : public CpuFamily {
public:
    bool is_valid(const Parameters& p) const override
    {
        const std::size_t width = p["WIDTH"], columns = p["COLUMNS"], m = p["TSM"], k = p["TSK"];
        return is_vector_width(width) && is_power_of_2(columns) && columns <= 16 && m > 0 && m % width == 0 && m <= 65536 &&
               k > 0 && k % width == 0 && k <= 65536 && p["DEPTH"] > 0 && p["DEPTH"] <= 32 && p["ROWS"] > 0 &&
               p["ROWS"] <= 32 / std::min<std::size_t>(columns, 4);
    }
    Tiling tiling(const Parameters& p) const override
    {
        return {p["WIDTH"], p["COLUMNS"], unit_k, 1, 1, p["COLUMNS"] * (p["TSM"] + p["TSK"]) * sizeof(float)};
    }

    Answer takes(const Problem& problem, const Variant& variant, const DeviceProfile&) const override
    {
        return as_built(variant, problem).parameters["TSM"] > 0
                   ? Answer::yes()
                   : Answer::no("has too little local memory in this size to sum up " + std::to_string(reproducible_depth) +
                                " products, as reproducible results need it");
    }

    std::vector<Way> ways(const Problem& problem, const DeviceProfile& device, const Variant& variant) const override
    {
        // With so many blocks for each unit, parts of K make no unit end sooner, and cost a second launch.
        constexpr std::size_t blocks_enough = 4;
        std::vector<Way> result;
        for (const Way& way : {Way{}, Way{.transposed = true}})
            if (columns_of(problem, way) <= variant.tiling.n) {
                const Problem computed = as_computed(problem, way);
                const std::size_t blocks = groups_m(computed, rows_of_block(computed, device, variant.parameters));
                const bool has_enough = blocks >= blocks_enough * device.compute_units;
                add_split_k_ways(result, way, problem, variant.tiling, has_enough ? 1 : most_parts(device));
            }
        return result;
    }

    std::size_t products_at_once(const Way& way) const override { return products_unless_split(way); }

    Outline outline(const Problem& callers, const DeviceProfile& device, const Variant& measured,
                    const Way& way) const override
    {
        const Variant variant = as_built(measured, callers);
        const Problem problem = as_computed(callers, way);
        WorkspaceLayout workspace;
        const SplitK split = split_k(problem, way.split_k, unit_k, workspace);
        const std::size_t rows = rows_of_block(problem, device, variant.parameters);
        const std::size_t groups = groups_m(problem, rows) * groups_n(problem, variant) * parts_of(problem, split);
        // Units do not end together: at the end one waits for a part of a group, which counts the less the more groups there
        // are. The load is scaled so that one group for each unit is a load of one.
        constexpr double waiting = 0.5; // of a group
        const double groups_of_a_unit = (as_double(divide_up(groups, device.compute_units)) + waiting) / (1 + waiting);
        const Load load{groups_of_a_unit * as_double(divide_up(rows, variant.tiling.m)),
                        divide_up(split.depth, variant.tiling.k), share_of_memory(groups, device)};
        Outline result;
        result.workspace_bytes = workspace.bytes();
        add_multiplication(result, problem, split, load);
        constexpr double beginning = 700; // for each column
        count_beginnings(result, problem, device, variant.tiling, beginning * as_double(variant.tiling.n));
        Outline::Launch& launch = result.launches.front();
        launch.hidden = hidden;
        count_partial_step(launch, problem, split.depth, variant.tiling);
        if (problem.batch.count == 1) {
            // The time to store a tile was measured with few tiles. With many it takes longer.
            launch.steps_more = problem.a.transposed ? 1.5 : 1;
            // Columns that do not exist are multiplied, too. Where memory sets the pace, they must not look free if a
            // variant of half as many columns would do.
            launch.hidden *= as_double(std::min(std::bit_ceil(problem.n), variant.tiling.n)) / as_double(variant.tiling.n);
        }
        return result;
    }

    void plan(PlanBuilder& builder, const Problem& callers, const Variant& measured, const Way& way) const override
    {
        const Variant variant = as_built(measured, callers);
        const Problem problem = as_computed(callers, way);
        const SplitK split = split_k(problem, way.split_k, unit_k, builder.workspace);
        const std::size_t rows = rows_of_block(problem, builder.device(), variant.parameters);
        builder.add(step(
            variant, "multiply", "multiply", flag("TRANS_A", problem.a.transposed),
            {groups_m(problem, rows), groups_n(problem, variant), parts_of(problem, split)},
            {problem.a.memory, problem.b.memory, split.target.memory},
            ArgumentBytes(kernel_arguments::BlockMultiplication{multiplication(problem, split), rows, variant.tiling.n})));
        add_sum_of_parts(builder, problem, split);
    }

    std::optional<Guess> guess(const Variant& variant, const DeviceProfile& device) const override
    {
        auto guess = cpu_guess(variant, device, 5);
        if (guess) {
            // Sums of whole vectors of rows are stored as they are. Where A's memory runs along K, each sum is of one row.
            const double columns = as_double(variant.tiling.n);
            guess->steps_to_store = columns / 16;
            guess->steps_to_store_along_k = columns / 2;
        }
        return guess;
    }
    Probing probing() const override
    {
        Probing result = CpuFamily::probing();
        result.one_tile_of_columns = true;
        return result;
    }

private:
    // The variant as it is built: where the result must be reproducible, blocks of K have the given depth. Then there are as
    // many whole vectors of rows as local memory holds beside B's columns, but no more than the variant has.
    static Variant as_built(const Variant& variant, const Problem& problem)
    {
        if (!is_reproducible(problem.arithmetic))
            return variant;
        const Parameters& p = variant.parameters;
        const std::size_t both = p["TSM"] + p["TSK"], left = both - std::min(both, reproducible_depth);
        return with_rows(with_given_depth(variant, problem), std::min(p["TSM"], left / p["WIDTH"] * p["WIDTH"]));
    }

    // If A's memory runs along M, blocks have many rows, since long streams are fast, but fewer rather than units without
    // work. If it runs along K, anything will do.
    static std::size_t rows_of_block(const Problem& problem, const DeviceProfile& device, const Parameters& p)
    {
        const std::size_t units = device.compute_units;
        const std::size_t blocks = problem.a.transposed ? std::min(4 * units, divide_up(problem.m, 256))
                                                        : std::max(std::min(2 * units, divide_up(problem.m, 1024)),
                                                                   std::min(units, divide_up(problem.m, 512)));
        return std::min(p["TSM"], equal_part(problem.m, blocks, p["WIDTH"]));
    }
    static std::size_t groups_m(const Problem& problem, std::size_t rows) { return divide_up(problem.m, rows); }
    static std::size_t groups_n(const Problem& problem, const Variant& variant)
    {
        return divide_up(problem.n, variant.tiling.n);
    }
};

// The sizes of 8 columns take not quite 48 KB of local memory, since NVIDIA's compiler takes some for itself.
Parameters vector_size(std::size_t width, std::size_t columns, std::size_t m, std::size_t k, std::size_t depth,
                       std::size_t rows)
{
    return {{"WIDTH", width}, {"COLUMNS", columns}, {"TSM", m}, {"TSK", k}, {"DEPTH", depth}, {"ROWS", rows}};
}

std::vector<Parameters> vector_sizes()
{
    std::vector<Parameters> result;
    for (const std::size_t width : {16U, 8U, 4U})
        for (const Parameters& size : {vector_size(width, 1, 2048, 4096, 8, 8), vector_size(width, 2, 2048, 2048, 8, 8),
                                       vector_size(width, 4, 1024, 512, 8, 4), vector_size(width, 8, 1024, 480, 8, 4),
                                       vector_size(width, 16, 1024, 512, 16, 4)})
            result.push_back(size);
    return result;
}

} // namespace

std::vector<KernelInfo> cpu_vector_kernels()
{
    static const auto* const family = new CpuVector;
    return {{.name = "cpu_vector",
             .idea = "for CPUs: few columns, A is read once, in place",
             .family = family,
             .variants = vector_sizes(),
             .vector_parameter = "WIDTH",
             .former_name = "18_cpu_vector"}};
}

} // namespace clgemm::core
