#include "tune/trial.hpp"

#include "tune/budget.hpp"
#include "tune/chosen.hpp"
#include "tune/correction.hpp"
#include "tune/key.hpp"

#include "select/cost_model.hpp"
#include "select/fastest.hpp"
#include "select/plan_of.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace clgemm::tune {
namespace {

using namespace core;

// Calls that take longer are not worth the time that it takes to tell them apart.
constexpr double longest_ns = 1e9;

// How much slower a kernel is held to be that the data before did not have, where no whole call has shown it: the fastest of
// many candidates was also the luckiest. (With 1.03, of 48 calls that nobody had compared 8 got slower by 3 to 13 %, on 14
// cores of a Xeon.)
constexpr double doubt = 1.1;

// Less than this is slower; what is between is noise.
constexpr double least_speed_up = 0.97;

// What is not faster by this much is not worth another choice than before.
constexpr double worth_a_change = 1.02;

// What fails is slower than all that does not.
constexpr double speed_up_of_failures = 0.1;

bool is_same(const Variant& one, const Variant& other)
{
    return one.kernel == other.kernel && one.parameters.text() == other.parameters.text();
}

bool is_same(const Selection& one, const Selection& other)
{
    return is_same(one.variant, other.variant) && one.way == other.way && one.blocks == other.blocks;
}

// What the model makes of a way to compute a problem.
struct Estimate {
    const Measurement* measurement = nullptr; // by which
    double ns = 0, load = 0;
};

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
        const auto parts = static_cast<double>(part_count(problem, selection.blocks));
        return Estimate{&measurement, parts * estimate(outline, tuning, measurement), outline.busiest_unit()};
    }
    return std::nullopt;
}

void scale_times(Measurement& measurement, double scale)
{
    for (Curve* curve : {&measurement.step_ns, &measurement.start_ns})
        for (auto& [load, ns] : *curve)
            ns *= scale;
}

} // namespace

bool Comparison::is_slower() const
{
    return times && times->speed_up < least_speed_up;
}

bool Verdict::is_slower_somewhere() const
{
    return std::any_of(comparisons.begin(), comparisons.end(),
                       [](const Comparison& comparison) { return comparison.is_slower(); });
}

Trial::Trial(DeviceProfile device, Tuning before, const std::vector<Target>& targets, SideBySide side_by_side,
             std::function<void(const std::string&)> on_news, std::function<bool()> is_interrupted)
    : device_(std::move(device)), before_(std::move(before)), side_by_side_(std::move(side_by_side)),
      on_news_(std::move(on_news)), is_interrupted_(std::move(is_interrupted))
{
    for (const Target& target : targets) {
        Selection chosen = select(target.problem, device_, before_, {});
        if (chosen.estimate_ns > longest_ns)
            continue;
        targets_.push_back(target);
        chosen_before_.push_back(std::move(chosen));
    }
}

Selection Trial::choice(const Tuning& tuning, std::size_t target) const
{
    return select(targets_[target].problem, device_, tuning, {});
}

Trial::Timing& Trial::timing_of(std::size_t target, const Selection& selection)
{
    const auto found = std::find_if(timings_.begin(), timings_.end(), [&](const Timing& timing) {
        return timing.target == target && is_same(timing.selection, selection);
    });
    if (found != timings_.end())
        return *found;
    timings_.push_back({target, selection});
    return timings_.back();
}

Times Trial::time(Timing& timing)
{
    const Target& target = targets_[timing.target];
    Times times{.speed_up = speed_up_of_failures};
    try {
        if (timing.selection.estimate_ns == 0) // nothing that was measured can do it, and the last resort takes minutes
            throw Error(CL_INVALID_VALUE, "no measurement holds");
        const auto [before_ns, now_ns] = side_by_side_(target.problem, chosen_before_[timing.target], timing.selection);
        times = {before_ns, now_ns, before_ns / now_ns};
    } catch (const Error&) { // it cannot be had
    }
    timing.speed_up = std::exp((std::log(timing.speed_up) * timing.times + std::log(times.speed_up)) / (timing.times + 1));
    timing.times++;
    on_news_(describe(target.problem) + " by " + std::string(timing.selection.variant.kernel->name) + " " +
             timing.selection.variant.parameters.text());
    return times;
}

