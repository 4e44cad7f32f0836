#include "tune/correction.hpp"

#include "select/cost_model.hpp"

#include <algorithm>
#include <cmath>

namespace clgemm::tune {
namespace {

using namespace core;

// The mean of what was observed, in which near loads count more.
double factor_at(double load, const std::vector<Observation>& observations, double otherwise, double reach)
{
    constexpr double without_reason = 0.05; // an observation on the spot counts twenty times as much as none
    double weights = without_reason, sum = without_reason * std::log(otherwise);
    for (const auto& observation : observations) {
        const double distance = std::log(load / observation.load) / reach;
        const double weight = observation.weight * std::exp(-distance * distance / 2);
        weights += weight;
        sum += weight * std::log(observation.factor);
    }
    return std::exp(sum / weights);
}

} // namespace

Measurement corrected(Measurement measurement, const std::vector<Observation>& callers, double otherwise, double reach)
{
    // The cost model takes more than two rounds of work-groups for so many single rounds, so what was observed there tells
    // of a single round.
    const bool in_rounds = measurement.variant.family().probing().in_rounds;
    std::vector<Observation> observations = callers;
    for (auto& observation : observations)
        if (in_rounds && observation.load > 2 * measurement.resident)
            observation.load = measurement.resident;

    // A point wherever something was observed, also beyond the last one, where steps were too long to be measured alone.
    const Measurement measured = measurement;
    const auto with_points = [&](Curve& curve, double rest) {
        const Curve before = curve;
        for (const auto& [load, factor, weight] : observations) {
            const auto next =
                std::find_if(curve.begin(), curve.end(), [&, at = load](const auto& p) { return p.first >= at; });
            if (next == curve.end() || next->first > load)
                curve.insert(next, {load, value_at(before, load, rest)});
        }
        for (auto& [load, ns] : curve)
            ns *= factor_at(load, observations, otherwise, reach);
    };
    with_points(measurement.step_ns, 0);
    with_points(measurement.start_ns, measured.start_ns.front().second);
    if (!in_rounds)
        measurement.resident = std::max(measurement.resident, measurement.step_ns.back().first);
    return measurement;
}

} // namespace clgemm::tune
