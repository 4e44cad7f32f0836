#include "select/selection.hpp"

#include "support/arithmetic.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
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

// Which of a kernel's variants where nothing was measured, null if the device can run none. A CPU takes the first that fits,
// starting from the one that was fastest on CPUs. A GPU takes the first (the largest tiles) that gives its compute units
// enough work-groups, or the one that comes closest to it.
const Parameters* choose_variant(const KernelInfo& kernel, const Problem& problem, const DeviceProfile& device)
{
    const std::size_t count = kernel.variants.size();
    const std::size_t start = device.type == DeviceType::cpu ? kernel.first_on_cpu : 0;
    const Parameters* best = nullptr;
    std::size_t best_groups = 0;
    for (std::size_t i = 0; i < count; i++) {
        const Parameters& parameters = kernel.variants[(start + i) % count];
        const Tiling tiling = kernel.tiling(parameters);
        if (!fits(tiling, device) || !suits(kernel, parameters, device))
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

// Temporaries may take an eighth of the device's memory, and must fit one buffer.
double workspace_limit(const DeviceProfile& device)
{
    return std::min(static_cast<double>(device.max_allocation), static_cast<double>(device.global_memory) / 8);
}

double workspace_bytes(const Problem& problem, const KernelInfo& kernel, const Way& way)
{
    const auto bytes = [](std::size_t rows, std::size_t cols) {
        return static_cast<double>(rows) * static_cast<double>(cols) * sizeof(float);
    };
    const bool packs = kernel.scheme == Scheme::cpu_packed;
    return (way.copy_a || packs ? bytes(problem.m, problem.k) : 0) +
           (way.copy_b || packs ? bytes(problem.k, problem.n) : 0) +
           (way.splits > 1 ? static_cast<double>(way.splits) * bytes(problem.m, problem.n) : 0);
}

// K may be split into so many parts. Each still has some steps, or starting and adding would cost more than they save.
constexpr std::size_t split_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 80, 96, 128};
constexpr std::size_t fewest_steps = 4;
// Blocks of a kernel for CPUs are as many as its compute units need without that.
constexpr std::size_t most_cpu_splits = 4; // for each compute unit

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

// The operands as the kernel would find them, in the letters that are measured: where one of two that run along M and N is
// not aligned for vectors, both count as such; to kernels of few columns, only A matters; to kernels for CPUs, neither.
std::string letters_after_copies(const Problem& problem, const KernelInfo& kernel, const Way& way)
{
    std::string letters = operand_letters(way.exchanged ? exchanged(problem) : problem);
    if (way.copy_a)
        letters[0] = 'N';
    if (way.copy_b)
        letters[1] = 'T';
    const bool for_cpus = kernel.scheme != Scheme::tiles;
    if (for_cpus && letters[0] == 'n')
        letters[0] = 'N';
    if ((for_cpus || kernel.few_columns) && letters[1] == 't')
        letters[1] = 'T';
    if (letters == "nT")
        letters[1] = 't';
    if (letters == "Nt")
        letters[0] = 'n';
    return letters;
}

// The fastest by the cost model; none if nothing that was measured can do it. `wanted` null: of all kernels.
std::optional<Candidate> fastest(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                 const KernelInfo* wanted)
{
    std::optional<Candidate> best;
    for (const auto& measurement : tuning.measurements) {
        if (wanted && measurement.kernel != wanted)
            continue;
        const Tiling tiling = measurement.kernel->tiling(measurement.parameters);
        if (!fits(tiling, device))
            continue;
        for (const Way& way : possible_ways(problem, device, *measurement.kernel, tiling)) {
            if (!measurement.operands.empty() &&
                measurement.operands != letters_after_copies(problem, *measurement.kernel, way))
                continue;
            const double ns = estimate(problem, device, tuning, measurement, way);
            if (!best || ns < best->ns)
                best = Candidate{&measurement, way, ns};
        }
    }
    return best;
}

} // namespace

std::vector<Way> possible_ways(const Problem& problem, const DeviceProfile& device, const KernelInfo& kernel,
                               const Tiling& tiling)
{
    std::vector<Way> result;
    const auto add_splits = [&](Way way) {
        for (const std::size_t splits : split_counts) {
            way.splits = splits;
            if (splits > 1 && (!kernel.splits_k || problem.k / splits < fewest_steps * tiling.k ||
                               (kernel.scheme != Scheme::tiles && splits > most_cpu_splits * device.compute_units)))
                break;
            if (workspace_bytes(problem, kernel, way) <= workspace_limit(device))
                result.push_back(way);
        }
    };
    if (kernel.few_columns) { // it reads the large operand once, so that no copy can pay
        if (problem.n <= tiling.n)
            add_splits({});
        if (problem.m <= tiling.n)
            add_splits({false, false, 1, true});
        return result;
    }
    const std::string letters = operand_letters(problem);
    for (const bool copy_a : {false, true})
        for (const bool copy_b : {false, true})
            if ((!copy_a || (kernel.copies_may_pay && letters[0] != 'N')) &&
                (!copy_b || (kernel.copies_may_pay && letters[1] != 'T')))
                add_splits({copy_a, copy_b, 1, false});
    return result;
}

Selection selection_of(const KernelInfo& kernel, const Parameters& parameters, const DeviceProfile& device,
                       std::string reason)
{
    Selection selection{&kernel, parameters, kernel.tiling(parameters), std::move(reason)};
    if (kernel.add_device_features)
        kernel.add_device_features(device, selection.parameters);
    return selection;
}

const Measurement* fastest_measurement(const Problem& problem, const DeviceProfile& device, const Tuning& tuning)
{
    const auto best = fastest(problem, device, tuning, nullptr);
    return best ? best->measurement : nullptr;
}

Selection select(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const KernelInfo* wanted)
{
    if (const auto best = fastest(problem, device, tuning, wanted)) {
        std::string reason = wanted ? "asked for; of its sizes" : "";
        reason += (wanted ? " the fastest by estimate, " : "the fastest by estimate, ") + in_microseconds(best->ns) + " (" +
                  tuning.origin + ")";
        Selection selection =
            selection_of(*best->measurement->kernel, best->measurement->parameters, device, std::move(reason));
        selection.way = best->way;
        selection.estimate_ns = best->ns;
        return selection;
    }
    const KernelInfo& kernel = wanted ? *wanted : *find_kernel("01_naive"); // it runs everywhere, and needs no workspace
    if (const Parameters* parameters = choose_variant(kernel, problem, device))
        return selection_of(kernel, *parameters, device, wanted ? "asked for" : "nothing else fits the device");
    throw Error(CLGEMM_KERNEL_NOT_SUPPORTED, "kernel " + std::string(kernel.name) + " needs more work-items or local " +
                                                 "memory than " + device.name + " has, in each of its sizes");
}

} // namespace clgemm::core
