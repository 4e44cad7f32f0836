// Which kernel with which parameters: a pure function of the problem, the device, what was measured of it, and what the
// caller asked for.
#pragma once

#include "device/profile.hpp"
#include "kernels/registry.hpp"
#include "problem/problem.hpp"
#include "select/cost_model.hpp"
#include "tuning/tuning.hpp"

#include <string>

namespace clgemm::core {

// What the caller asks of a selection.
struct Wishes {
    const KernelInfo* kernel = nullptr; // this one; null: the library chooses
    bool strict = false;                // FP32 multiplications and additions only
    std::size_t workspace_limit = 0;    // bytes that may be chosen to be taken; 0: an eighth of the device's memory
    bool operator==(const Wishes&) const = default;
};

struct Selection {
    const KernelInfo* kernel;
    Parameters parameters;
    Tiling tiling;
    std::string reason; // for people
    Way way = {};
    double estimate_ns = 0; // 0: nothing was measured of this kernel
};

// Throws CLGEMM_KERNEL_NOT_SUPPORTED where the device can run none of the wanted kernel's variants, or its arithmetic is not
// what the caller wants; CL_MEM_OBJECT_ALLOCATION_FAILURE where it must have more workspace than the limit.
Selection select(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const Wishes& wishes);

// A kernel in a given size, as select() completes it.
Selection selection_of(const KernelInfo& kernel, const Parameters& parameters, const DeviceProfile& device,
                       std::string reason);

// The measurement that select() would go by, null if it has none for this problem.
const Measurement* fastest_measurement(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                       const Wishes& wishes);

// All ways in which a kernel of this size could compute the problem within the workspace's limit (as Wishes has it).
std::vector<Way> possible_ways(const Problem& problem, const DeviceProfile& device, const KernelInfo& kernel,
                               const Tiling& tiling, std::size_t workspace_limit = 0);

} // namespace clgemm::core
