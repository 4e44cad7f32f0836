#include "select/unmeasured.hpp"

#include "families/registry.hpp"
#include "select/plan_of.hpp"
#include "support/error.hpp"
#include "support/whole_numbers.hpp"

namespace clgemm::core {
namespace {

// Fewer work-items than this leave lanes of a warp or wavefront idle.
constexpr std::size_t fewest_work_items = 32;

// With fewer work-groups than one and a half for each compute unit, too many units wait for the last ones.
bool enough(std::size_t groups, const DeviceProfile& device)
{
    return 2 * groups >= 3 * device.compute_units;
}

} // namespace

std::optional<Variant> variant_by_rule(const KernelInfo& kernel, const Problem& problem, const DeviceProfile& device)
{
    std::optional<Variant> best;
    std::size_t best_groups = 0;
    for (Variant& variant : variants_for(kernel, problem, device)) {
        if (device.type == DeviceType::cpu)
            return variant;
        const Tiling& tiling = variant.tiling;
        const std::size_t groups = divide_up(problem.m, tiling.m) * divide_up(problem.n, tiling.n);
        const bool fills_a_warp = tiling.items_m * tiling.items_n >= fewest_work_items;
        if (!best || (fills_a_warp && !enough(best_groups, device) && groups > best_groups)) {
            best = std::move(variant);
            best_groups = groups;
        }
    }
    return best;
}

WayInBlocks first_way(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Options& options)
{
    // A caller who asks for a kernel and sets no limit gets as much as the device has.
    std::vector<std::size_t> limits{bytes_allowed(device, options.workspace_limit)};
    if (options.workspace_limit == 0)
        limits.push_back(device.max_allocation);
    if (!variant.family().keeps_to_limit())
        limits.push_back(WorkspaceLayout::most_bytes());
    const Family& family = variant.family();
    std::vector<Way> ways = family.ways(problem, device, variant);
    ways.insert(ways.begin(), Way{});
    for (const std::size_t most_bytes : limits) {
        for (const Way& way : ways)
            if (outline_of(problem, device, variant, way).workspace_bytes <= most_bytes)
                return {way, {}};
        if (family.computes_in_blocks())
            if (const auto blocks = blocks_within(problem, device, variant, most_bytes))
                return {{}, *blocks};
    }
    throw Error(CL_MEM_OBJECT_ALLOCATION_FAILURE,
                "kernel " + std::string(variant.kernel->name) + " needs more workspace for this problem than the " +
                    std::to_string(limits.back()) + " bytes that " +
                    (options.workspace_limit > 0 && family.keeps_to_limit() ? "the options allow" : "a buffer may have"));
}

} // namespace clgemm::core