bool Trial::is_newcomer(const Variant& variant) const
{
    return std::none_of(before_.measurements.begin(), before_.measurements.end(),
                        [&](const Measurement& measurement) { return is_same(measurement.variant, variant); });
}

const Measurement* Trial::known_before(const Measurement& measurement) const
{
    const auto known = std::find_if(before_.measurements.begin(), before_.measurements.end(), [&](const Measurement& each) {
        return is_same(each.variant, measurement.variant) &&
               (each.operands.empty() || each.operands == measurement.operands);
    });
    return known == before_.measurements.end() ? nullptr : &*known;
}

double Trial::scale_of(const Tuning& found) const
{
    double logarithms = 0, count = 0;
    for (const Measurement& measurement : found.measurements)
        if (const Measurement* known = known_before(measurement))
            for (const auto& [load, ns] : measurement.step_ns) {
                logarithms += std::log(ns / value_at(known->step_ns, load, 0));
                count++;
            }
    return count > 0 ? std::exp(logarithms / count) : 1;
}

Tuning Trial::with_choices_before(const Tuning& found, double scale) const
{
    Tuning result = found;
    for (std::size_t i = 0; i < targets_.size(); i++) {
        const Problem& problem = targets_[i].problem;
        const Selection& chosen = chosen_before_[i];
        const auto known = estimate_of(problem, chosen, device_, before_);
        if (!known || estimate_of(problem, chosen, device_, result))
            continue;
        Measurement measurement = *known->measurement;
        const Family& family = measurement.variant.family();
        if (!family.takes_operands_alike())
            measurement.operands = family.measured_operands(problem, chosen.way);
        scale_times(measurement, scale);
        result.measurements.push_back(std::move(measurement));
    }
    // Of equal estimates the first counts: where memory alone decides, those of several kernels are equal.
    const auto place = [&](const Measurement& measurement) {
        const Measurement* known = known_before(measurement);
        return known ? static_cast<std::size_t>(known - before_.measurements.data()) : before_.measurements.size();
    };
    std::stable_sort(result.measurements.begin(), result.measurements.end(),
                     [&](const Measurement& one, const Measurement& other) { return place(one) < place(other); });
    return result;
}

void Trial::fall_back(Tuning& found, const Comparison& slower, double scale)
{
    std::set<std::string> involved;
    for (const Selection* selection : {&slower.before, &slower.now})
        if (const auto estimate = estimate_of(slower.target.problem, *selection, device_, found))
            involved.insert(key_of(*estimate->measurement));
    std::vector<Measurement> kept;
    for (Measurement& measurement : found.measurements) {
        if (involved.count(key_of(measurement)) > 0) {
            const Measurement* known = known_before(measurement);
            if (!known)
                continue;
            measurement.step_ns = known->step_ns;
            measurement.start_ns = known->start_ns;
            measurement.resident = known->resident;
            scale_times(measurement, scale);
            given_up_.insert(key_of(measurement));
        }
        kept.push_back(std::move(measurement));
    }
    found.measurements = std::move(kept);
    // What is as it was makes the same choices as it did only together with these.
    found.launch_ns = before_.launch_ns * scale;
    found.enqueue_ns = before_.enqueue_ns * scale;
    found.bytes_per_ns = before_.bytes_per_ns / scale;
}

Tuning Trial::corrected_by_timings(const Tuning& found) const
{
    std::vector<std::vector<Observation>> observations(found.measurements.size());
    const auto observe = [&](const Estimate& estimate, double factor, double weight) {
        const std::ptrdiff_t index = estimate.measurement - found.measurements.data();
        observations[static_cast<std::size_t>(index)].push_back({estimate.load, factor, weight});
    };
    for (const Timing& timing : timings_) {
        if (timing.times == 0)
            continue;
        const Problem& problem = targets_[timing.target].problem;
        const auto now = estimate_of(problem, timing.selection, device_, found);
        const auto before = estimate_of(problem, chosen_before_[timing.target], device_, found);
        if (!now || !before)
            continue;
        // Only which of them is faster matters: what was chosen before is the measure.
        observe(*before, 1, timing.weight);
        observe(*now, before->ns / now->ns / timing.speed_up * worth_a_change, timing.weight);
    }
    Tuning result = found;
    for (std::size_t i = 0; i < observations.size(); i++) {
        Measurement& measurement = result.measurements[i];
        if (given_up_.count(key_of(measurement)) == 0)
            measurement = tune::corrected(measurement, observations[i], is_newcomer(measurement.variant) ? doubt : 1);
    }
    return result;
}

