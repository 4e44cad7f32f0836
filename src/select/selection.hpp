// Which kernel with which parameters, and in which way: a pure function of the problem, the device, what was measured of it,
// and what the caller asked for.
#pragma once

#include "device/profile.hpp"
#include "families/family.hpp"
#include "problem/problem.hpp"
#include "tuning/tuning.hpp"

#include <string>

namespace clgemm::core {

// What the caller asks for beyond the problem.
struct Options {
    const KernelInfo* kernel = nullptr; // this one; null: the library chooses
    bool strict = false;                // FP32 multiplications and additions only
    std::size_t workspace_limit = 0;    // bytes that may be chosen to be taken; 0: what the device's profile says
    bool last_resort = false;           // the kernel that runs everywhere, since nothing else could be had (fallbacks.hpp)

    bool operator==(const Options&) const = default;
};

struct Selection {
    Variant variant;
    std::string reason; // for people
    Way way = {};
    double estimate_ns = 0; // 0: no measurement and no guess holds
    // Chosen unasked on a device that nobody measured, and it does not compute in FP32: to be checked before it is used.
    bool is_unproven = false;
};

// Throws CLGEMM_KERNEL_NOT_SUPPORTED where the device can run none of the wanted kernel's variants, or its arithmetic is not
// what the caller wants; CL_MEM_OBJECT_ALLOCATION_FAILURE where it must have more workspace than the limit.
Selection select(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const Options& options);

// A kernel in one size with the parameters that follow from the device's features, as it is built there.
Variant completed(Variant variant, const DeviceProfile& device);

// The measurement that select() would go by before it asks the tuning's guesses, null if none holds for this problem.
const Measurement* fastest_measurement(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                       const Options& options);

// How long a call takes by this measurement, in the best of the ways that copy no operand and for which it holds; none if it
// holds for none.
std::optional<double> shortest_estimate(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                        const Measurement& measurement);

} // namespace clgemm::core
