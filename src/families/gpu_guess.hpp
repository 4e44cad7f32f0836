// What to expect of kernels for GPUs on GPUs that nobody has measured.
#pragma once

#include "families/family.hpp"

namespace clgemm::core {

// `flops_per_ns`: what a compute unit full of work-groups reaches with the kernel's largest tiles. None on CPUs.
inline std::optional<Guess> gpu_guess(const Tiling& tiling, const DeviceProfile& device, double flops_per_ns)
{
    if (device.type == DeviceType::cpu)
        return std::nullopt;
    // A work-item with fewer elements of C loads more for each product.
    const std::size_t elements = tiling.m * tiling.n / (tiling.items_m * tiling.items_n);
    return Guess{flops_per_ns * (elements >= 32 ? 1.0 : elements >= 16 ? 0.7 : 0.5)};
}

// Work-groups on each compute unit at which GPU kernels are measured: every number up to two rounds of the largest residency
// that was found, then some larger ones.
inline constexpr std::size_t gpu_loads[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 24, 25, 33};

} // namespace clgemm::core
