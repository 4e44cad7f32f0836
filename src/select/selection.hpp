// Which kernel with which parameters, and in which way: a pure function of the problem, the device, what was measured of it,
// and what the caller asked for.
#pragma once

#include "select/options.hpp"
#include "tuning/tuning.hpp"

#include <string>

namespace clgemm::core {

struct Selection {
    Variant variant;
    std::string reason; // for people
    Way way = {};
    Blocks blocks = {};
    double estimate_ns = 0; // 0: no measurement and no guess holds
    // To be checked before it is used: it does not compute in FP32 and was chosen unasked on a device that nobody measured;
    // or every bit counts.
    bool is_unproven = false;

    // Does the other selection compute in the same way, for whatever reason it was made?
    bool computes_like(const Selection& other) const
    {
        return variant == other.variant && way == other.way && blocks == other.blocks;
    }
};

// Throws CLGEMM_KERNEL_NOT_SUPPORTED with the reason where the device cannot compute the problem by the kernel that is asked
// for; CL_MEM_OBJECT_ALLOCATION_FAILURE where that kernel must have more workspace than the limit.
Selection select(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const Options& options);

// A kernel in one size with the parameters that follow from the device's features, as it is built there.
Variant with_device_features(Variant variant, const DeviceProfile& device);

// The kernels by which the device cannot compute the problem and why, for people: "14_tensor_cores, tensor_direct
// (needs Hopper's tensor cores)". Empty where there are none.
std::string not_taken(const Problem& problem, const DeviceProfile& device);

} // namespace clgemm::core
