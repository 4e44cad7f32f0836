// Selections by guesses, tuning data, and a family of kernels that tests make up.
#pragma once

#include "made_up.hpp"

#include "families/registry.hpp"
#include "families/tile_family.hpp"
#include "select/plan_of.hpp"
#include "select/selection.hpp"
#include "support/copy_forms.hpp"
#include "support/runs.hpp"
#include "tuning/derived_tuning.hpp"

#include <algorithm>

namespace clgemm::test {

// With nothing measured: by the guesses.
inline core::Selection select(const core::Problem& problem, const core::DeviceProfile& device,
                              const core::KernelInfo* asked_for)
{
    return core::select(problem, device, core::derived_tuning(device), {asked_for});
}

inline std::string_view chosen(const core::Problem& problem, const core::DeviceProfile& device)
{
    return test::select(problem, device, nullptr).variant.kernel->name;
}

// A kernel in its first size.
inline core::Variant first_variant(const char* name)
{
    const core::KernelInfo& kernel = *core::find_kernel(name);
    return core::variant_of(kernel, kernel.variants.front());
}

// A large device that has the instructions of which the kernel is made, if there are any.
inline core::DeviceProfile large_device_for(const core::KernelInfo& kernel)
{
    return kernel.instructions == core::Instructions::intel_amx ? cpu_with_tiles() : hopper_gpu();
}

// The kernel in all its sizes.
inline std::vector<core::Variant> variants_of(const core::KernelInfo& kernel)
{
    std::vector<core::Variant> result;
    for (const auto& parameters : kernel.variants)
        result.push_back(core::variant_of(kernel, parameters));
    return result;
}

// A kernel's first size on operands of these letters, so many ns for a step.
inline core::Measurement measured(const char* name, const char* operands, double ns)
{
    return {first_variant(name), operands, {{1, ns}}, 1, {{1, 1000}}, {}};
}

inline core::Measurement kernel_13(const char* operands, double ns)
{
    return measured("13", operands, ns);
}

inline core::Tuning tuning_of(std::vector<core::Measurement> measurements)
{
    return {"made up", 3000, 4000, 1000, std::move(measurements)};
}

// The ways of a kernel that a selection weighs: those whose workspace is within the limit; 0: within what the device's
// profile says.
inline std::vector<core::Way> ways_within(const core::Problem& problem, const core::DeviceProfile& device,
                                          const core::Variant& variant, std::size_t limit = 0)
{
    const std::size_t most = std::min(device.max_allocation, limit > 0 ? limit : device.memory_for_temporaries());
    auto result = variant.family().ways(problem, device, variant);
    std::erase_if(result, [&](const core::Way& way) {
        return core::outline_of(problem, device, variant, way).workspace_bytes > most;
    });
    return result;
}

// The plan of a kernel in one size, in a way that the test decides.
inline core::Plan made_plan(const core::Problem& problem, const core::DeviceProfile& device, const core::Variant& variant,
                            const core::Way& way)
{
    return plan_of(problem, device, core::with_device_features(variant, device), way);
}

inline core::Plan made_plan(const core::Problem& problem, const core::DeviceProfile& device,
                            const core::Selection& selection)
{
    return plan_of(problem, device, selection.variant, selection.way, selection.blocks);
}

// It takes operands where they lie; what its work-groups do is up to the test.
class MadeUpFamily : public core::TileFamily {
public:
    explicit MadeUpFamily(const core::Tiling& tiling) : tiling_(tiling) {}
    core::Tiling tiling(const core::Parameters&) const override { return tiling_; }
    std::string measured_operands(const core::Problem&, const core::Way&) const override { return ""; }
    std::optional<core::Guess> guess(const core::Variant&, const core::DeviceProfile&) const override
    {
        return std::nullopt;
    }
    core::Probing probing() const override { return {}; }

private:
    const core::Tiling tiling_;
};

} // namespace clgemm::test
