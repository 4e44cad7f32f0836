#include "tune/estimated.hpp"

#include "select/cost_model.hpp"
#include "select/plan_of.hpp"

namespace clgemm::tune {

using namespace core;

bool is_same(const Variant& one, const Variant& other)
{
    return one.kernel == other.kernel && one.parameters.text() == other.parameters.text();
}

bool is_same(const Selection& one, const Selection& other)
{
    return is_same(one.variant, other.variant) && one.way == other.way && one.blocks == other.blocks;
}

std::optional<Estimate> estimate_of(const Problem& problem, const Selection& selection, const DeviceProfile& device,
                                    const Tuning& tuning)
{
    const Family& family = selection.variant.family();
    const std::string letters = family.measured_operands(problem, selection.way);
    for (const auto& measurement : tuning.measurements) {
        if (measurement.variant.kernel != selection.variant.kernel ||
            family.computes(measurement.arithmetic) != family.computes(problem.arithmetic) ||
            !(measurement.operands.empty() || measurement.operands == letters) ||
            !is_same(with_device_features(measurement.variant, device), selection.variant))
            continue;
        const Outline outline = outline_of(problem, device, measurement.variant, selection.way, selection.blocks);
        const auto parts = static_cast<double>(part_count(problem, measurement.variant, selection.way, selection.blocks));
        return Estimate{&measurement, parts * estimate(outline, tuning, measurement), outline.busiest_unit()};
    }
    return std::nullopt;
}

} // namespace clgemm::tune
