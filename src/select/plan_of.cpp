#include "select/plan_of.hpp"

#include "plan/parts.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>

namespace clgemm::core {
namespace {

std::size_t products_at_once(const Problem& problem, const Family& family, const Way& way)
{
    if (!problem.batch.listed)
        return family.products_at_once(way);
    return std::max<std::size_t>(family.listed_products_at_once(), 1); // 0 has been refused: takes()
}

// Operands that fit a CPU's last cache are there, from the call before or from whoever wrote them, and come in a part of the
// time that memory takes (docs/notes/cpu.md). (A GPU's kernels were measured on operands that are in its cache.)
void count_cache(Outline& outline, const DeviceProfile& device)
{
    constexpr double of_the_time = 0.25;
    if (device.type != DeviceType::cpu)
        return;
    for (Outline::Launch& launch : outline.launches)
        if (launch.bytes + launch.bytes_first <= static_cast<double>(device.cache)) {
            launch.bytes *= of_the_time;
            launch.bytes_first *= of_the_time;
        }
}

} // namespace

std::size_t part_count(const Problem& problem, const Variant& variant, const Way& way, const Blocks& blocks)
{
    return part_count(problem, blocks, products_at_once(problem, variant.family(), way));
}

bool has_way(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way)
{
    if (way == Way{})
        return true;
    const std::vector<Way> ways = variant.family().ways(problem, device, variant);
    return std::find(ways.begin(), ways.end(), way) != ways.end();
}

Outline outline_of(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way,
                   const Blocks& blocks)
{
    const Family& family = variant.family();
    Outline result =
        family.outline(first_part(problem, blocks, products_at_once(problem, family, way)), device, variant, way);
    count_cache(result, device);
    return result;
}

Plan plan_of(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way,
             const Blocks& blocks)
{
    PlanBuilder builder(device);
    const Family& family = variant.family();
    for_each_part(problem, blocks, products_at_once(problem, family, way), [&](const Part& part) {
        builder.begin(part);
        family.plan(builder, part.problem, variant, way);
    });
    return builder.finish();
}

std::optional<Blocks> blocks_within(const Problem& problem, const DeviceProfile& device, const Variant& variant,
                                    std::size_t most_bytes)
{
    const Tiling& tiling = variant.tiling;
    Blocks blocks{problem.m, problem.n};
    while (outline_of(problem, device, variant, {}, blocks).workspace_bytes > most_bytes) {
        // The longer side is halved, so that blocks become squares, which make the most of what they read. But a prepared
        // operand stays whole, as its image is one whole.
        const bool longer_m = blocks.m >= blocks.n ? blocks.m > tiling.m : blocks.n <= tiling.n;
        const bool halve_m = problem.b.prepared || (!problem.a.prepared && longer_m);
        std::size_t& side = halve_m ? blocks.m : blocks.n;
        const std::size_t tile = halve_m ? tiling.m : tiling.n;
        if (side <= tile)
            return std::nullopt;
        side = round_up(divide_up(side, 2), tile);
    }
    // Each takes launches of its own. (Operands that the device holds need fewer, unless the workspace is limited to very
    // little.)
    constexpr std::size_t most_blocks = 4096;
    if (saturating_product(divide_up(problem.m, blocks.m), divide_up(problem.n, blocks.n)) > most_blocks)
        return std::nullopt;
    return blocks;
}

} // namespace clgemm::core
