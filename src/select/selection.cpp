#include "select/selection.hpp"

#include "families/registry.hpp"
#include "plan/workspace_layout.hpp"
#include "select/cost_model.hpp"
#include "support/arithmetic.hpp"
#include "support/error.hpp"
#include "support/opencl.hpp"

#include "clgemm/clgemm.h"

#include <algorithm>
#include <cstdio>
#include <optional>

namespace clgemm::core {
namespace {

// Fewer work-items than this leave lanes of a warp or wavefront idle.
constexpr std::size_t fewest_work_items = 32;

// With fewer work-groups than one and a half for each compute unit, too many units wait for the last ones.
bool enough(std::size_t groups, const DeviceProfile& device)
{
    return 2 * groups >= 3 * device.compute_units;
}

// Which of a kernel's variants where nothing was measured, none if the device can run none. A CPU takes the first.
// A GPU takes the first (the largest tiles) that gives its compute units enough work-groups, or the one that comes closest.
std::optional<Variant> choose_variant(const KernelInfo& kernel, const Problem& problem, const DeviceProfile& device)
{
    std::optional<Variant> best;
    std::size_t best_groups = 0;
    for (Variant& variant : variants_for(kernel, device)) {
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

// Temporaries must fit one buffer.
std::size_t bytes_allowed(const DeviceProfile& device, std::size_t limit)
{
    return std::min(device.max_allocation, limit > 0 ? limit : device.memory_for_temporaries());
}

std::string in_microseconds(double ns)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g us", ns / 1000);
    return text;
}

struct Candidate {
    const Measurement* measurement;
    Way way;
    double ns;
};

// The best of the ways for which the measurement holds, if it is better than the best so far.
void consider(std::optional<Candidate>& best, const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
              const Measurement& measurement, std::size_t most_bytes, bool with_copies = true)
{
    const Variant& variant = measurement.variant;
    const Family& family = variant.family();
    bool holds = true;
    // Ways that differ in the parts of K alone follow one another: their operands lie alike.
    const Way* before = nullptr;
    const auto ways = family.ways(problem, device, variant, most_bytes);
    for (const Way& way : ways) {
        if (!with_copies && (way.copy_a || way.copy_b))
            continue;
        if (!measurement.operands.empty() && (!before || before->copy_a != way.copy_a || before->copy_b != way.copy_b ||
                                              before->transposed != way.transposed))
            holds = measurement.operands == family.measured_operands(problem, way);
        before = &way;
        if (!holds)
            continue;
        const Outline outline = family.outline(problem, device, variant, way);
        if (outline.workspace_bytes > most_bytes)
            continue;
        // Of equal estimates the first counts, also where rounding made them differ.
        constexpr double nearly_one = 1 - 1e-12;
        const double ns = estimate(outline, tuning, measurement);
        if (!best || ns < best->ns * nearly_one)
            best = Candidate{&measurement, way, ns};
    }
}

// The fastest by the cost model; none if nothing that was measured can do it.
std::optional<Candidate> fastest(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                 const Options& options)
{
    std::optional<Candidate> best;
    if (options.last_resort)
        return best;
    const std::size_t most_bytes = bytes_allowed(device, options.workspace_limit);
    for (const auto& measurement : tuning.measurements) {
        const Variant& variant = measurement.variant;
        if ((!options.kernel || variant.kernel == options.kernel) && (!options.strict || variant.family().is_strict()) &&
            runs(variant, device))
            consider(best, problem, device, tuning, measurement, most_bytes);
    }
    return best;
}

// A kernel that nobody has measured, in the first way that is allowed: best the plain one, which every kernel has.
Way first_way(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Options& options)
{
    // Who asks for a kernel and sets no limit gets what the device has.
    std::vector<std::size_t> limits{bytes_allowed(device, options.workspace_limit)};
    if (options.workspace_limit == 0)
        limits.push_back(device.max_allocation);
    if (!variant.family().keeps_to_limit())
        limits.push_back(WorkspaceLayout::most_bytes());
    const Family& family = variant.family();
    for (const std::size_t most_bytes : limits) {
        std::vector<Way> ways = family.ways(problem, device, variant, most_bytes);
        ways.insert(ways.begin(), Way{});
        for (const Way& way : ways)
            if (family.outline(problem, device, variant, way).workspace_bytes <= most_bytes)
                return way;
    }
    throw Error(CL_MEM_OBJECT_ALLOCATION_FAILURE,
                "kernel " + std::string(variant.kernel->name) + " needs more workspace for this problem than allowed");
}

} // namespace

Variant completed(Variant variant, const DeviceProfile& device)
{
    variant.family().add_device_features(device, variant.parameters);
    return variant;
}

const Measurement* fastest_measurement(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                       const Options& options)
{
    const auto best = fastest(problem, device, tuning, options);
    return best ? best->measurement : nullptr;
}

std::optional<double> shortest_estimate(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                        const Measurement& measurement)
{
    std::optional<Candidate> best;
    consider(best, problem, device, tuning, measurement, bytes_allowed(device, 0), false);
    return best ? std::optional(best->ns) : std::nullopt;
}

Selection select(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const Options& options)
{
    const KernelInfo* asked_for = options.kernel;
    if (asked_for && options.strict && !asked_for->family->is_strict())
        throw Error(CLGEMM_KERNEL_NOT_SUPPORTED, "kernel " + std::string(asked_for->name) +
                                                     " does not compute by FP32 multiplications and additions alone, as " +
                                                     "the strict math mode wants it");
    if (const auto best = fastest(problem, device, tuning, options)) {
        const Variant& variant = best->measurement->variant;
        std::string reason = asked_for ? "asked for; of its sizes " : "";
        reason += "the fastest by estimate, " + in_microseconds(best->ns) + " (" + tuning.origin + ")";
        if (!asked_for && !variant.family().is_strict()) {
            Options strict = options;
            strict.strict = true;
            if (const auto other = fastest(problem, device, tuning, strict))
                reason += "; in FP32 alone " + std::string(other->measurement->variant.kernel->name) + " would take " +
                          in_microseconds(other->ns);
        }
        const bool is_unproven = tuning.is_a_guess && !asked_for && !variant.family().is_strict();
        if (is_unproven)
            reason += "; checked at its first use";
        return {completed(variant, device), std::move(reason), best->way, best->ns, is_unproven};
    }
    if (!asked_for && tuning.guesses)
        return select(problem, device, *tuning.guesses, options);
    const KernelInfo& kernel = asked_for ? *asked_for : last_resort();
    if (const auto variant = choose_variant(kernel, problem, device))
        return {completed(*variant, device), asked_for ? "asked for" : "nothing else could be had",
                first_way(problem, device, *variant, options)};
    throw Error(CLGEMM_KERNEL_NOT_SUPPORTED, "kernel " + std::string(kernel.name) + " needs more work-items or local " +
                                                 "memory than " + device.name +
                                                 " has, in each of its sizes, or other instructions");
}

} // namespace clgemm::core
