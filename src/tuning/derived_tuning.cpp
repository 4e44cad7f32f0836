#include "tuning/derived_tuning.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace clgemm::core {
namespace {

// What a kernel makes of a compute unit that is full of its work-groups, in floating-point operations per ns, on GPUs of
// some years and on CPUs. From the tables in docs/kernels.md, by the work that one work-item has.
struct Guess {
    const char* kernel;
    DeviceType type;
    double flops_per_ns;
};
// Of equal estimates the first counts: where memory limits everything, the kernel made for that.
constexpr Guess guesses[] = {
    {"15_skinny", DeviceType::gpu, 100},
    {"13_warp_tiled", DeviceType::gpu, 250},
    {"14_tensor_cores", DeviceType::gpu, 650},
    {"20_tensor_direct", DeviceType::gpu, 550},
    {"01_naive", DeviceType::gpu, 40},
    {"18_cpu_vector", DeviceType::cpu, 5}, // these for each element of its vectors
    {"16_cpu_packed", DeviceType::cpu, 6},
    {"17_cpu_fused", DeviceType::cpu, 5},
    {"01_naive", DeviceType::cpu, 1.2},
    // Not measured on an A100: a good half of the tensor cores' peak there, in proportion to what kernel 13 has of the
    // other. (An H200 has 526.)
    {"19_tensor_mma", DeviceType::gpu, 550},
};

// A work-item with fewer elements of C loads more for each product.
double by_elements_per_item(const Tiling& tiling)
{
    const std::size_t elements = tiling.m * tiling.n / (tiling.items_m * tiling.items_n);
    return elements >= 32 ? 1.0 : elements >= 16 ? 0.7 : 0.5;
}

// With fewer work-items than this a GPU's compute unit waits for memory; a CPU's does not.
double items_to_fill(const DeviceProfile& device)
{
    return device.type == DeviceType::cpu ? 1 : 512;
}

bool is_for(const Guess& guess, const DeviceProfile& device)
{
    return (guess.type == DeviceType::cpu) == (device.type == DeviceType::cpu);
}

// Kernel 19 pays where bf16 is many times as fast as FP32: on compute capability 8.0, 16 times. On 8.6 and 8.9 it is 2 to 4
// times, on 9.0 kernel 14 is faster, of later ones nobody knows. There it is for those who tune.
bool is_believed(const Measurement& guess, const DeviceProfile& device)
{
    return guess.kernel->name != "19_tensor_mma" || device.compute_capability == 80;
}

} // namespace

Measurement guess_of(const KernelInfo& kernel, const Parameters& parameters, const DeviceProfile& device)
{
    const auto* guess = std::find_if(std::begin(guesses), std::end(guesses),
                                     [&](const Guess& row) { return row.kernel == kernel.name && is_for(row, device); });
    if (guess == std::end(guesses))
        throw std::logic_error("nothing is known of kernel " + std::string(kernel.name) + " on such a device");
    const Tiling tiling = kernel.tiling(parameters);
    const auto items = static_cast<double>(tiling.items_m * tiling.items_n);
    const auto flops = 2.0 * static_cast<double>(tiling.m * tiling.n * tiling.k);
    const double rate = guess->flops_per_ns * (is_for_cpus(kernel.scheme)       ? static_cast<double>(parameters["WIDTH"])
                                               : device.type == DeviceType::cpu ? 1
                                                                                : by_elements_per_item(tiling));
    const double full = flops / rate;
    const double alone = full * std::max(1.0, items_to_fill(device) / items);
    const double another_launch = kernel.scheme == Scheme::cpu_packed ? 5000 : 0;
    Measurement result{&kernel, parameters, "", {{1, alone}}, 1, {{1, 1000 + another_launch}}};
    if (alone > full) // up to here one more work-group costs nothing
        result.step_ns.emplace_back(alone / full, alone);
    result.resident = std::max(1.0, std::floor(alone / full));
    return result;
}

std::vector<Measurement> guesses_for(const DeviceProfile& device)
{
    std::vector<Measurement> result;
    const bool cpu = device.type == DeviceType::cpu;
    for (const auto& guess : guesses) {
        if (!is_for(guess, device))
            continue;
        const KernelInfo& kernel = *find_kernel(guess.kernel);
        // The first size that fits, a CPU's own before the others; of a kernel made for many sizes, each (on CPUs, smaller
        // sizes are for less local memory).
        const std::size_t count = kernel.variants.size();
        const std::size_t start = cpu ? kernel.first_on_cpu : 0;
        for (std::size_t i = 0; i < count; i++) {
            const Parameters& parameters = kernel.variants[(start + i) % count];
            if (!runs(kernel, parameters, device) || !suits(kernel, parameters, device))
                continue;
            result.push_back(guess_of(kernel, parameters, device));
            if (!kernel.valid || (cpu && !kernel.few_columns))
                break;
        }
    }
    return result;
}

Tuning derived_tuning(const DeviceProfile& device)
{
    Tuning result;
    result.origin = "guessed from the device's properties";
    const bool cpu = device.type == DeviceType::cpu;
    result.launch_ns = cpu ? 5000 : 2000;
    result.enqueue_ns = 4000;
    result.bytes_per_ns = cpu ? 10 : 300;
    result.measurements = guesses_for(device);
    std::erase_if(result.measurements, [&](const Measurement& guess) { return !is_believed(guess, device); });
    return result;
}

} // namespace clgemm::core
