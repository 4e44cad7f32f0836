#include "tuning/derived_tuning.hpp"

#include "families/registry.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace clgemm::core {
namespace {

// With fewer work-items than this a GPU's compute unit waits for memory; a CPU's does not.
double items_to_fill(const DeviceProfile& device)
{
    return device.type == DeviceType::cpu ? 1 : 512;
}

// The variants with which the device computes what the kernel is for.
std::vector<Variant> usual_variants(const KernelInfo& kernel, const DeviceProfile& device)
{
    return variants_for(kernel, one_tile(variant_of(kernel, kernel.variants.front()), usual_arithmetic(kernel)), device);
}

std::vector<const char*> operands_told_apart(const Guess& guess)
{
    if (guess.steps_to_store == guess.steps_to_store_along_k)
        return {""};
    return {"NN", "NT", "TN", "TT"};
}

std::vector<Measurement> guesses(const DeviceProfile& device, bool with_doubtful_ones)
{
    std::vector<Measurement> result;
    for (const KernelInfo* kernel : kernels_by_preference()) {
        for (const Variant& variant : usual_variants(*kernel, device)) {
            const auto guess = kernel->family->guess(variant, device);
            if (!guess || (!guess->is_believed && !with_doubtful_ones))
                continue;
            for (const char* const operands : operands_told_apart(*guess))
                result.push_back(as_measurement(*guess, variant, device, operands));
            if (!guess->for_every_size)
                break;
        }
    }
    return result;
}

} // namespace

Measurement as_measurement(const Guess& guess, const Variant& variant, const DeviceProfile& device,
                           const std::string& operands)
{
    const Tiling& tiling = variant.tiling;
    const auto items = static_cast<double>(tiling.items_m * tiling.items_n);
    const double full = 2.0 * static_cast<double>(tiling.m * tiling.n * tiling.k) / guess.flops_per_ns;
    const double alone = full * std::max(1.0, items_to_fill(device) / items);
    const double start = 1000 + guess.more_start_ns;
    Measurement result{variant, operands, {{1, alone}}, 1, {{1, start}}, usual_arithmetic(*variant.kernel)};
    const double storing = operands.starts_with('T') ? guess.steps_to_store_along_k : guess.steps_to_store;
    constexpr double many = 1000; // work-groups: from there on a curve goes on as it ends
    if (storing > 0)
        result.start_ns.emplace_back(many, start + many * storing * full);
    if (alone > full) // up to here one more work-group costs nothing
        result.step_ns.emplace_back(alone / full, alone);
    result.resident = std::max(1.0, std::floor(alone / full));
    return result;
}

std::vector<Measurement> guesses_for(const DeviceProfile& device)
{
    return guesses(device, true);
}

Tuning derived_tuning(const DeviceProfile& device)
{
    Tuning result;
    result.origin = "guessed from the device's properties";
    result.is_a_guess = true;
    result.enqueue_ns = 4000;
    if (device.type == DeviceType::cpu) {
        // All cores are woken for a launch: 60 us with 16. Memory copies at 20 to 37 bytes/ns, with 16 cores as with two.
        result.launch_ns = std::max(5000.0, 2500 * static_cast<double>(device.compute_units));
        result.bytes_per_ns = 20;
    } else {
        result.launch_ns = 2000;
        result.bytes_per_ns = 300;
    }
    result.measurements = guesses(device, false);
    return result;
}

Tuning completed_by_guesses(Tuning measured, const DeviceProfile& device)
{
    Tuning guesses = derived_tuning(device);
    guesses.origin += "; nothing that was measured holds for this call";
    measured.guesses = std::make_shared<const Tuning>(std::move(guesses));
    return measured;
}

} // namespace clgemm::core
