#include "select/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace clgemm::core {
namespace {

// Up to two rounds of work-groups are taken from the measured curve. More are so many whole rounds and what is left over.
double step_ns(const Measurement& measurement, double groups_per_unit)
{
    if (groups_per_unit <= 2 * measurement.resident || measurement.step_ns.size() == 1)
        return value_at(measurement.step_ns, groups_per_unit, 0);
    const double rounds = std::floor(groups_per_unit / measurement.resident);
    const double left = groups_per_unit - rounds * measurement.resident;
    return rounds * value_at(measurement.step_ns, measurement.resident, 0) +
           (left > 0 ? value_at(measurement.step_ns, left, 0) : 0);
}

// The launches of a plan, one after the other: the device begins one when the one before has ended and the host has
// enqueued it.
class Timeline {
public:
    explicit Timeline(const Tuning& tuning) : tuning_(tuning) {}
    // So many launches of `ns` each.
    void add(double ns, std::size_t times)
    {
        const double ready = launches_ == 0 ? 0 : end_ + tuning_.launch_ns, more = static_cast<double>(times) - 1;
        end_ = std::max(ready, launches_ * tuning_.enqueue_ns) + ns;
        launches_ += more;
        // Either the device is behind with the first one of these already, and with all that follow, or it waits for the
        // last.
        end_ = std::max(end_ + more * (tuning_.launch_ns + ns), launches_ * tuning_.enqueue_ns + ns);
        launches_++;
    }
    double end() const { return end_; }
    void lasts_at_least(double ns) { end_ = std::max(end_, ns); }

private:
    const Tuning& tuning_;
    double end_ = 0, launches_ = 0;
};

} // namespace

double value_at(const Curve& curve, double load, double rest)
{
    const auto next = std::find_if(curve.begin(), curve.end(), [&](const auto& point) { return point.first >= load; });
    if (next == curve.begin())
        return next->second;
    const auto [x0, y0] = *std::prev(next);
    if (next == curve.end())
        return rest + std::max(y0 - rest, 0.0) * load / x0;
    return y0 + (next->second - y0) * (load - x0) / (next->first - x0);
}

double estimate(const Outline& outline, const Tuning& tuning, const Measurement& measurement)
{
    // What every call takes counts once, before the first launch.
    const double base = measurement.start_ns.front().second;
    Timeline timeline(tuning);
    for (const auto& launch : outline.launches) {
        // Units without work fetch nothing, and one alone does not have the memory's whole speed.
        const double bytes_per_ns = tuning.bytes_per_ns * launch.load.share_of_memory;
        const double moving = launch.bytes / bytes_per_ns;
        if (launch.load.steps == 0) {
            timeline.add(moving, launch.times);
            continue;
        }
        // A launch begins by fetching what it must have first. The rest comes while it computes.
        const double beginning =
            launch.rounds_overlap ? std::min(launch.load.per_unit, measurement.start_ns.back().first) : launch.load.per_unit;
        const double start = value_at(measurement.start_ns, beginning, base) - base;
        const double steps = static_cast<double>(launch.load.steps) - launch.steps_saved + launch.steps_more;
        const double step = step_ns(measurement, launch.load.per_unit);
        const double computing =
            steps * step + launch.steps_lost * step_ns(measurement, 1) + (launch.start_moves ? start : 0);
        const double multiplying = (launch.start_moves ? 0 : start) + launch.bytes_first / bytes_per_ns +
                                   std::max(computing, moving) + (1 - launch.hidden) * std::min(computing, moving);
        // The curves come from calls of many steps, in which work-groups hide much of each other's steps. For few steps they
        // promise too short a time, so no call takes less than the least that was timed. That least time includes the
        // launches that the kernel always has before this one.
        const double least = measurement.least_ns - base;
        if (measurement.variant.family().probing().steps_before > 0) {
            timeline.add(multiplying, launch.times);
            timeline.lasts_at_least(least);
        } else {
            timeline.add(std::max(multiplying, least), launch.times);
        }
    }
    return base + timeline.end();
}

} // namespace clgemm::core
