// Which kernels a device can run, whatever the problem is.
#pragma once

#include "families/registry.hpp"

namespace clgemm::test {

// Where it is asked for what it is for: not every kernel computes as accurately as FP32.
inline core::Problem asked_of(const core::KernelInfo& kernel, core::Problem problem)
{
    problem.arithmetic = usual_arithmetic(kernel);
    return problem;
}

inline bool runs(const core::Variant& variant, const core::DeviceProfile& device)
{
    return static_cast<bool>(takes(asked_of(*variant.kernel, core::one_tile(variant)), variant, device));
}

// For those who ask for nothing.
inline std::vector<core::Variant> variants_for(const core::KernelInfo& kernel, const core::DeviceProfile& device)
{
    return variants_for(kernel, core::one_tile(core::variant_of(kernel, kernel.variants.front())), device);
}

// Does the kernel compute by FP32 multiplications and additions alone, whatever is asked for?
inline bool is_strict(const core::Family& family)
{
    return is_fp32_alone(family.computes({}));
}

// The same problem for which FP32 multiplications and additions alone are asked for.
inline core::Problem strictly(core::Problem problem)
{
    problem.arithmetic.accuracy = CLGEMM_MATH_STRICT;
    return problem;
}

} // namespace clgemm::test
