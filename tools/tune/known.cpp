#include "tune/known.hpp"

#include "tune/estimated.hpp"

#include "select/cost_model.hpp"

#include <algorithm>
#include <cmath>

namespace clgemm::tune {

using namespace core;

bool is_the_same(double known, double measured)
{
    constexpr double noise = 1.2;
    return measured < noise * known && known < noise * measured;
}

Measurement known_or_new(const Measurement& known, const Measurement& measured)
{
    double logarithms = 0;
    for (const auto& [load, ns] : measured.step_ns)
        logarithms += std::log(ns / value_at(known.step_ns, load, 0));
    const double ratio = std::exp(logarithms / static_cast<double>(measured.step_ns.size()));
    return is_the_same(1, ratio) ? known : measured;
}

const Measurement* known_in(const Tuning& before, const Measurement& measurement)
{
    const auto known = std::find_if(before.measurements.begin(), before.measurements.end(), [&](const Measurement& each) {
        return each.variant == measurement.variant && (each.operands.empty() || each.operands == measurement.operands);
    });
    return known == before.measurements.end() ? nullptr : &*known;
}

double scale_of(const Tuning& tuning, const Tuning& before)
{
    double logarithms = 0, count = 0;
    for (const Measurement& measurement : tuning.measurements)
        if (const Measurement* known = known_in(before, measurement))
            for (const auto& [load, ns] : measurement.step_ns) {
                logarithms += std::log(ns / value_at(known->step_ns, load, 0));
                count++;
            }
    return count > 0 ? std::exp(logarithms / count) : 1;
}

bool takes_everything(const Tuning& tuning, const std::string& operands)
{
    return std::any_of(tuning.measurements.begin(), tuning.measurements.end(), [&](const Measurement& measurement) {
        return measurement.operands == operands && !measurement.variant.family().probing().one_tile_of_columns;
    });
}

Tuning told_apart(const Tuning& tuning, std::span<const char* const> all_operands)
{
    Tuning result = tuning;
    result.measurements.clear();
    for (Measurement measurement : tuning.measurements) {
        const bool takes_all_alike = measurement.variant.family().takes_operands_alike();
        if (takes_all_alike)
            measurement.operands = "";
        if (takes_all_alike || !measurement.operands.empty())
            result.measurements.push_back(measurement);
        else
            for (const char* operands : all_operands) {
                measurement.operands = operands;
                result.measurements.push_back(measurement);
            }
    }
    return result;
}

Tuning filled(const Tuning& tuning, std::span<const char* const> all_operands)
{
    Tuning result = tuning;
    const auto first = std::find_if(all_operands.begin(), all_operands.end(),
                                    [&](const char* operands) { return takes_everything(tuning, operands); });
    for (const char* operands : all_operands)
        if (first != all_operands.end() && !takes_everything(tuning, operands))
            for (Measurement measurement : tuning.measurements)
                if (measurement.operands == *first) {
                    measurement.operands = operands;
                    result.measurements.push_back(std::move(measurement));
                }
    return result;
}

} // namespace clgemm::tune
