// Selections by guesses, and tuning data that tests make up.
#pragma once

#include "made_up.hpp"

#include "select/selection.hpp"
#include "tuning/derived_tuning.hpp"

namespace clgemm::test {

// With nothing measured: by the guesses.
inline core::Selection select(const core::Problem& problem, const core::DeviceProfile& device,
                              const core::KernelInfo* wanted)
{
    return core::select(problem, device, core::derived_tuning(device), {wanted});
}

inline std::string_view chosen(const core::Problem& problem, const core::DeviceProfile& device)
{
    return test::select(problem, device, nullptr).kernel->name;
}

// A kernel's first size on operands of these letters, so many ns for a step.
inline core::Measurement measured(const char* name, const char* operands, double ns)
{
    const core::KernelInfo* kernel = core::find_kernel(name);
    return {kernel, kernel->variants.front(), operands, {{1, ns}}, 1, {{1, 1000}}};
}

inline core::Measurement kernel_13(const char* operands, double ns)
{
    return measured("13", operands, ns);
}

inline core::Tuning tuning_of(std::vector<core::Measurement> measurements)
{
    return {"made up", 3000, 4000, 1000, std::move(measurements)};
}

} // namespace clgemm::test
