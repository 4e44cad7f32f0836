#include "families/in_place.hpp"

#include "families/multiplication.hpp"
#include "families/operands.hpp"

namespace clgemm::core {

std::vector<Way> InPlace::ways(const Problem& problem, const DeviceProfile&, const Variant& variant, std::size_t) const
{
    std::vector<Way> result;
    for (const bool exchanged : {false, true})
        if (takes_columns(exchanged ? problem.m : problem.n, variant.tiling))
            add_split_k_ways(result, {.transposed = exchanged}, problem, variant.tiling);
    return result;
}

Outline InPlace::outline(const Problem& callers, const DeviceProfile& device, const Variant& variant, const Way& way) const
{
    const Problem problem = as_computed(callers, way);
    WorkspaceLayout workspace;
    const SplitK split = split_k(problem, way.split_k, variant.tiling.k, workspace);
    Outline result;
    result.workspace_bytes = workspace.bytes();
    add_multiplication(result, problem, split, load_of_tiles(problem, device, variant.tiling, split));
    return result;
}

Plan InPlace::plan(const Problem& callers, const DeviceProfile& device, const Variant& variant, const Way& way) const
{
    const Problem problem = as_computed(callers, way);
    PlanBuilder builder(device);
    const SplitK split = split_k(problem, way.split_k, variant.tiling.k, builder.workspace);
    builder.add(multiplication_step(variant, problem, problem.a, problem.b, split, lying_options(problem.a, problem.b)));
    add_sum_of_parts(builder, problem, split);
    return builder.finish();
}

} // namespace clgemm::core
