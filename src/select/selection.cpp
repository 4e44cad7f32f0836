#include "select/selection.hpp"

#include "select/tensor_blocks.hpp"
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
        if (!runs(kernel, parameters, device) || !suits(kernel, parameters, device))
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

// Temporaries must fit one buffer.
double bytes_allowed(const DeviceProfile& device, std::size_t limit)
{
    const double asked_for = limit > 0 ? static_cast<double>(limit) : static_cast<double>(device.global_memory) / 8;
    return std::min(static_cast<double>(device.max_allocation), asked_for);
}

// At most: copies are padded a little. (The pieces that kernels 14 and 19 multiply come on top of it.)
double workspace_bytes(const Problem& problem, const KernelInfo& kernel, const Way& way)
{
    constexpr std::size_t vector = 4;
    constexpr double alignment = 256;
    const auto bytes = [](std::size_t rows, std::size_t cols) {
        return static_cast<double>(round_up(rows, vector)) * static_cast<double>(round_up(cols, vector)) * sizeof(float) +
               alignment;
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
    const Problem computed = way.exchanged ? exchanged(problem) : problem;
    std::string letters = operand_letters(computed);
    if (way.copy_a)
        letters[0] = 'N';
    if (way.copy_b)
        letters[1] = 'T';
    const bool for_cpus = is_for_cpus(kernel.scheme);
    if (for_cpus && letters[0] == 'n')
        letters[0] = 'N';
    if ((for_cpus || kernel.few_columns) && letters[1] == 't')
        letters[1] = 'T';
    // Kernel 20 was measured with vectors along K, and is slow without.
    if (kernel.scheme == Scheme::tensor_direct &&
        ((computed.a.transposed && !takes_vectors(computed.a)) || (!computed.b.transposed && !takes_vectors(computed.b))))
        return "none";
    if (letters == "nT")
        letters[1] = 't';
    if (letters == "Nt")
        letters[0] = 'n';
    return letters;
}

// The fastest by the cost model; none if nothing that was measured can do it.
std::optional<Candidate> fastest(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                 const Wishes& wishes)
{
    std::optional<Candidate> best;
    for (const auto& measurement : tuning.measurements) {
        if ((wishes.kernel && measurement.kernel != wishes.kernel) || (wishes.strict && !measurement.kernel->is_strict()))
            continue;
        if (!runs(*measurement.kernel, measurement.parameters, device))
            continue;
        const Tiling tiling = measurement.kernel->tiling(measurement.parameters);
        bool holds = true;
        const Way* before = nullptr; // ways that differ in the number of parts alone follow each other
        const auto ways = possible_ways(problem, device, *measurement.kernel, tiling, wishes.workspace_limit);
        for (const Way& way : ways) {
            if (!measurement.operands.empty() && (!before || before->copy_a != way.copy_a || before->copy_b != way.copy_b ||
                                                  before->exchanged != way.exchanged))
                holds = measurement.operands == letters_after_copies(problem, *measurement.kernel, way);
            before = &way;
            if (!holds)
                continue;
            const double ns = estimate(problem, device, tuning, measurement, tiling, way);
            if (!best || ns < best->ns)
                best = Candidate{&measurement, way, ns};
        }
    }
    return best;
}

} // namespace

std::vector<Way> possible_ways(const Problem& problem, const DeviceProfile& device, const KernelInfo& kernel,
                               const Tiling& tiling, std::size_t workspace_limit)
{
    const double allowed = bytes_allowed(device, workspace_limit);
    std::vector<Way> result;
    const auto add_splits = [&](Way way, double other_bytes = 0) {
        for (const std::size_t splits : split_counts) {
            way.splits = splits;
            if (splits > 1 && (!kernel.splits_k || problem.k / splits < fewest_steps * tiling.k ||
                               (is_for_cpus(kernel.scheme) && splits > most_cpu_splits * device.compute_units)))
                break;
            if (workspace_bytes(problem, kernel, way) + other_bytes <= allowed)
                result.push_back(way);
        }
    };
    if (kernel.scheme == Scheme::tensor) {
        const auto blocks = tensor_blocks(problem.m, problem.n, problem.k, tiling, allowed);
        if (blocks && blocks->m == problem.m && blocks->n == problem.n)
            add_splits({}, tensor_bytes(*blocks, problem.k, tiling));
        else if (blocks)
            result.push_back({false, false, 1, false, blocks->m, blocks->n});
        return result;
    }
    if (kernel.few_columns || kernel.scheme == Scheme::tensor_direct) { // no copy can pay
        const auto possible = [&](std::size_t columns) { return !kernel.few_columns || columns <= tiling.n; };
        if (possible(problem.n))
            add_splits({});
        if (possible(problem.m))
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

const Measurement* fastest_measurement(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                       const Wishes& wishes)
{
    const auto best = fastest(problem, device, tuning, wishes);
    return best ? best->measurement : nullptr;
}

Selection select(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const Wishes& wishes)
{
    const KernelInfo* wanted = wishes.kernel;
    if (wanted && wishes.strict && !wanted->is_strict())
        throw Error(CLGEMM_KERNEL_NOT_SUPPORTED, "kernel " + std::string(wanted->name) +
                                                     " does not compute by FP32 multiplications and additions alone, as " +
                                                     "the strict math mode wants it");
    if (const auto best = fastest(problem, device, tuning, wishes)) {
        std::string reason = wanted ? "asked for; of its sizes" : "";
        reason += (wanted ? " the fastest by estimate, " : "the fastest by estimate, ") + in_microseconds(best->ns) + " (" +
                  tuning.origin + ")";
        if (!wanted && !best->measurement->kernel->is_strict())
            if (const auto strict = fastest(problem, device, tuning, {nullptr, true, wishes.workspace_limit}))
                reason += "; in FP32 alone " + std::string(strict->measurement->kernel->name) + " would take " +
                          in_microseconds(strict->ns);
        Selection selection =
            selection_of(*best->measurement->kernel, best->measurement->parameters, device, std::move(reason));
        selection.way = best->way;
        selection.estimate_ns = best->ns;
        return selection;
    }
    const KernelInfo& kernel = wanted ? *wanted : *find_kernel("01_naive"); // it runs everywhere, and needs no workspace
    if (const Parameters* parameters = choose_variant(kernel, problem, device)) {
        Selection selection =
            selection_of(kernel, *parameters, device, wanted ? "asked for" : "nothing else fits the device");
        if (kernel.scheme == Scheme::tensor) {
            const auto ways = possible_ways(problem, device, kernel, selection.tiling, wishes.workspace_limit);
            if (ways.empty())
                throw Error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "the pieces that kernel " + std::string(kernel.name) +
                                                                  " multiplies need more workspace than allowed");
            selection.way = ways.front();
        }
        return selection;
    }
    throw Error(CLGEMM_KERNEL_NOT_SUPPORTED, "kernel " + std::string(kernel.name) + " needs more work-items or local " +
                                                 "memory than " + device.name +
                                                 " has, in each of its sizes, or other instructions");
}

} // namespace clgemm::core
