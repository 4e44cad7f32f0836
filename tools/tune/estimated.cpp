#include "tune/estimated.hpp"

#include "select/fastest.hpp"
#include "select/plan_of.hpp"

namespace clgemm::tune {

using namespace core;

std::optional<Estimate> estimate_of(const Problem& problem, const Selection& selection, const DeviceProfile& device,
                                    const Tuning& tuning)
{
    const Family& family = selection.variant.family();
    const std::string letters = family.measured_operands(problem, selection.way);
    for (const auto& measurement : tuning.measurements) {
        if (measurement.variant.kernel != selection.variant.kernel ||
            family.computes(measurement.arithmetic) != family.computes(problem.arithmetic) ||
            !(measurement.operands.empty() || measurement.operands == letters) ||
            with_device_features(measurement.variant, device) != selection.variant)
            continue;
        const Outline outline = outline_of(problem, device, measurement.variant, selection.way, selection.blocks);
        return Estimate{&measurement,
                        core::estimate_of(problem, outline, tuning, measurement, selection.way, selection.blocks),
                        outline.busiest_unit()};
    }
    return std::nullopt;
}

} // namespace clgemm::tune
