#include "tune/retreat.hpp"

#include "tune/estimated.hpp"
#include "tune/key.hpp"
#include "tune/known.hpp"

#include <algorithm>

namespace clgemm::tune {
namespace {

using namespace core;

// A measurement that must be raised more often is not what it was taken for.
constexpr int most_raises = 200;

// Where launches or memory decide, the curves matter little: each raise is large enough to get there.
constexpr double least_raise = 1.02, and_some = 1.01;

} // namespace

bool Retreat::step_back(Tuning& tuning, const Problem& problem, const Selection& chosen_before, const Selection& chosen_now)
{
    const auto winner = estimate_of(problem, chosen_now, device_, tuning);
    const auto loser = estimate_of(problem, chosen_before, device_, tuning);
    if (winner && loser && winner->measurement != loser->measurement &&
        raise(tuning, *winner->measurement, {winner->load, std::max(least_raise, and_some * loser->ns / winner->ns)}))
        return true;
    if (winner && go_back(tuning, *winner->measurement))
        return true;
    if (loser && go_back(tuning, *loser->measurement))
        return true;
    if (rates_went_back_)
        return false;
    // Measurements that have gone back make the same choices as before only together with the rates of before.
    tuning.launch_ns = before_.launch_ns * scale_;
    tuning.enqueue_ns = before_.enqueue_ns * scale_;
    tuning.bytes_per_ns = before_.bytes_per_ns / scale_;
    rates_went_back_ = true;
    return true;
}

bool Retreat::raise(Tuning& tuning, const Measurement& winner, const Observation& slower)
{
    const std::string key = key_of(winner);
    if (went_back_.count(key) > 0 || raises_[key]++ >= most_raises)
        return false;
    Measurement& measurement = tuning.measurements[static_cast<std::size_t>(&winner - tuning.measurements.data())];
    // At this load alone: loads near it are those of calls that were compared, and found faster.
    constexpr double reach = 0.03, near = 1.1, hardly = 0.01;
    const Observation below{slower.load / near, 1, hardly}, above{slower.load * near, 1, hardly};
    measurement = corrected(measurement, {below, slower, above}, 1, reach);
    return true;
}

bool Retreat::go_back(Tuning& tuning, const Measurement& measurement)
{
    if (!went_back_.insert(key_of(measurement)).second)
        return false;
    const auto place = tuning.measurements.begin() + (&measurement - tuning.measurements.data());
    const Measurement* known = known_in(before_, measurement);
    if (!known) {
        tuning.measurements.erase(place);
        return true;
    }
    place->step_ns = known->step_ns;
    place->start_ns = known->start_ns;
    place->least_ns = known->least_ns;
    place->resident = known->resident;
    scale_times(*place, scale_);
    return true;
}

} // namespace clgemm::tune
