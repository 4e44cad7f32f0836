// Which kernel with which parameters: a pure function of the problem, the device and what the caller asked for.
#pragma once

#include "device/profile.hpp"
#include "kernels/registry.hpp"
#include "problem/problem.hpp"

#include <string>

namespace clgemm::core {

struct Selection {
    const KernelInfo* kernel;
    Parameters parameters;
    Tiling tiling;
    std::string reason; // for people
};

// `wanted`: a kernel that the caller insists on, or null. Throws CLGEMM_KERNEL_NOT_SUPPORTED where the device can run none
// of its variants.
Selection select(const Problem& problem, const DeviceProfile& device, const KernelInfo* wanted);

} // namespace clgemm::core
