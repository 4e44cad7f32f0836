#include "select/selection.hpp"

#include "support/error.hpp"

#include <algorithm>

namespace clgemm::core {
namespace {

std::size_t divide_up(std::size_t value, std::size_t by)
{
    return value / by + (value % by != 0);
}

// Fewer work-items than this leave lanes of a warp or wavefront idle.
constexpr std::size_t fewest_work_items = 32;

// With fewer work-groups than one and a half for each compute unit, too many units wait for the last ones.
bool enough(std::size_t groups, const DeviceProfile& device)
{
    return 2 * groups >= 3 * device.compute_units;
}

// Which of a kernel's variants, null if the device can run none. A CPU takes the first that fits, starting from the one that
// was fastest on CPUs. A GPU takes the first (the largest tiles) that gives its compute units enough work-groups, or the one
// that comes closest to it.
const Parameters* choose_variant(const KernelInfo& kernel, const Problem& problem, const DeviceProfile& device)
{
    const std::size_t count = kernel.variants.size();
    const std::size_t start = device.type == DeviceType::cpu ? kernel.first_on_cpu : 0;
    const Parameters* best = nullptr;
    std::size_t best_groups = 0;
    for (std::size_t i = 0; i < count; i++) {
        const Parameters& parameters = kernel.variants[(start + i) % count];
        const Tiling tiling = kernel.tiling(parameters);
        if (!fits(tiling, device))
            continue;
        if (device.type == DeviceType::cpu)
            return &parameters;
        const std::size_t groups = divide_up(problem.m, tiling.m) * divide_up(problem.n, tiling.n);
        const bool fills_a_warp = tiling.items_m * tiling.items_n >= fewest_work_items;
        if (!best || (fills_a_warp && !enough(best_groups, device) && groups > best_groups)) {
            best = &parameters;
            best_groups = groups;
        }
    }
    return best;
}

struct Choice {
    const char* kernel;
    const char* reason;
};

// The rules, in order of preference, from the tables in docs/kernels.md. Kernel 1 runs everywhere and needs no workspace, so
// it always comes last.
std::vector<Choice> preferences(const Problem& problem, const DeviceProfile& device)
{
    const Choice naive{"01_naive", "nothing else fits the device"};
    if (std::min(problem.m, problem.n) < 16)
        return {{"01_naive", "fewer than 16 rows or columns: a tile would be mostly padding"}};
    if (problem.k < 8)
        return {{"01_naive", "K is under 8: nothing to share through local memory"}};
    if (device.type == DeviceType::cpu)
        return {{"04_wide_types", "a CPU: vectors as wide as its registers"}, naive};

    const std::size_t smallest_tiles = divide_up(problem.m, 32) * divide_up(problem.n, 32);
    if (2 * smallest_tiles < device.compute_units)
        return {{"01_naive", "too small to give half the compute units a tile"}};
    return {{"13_warp_tiled", "a GPU: warp tiles, without copies"},
            {"03_work_per_thread", "larger tiles do not fit the device"},
            naive};
}

} // namespace

Selection select(const Problem& problem, const DeviceProfile& device, const KernelInfo* wanted)
{
    const auto complete = [&](const KernelInfo& kernel, const Parameters& parameters, std::string reason) {
        Selection selection{&kernel, parameters, kernel.tiling(parameters), std::move(reason)};
        if (kernel.add_device_features)
            kernel.add_device_features(device, selection.parameters);
        return selection;
    };

    if (wanted) {
        const Parameters* parameters = choose_variant(*wanted, problem, device);
        if (!parameters)
            throw Error(CLGEMM_KERNEL_NOT_SUPPORTED, "kernel " + std::string(wanted->name) +
                                                         " needs more work-items or local " + "memory than " + device.name +
                                                         " has, in each of its sizes");
        return complete(*wanted, *parameters, "asked for");
    }
    for (const auto& choice : preferences(problem, device)) {
        const KernelInfo& kernel = *find_kernel(choice.kernel);
        if (const Parameters* parameters = choose_variant(kernel, problem, device))
            return complete(kernel, *parameters, choice.reason);
    }
    throw Error(CLGEMM_INTERNAL_ERROR, "kernel 1 fits every device, but not " + device.name);
}

} // namespace clgemm::core
