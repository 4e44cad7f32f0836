#include "tune/beginnings.hpp"

#include "tune/call_of_tiles.hpp"

#include "select/fastest.hpp"
#include "select/plan_of.hpp"
#include "select/selection.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace clgemm::tune {
namespace {

using namespace core;

// The first step is not hidden behind others; after some steps the kernel is under way.
constexpr std::size_t first_step = 1, some_steps = 4;

// What the small calls of one measurement say.
struct SmallCalls {
    Measurement* measurement;
    Beginning role;
    std::vector<double> least;   // calls of one step
    std::vector<double> missing; // in what is estimated of calls of some steps
};

double mean(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double middle(std::vector<double> values)
{
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

// By how much calls take longer than estimated, whatever the kernel. `all`: how many measurements there are.
double drift_in(const std::vector<SmallCalls>& beginnings, std::size_t all)
{
    const bool some_stay = std::any_of(beginnings.begin(), beginnings.end(),
                                       [](const SmallCalls& each) { return each.role == Beginning::compared_with; });
    std::vector<double> missing;
    for (const SmallCalls& each : beginnings)
        if (!some_stay || each.role == Beginning::compared_with)
            missing.push_back(mean(each.missing));
    return missing.empty() || (!some_stay && missing.size() == all) ? 0 : middle(std::move(missing));
}

} // namespace

void level_beginnings(Tuning& tuning, const DeviceProfile& device,
                      const std::function<Beginning(const Measurement&)>& role_of, const TimesInTurn& times_in_turn)
{
    std::vector<SmallCalls> beginnings;
    std::vector<PlainCall> calls;
    const std::size_t numbers_of_groups[] = {1, device.compute_units}, numbers_of_steps[] = {first_step, some_steps};
    for (Measurement& measurement : tuning.measurements) {
        const Beginning role = role_of(measurement);
        if (role == Beginning::left_alone)
            continue;
        beginnings.push_back({&measurement, role, {}, {}});
        for (const std::size_t groups : numbers_of_groups)
            for (const std::size_t steps : numbers_of_steps)
                calls.push_back({with_device_features(measurement.variant, device),
                                 call_of_tiles(measurement.variant, measurement.operands, groups, steps)});
    }
    const std::vector<double> times = times_in_turn(calls);

    const std::size_t calls_of_each = std::size(numbers_of_groups) * std::size(numbers_of_steps);
    for (std::size_t i = 0; i < calls.size(); i++) {
        SmallCalls& beginning = beginnings[i / calls_of_each];
        if (times[i] <= 0)
            continue;
        const auto& [variant, problem] = calls[i];
        if (problem.k <= first_step * variant.tiling.k) {
            beginning.least.push_back(times[i]);
            continue;
        }
        Measurement curves = *beginning.measurement;
        curves.least_ns = 0; // which is to be measured anew, and would hide what the curves miss
        const Outline outline = outline_of(problem, device, variant, {});
        beginning.missing.push_back(times[i] - estimate_of(problem, outline, tuning, curves, {}));
    }
    std::erase_if(beginnings, [](const SmallCalls& each) { return each.least.empty() || each.missing.empty(); });
    const double drift = drift_in(beginnings, tuning.measurements.size());
    for (const auto& [measurement, role, least, missing] : beginnings) {
        if (role != Beginning::put_right)
            continue;
        for (auto& [load, ns] : measurement->start_ns)
            ns = std::max(ns + mean(missing) - drift, 1.0);
        measurement->least_ns = std::max(mean(least) - drift, 1.0);
    }
}

} // namespace clgemm::tune
