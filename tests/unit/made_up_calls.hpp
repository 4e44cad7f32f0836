// Single calls, and entries for them, that tests make up.
#pragma once

#include "made_up_tuning.hpp"

#include "tuning/single_call.hpp"

namespace clgemm::test {

inline core::SingleCall call_of(const core::Problem& problem)
{
    return core::single_call_of(problem).value();
}

// The kernel's first size, in the last of its ways.
inline core::TunedCall tuned(const core::Problem& problem, const char* kernel, const core::DeviceProfile& device,
                             double ns = 1000)
{
    const core::Variant variant = first_variant(kernel);
    return {call_of(problem), variant, variant.family().ways(problem, device, variant).back(), ns};
}

} // namespace clgemm::test