Tuning Trial::proven(const Tuning& tuning) const
{
    std::set<const Measurement*> chosen;
    for (const Target& target : targets_)
        chosen.insert(fastest_measurement(target.problem, device_, tuning, {}));
    Tuning result = tuning;
    result.measurements.clear();
    for (const Measurement& measurement : tuning.measurements)
        if (chosen.count(&measurement) > 0 || known_before(measurement))
            result.measurements.push_back(measurement);
    return result;
}

Verdict Trial::judge(const Tuning& found, double seconds)
{
    // Corrections that contradict each other do not end by themselves: two ways of one kernel may share a measurement.
    constexpr int attempts_to_mend = 3, most_attempts = 20;
    const double scale = scale_of(found);
    Tuning data = with_choices_before(found, scale);
    Verdict verdict;
    for (int attempt = 0; attempt < most_attempts; attempt++) {
        const Budget budget(seconds);
        const auto is_over_at = [&](double left) {
            return [this, &budget, left] { return is_interrupted_() || budget.left() <= left; };
        };
        verdict.tuning = only_chosen(proven(corrected(data, is_over_at(seconds / 3))), device_, targets_);
        verdict.comparisons = compare(verdict.tuning, is_over_at(0), verdict.comparisons);
        if (!verdict.is_slower_somewhere())
            break;
        if (attempt < attempts_to_mend)
            continue;
        for (const Comparison& comparison : verdict.comparisons)
            if (comparison.is_slower())
                fall_back(data, comparison, scale);
    }
    return verdict;
}

Tuning Trial::corrected(const Tuning& found, const std::function<bool()>& is_time_over)
{
    constexpr int times_to_be_sure = 2;
    constexpr double most_weight = 1000;
    for (;;) {
        Tuning tuning = corrected_by_timings(found);
        bool any_news = false;
        for (std::size_t i = 0; i < targets_.size(); i++) {
            if (is_time_over())
                return tuning;
            const Selection now = choice(tuning, i);
            if (is_same(now, chosen_before_[i]))
                continue;
            Timing& timing = timing_of(i, now);
            if (timing.times < times_to_be_sure)
                time(timing);
            else if (timing.speed_up < worth_a_change && timing.weight < most_weight)
                timing.weight *= 4; // than others, which outvoted it
            else
                continue;
            any_news = true;
        }
        if (!any_news)
            return tuning;
    }
}

std::vector<Comparison> Trial::compare(const Tuning& tuning, const std::function<bool()>& is_time_over,
                                       const std::vector<Comparison>& earlier)
{
    std::vector<Comparison> result;
    for (std::size_t i = 0; i < targets_.size(); i++) {
        Comparison comparison;
        comparison.target = targets_[i];
        comparison.before = chosen_before_[i];
        comparison.now = choice(tuning, i);
        comparison.chooses_the_same = is_same(comparison.before, comparison.now);
        if (comparison.chooses_the_same) {
            comparison.times = Times{.speed_up = 1};
        } else if (i < earlier.size() && earlier[i].times && !earlier[i].is_slower() &&
                   is_same(earlier[i].now, comparison.now)) {
            comparison.times = earlier[i].times;
        } else if (!is_time_over()) {
            Timing& timing = timing_of(i, comparison.now);
            comparison.times = time(timing);
            if (comparison.is_slower()) { // or others used the device for a moment
                std::array<Times, 3> three{*comparison.times, time(timing), time(timing)};
                std::sort(three.begin(), three.end(),
                          [](const Times& one, const Times& other) { return one.speed_up < other.speed_up; });
                comparison.times = three[1];
            }
        }
        result.push_back(std::move(comparison));
    }
    return result;
}

} // namespace clgemm::tune
