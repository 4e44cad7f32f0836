#include "tune/trial.hpp"

#include "tune/chosen.hpp"
#include "tune/correction.hpp"
#include "tune/estimated.hpp"
#include "tune/known.hpp"
#include "tune/retreat.hpp"

#include "select/fastest.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace clgemm::tune {
namespace {

using namespace core;

// Calls that take longer are not worth the time that it takes to tell them apart.
constexpr double longest_ns = 1e9;

// A kernel that the data before did not have is held to be so much slower, where no whole call has timed it: the fastest of
// many candidates was also the luckiest. (With 1.03, of 48 calls that nobody had compared 8 got slower by 3 to 13 %, on 14
// cores of a Xeon.)
constexpr double doubt = 1.1;

// A call with a smaller speed-up is slower. From here to 1 it is noise.
constexpr double least_speed_up = 0.97;

// What is not faster by this much is not worth another choice than before.
constexpr double worth_a_change = 1.02;

// A call is timed so often, unless it is faster by more than noise.
constexpr int times_to_be_sure = 2;
constexpr double clearly_faster = 1.15;

// No call is worth more of a trial's time at once.
constexpr double most_seconds = 1;

// A call that fails counts as slower than all that do not.
constexpr double speed_up_of_failures = 0.1;

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

bool choose_as_before(const std::vector<Comparison>& comparisons)
{
    return std::all_of(comparisons.begin(), comparisons.end(),
                       [](const Comparison& comparison) { return comparison.chooses_the_same; });
}

Trial::Trial(DeviceProfile device, Tuning before, const std::vector<Target>& targets, SideBySide side_by_side,
             std::function<void(const TrialNews&)> on_news, std::function<bool()> is_interrupted, ExpectCalls expect)
    : device_(std::move(device)), before_(std::move(before)), side_by_side_(std::move(side_by_side)),
      on_news_(std::move(on_news)), is_interrupted_(std::move(is_interrupted)), expect_(std::move(expect))
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
        return timing.target == target && timing.selection.computes_like(selection);
    });
    if (found != timings_.end())
        return *found;
    timings_.push_back({.target = target, .selection = selection});
    return timings_.back();
}

bool Trial::Timing::is_sure() const
{
    return times >= times_to_be_sure || (times > 0 && speed_up >= clearly_faster);
}

bool Trial::Timing::is_worth_a_change() const
{
    return last && last->speed_up >= least_speed_up && speed_up >= worth_a_change;
}

bool Trial::is_over(const Budget& budget) const
{
    return is_interrupted_() || budget.left() <= 0;
}

bool Trial::has_time_for(const Timing& timing, const Budget& budget) const
{
    constexpr double least_calls = 4; // each of both once that does not count, and once that does
    return !is_over(budget) && least_calls * slowness_ * chosen_before_[timing.target].estimate_ns < budget.left() * 1e9;
}

Times Trial::time(Timing& timing, double seconds)
{
    const Target& target = targets_[timing.target];
    Times times{.speed_up = speed_up_of_failures};
    try {
        if (timing.selection.estimate_ns == 0) // nothing that was measured can do it, and the last resort takes minutes
            throw Error(CL_INVALID_VALUE, "no measurement holds");
        const auto [before_ns, now_ns] =
            side_by_side_(target.problem, chosen_before_[timing.target], timing.selection, seconds);
        times = {before_ns, now_ns, before_ns / now_ns};
        if (const double estimate = chosen_before_[timing.target].estimate_ns; estimate > 0)
            slowness_ = before_ns / estimate;
    } catch (const Error&) { // it cannot be had
    }
    timing.speed_up = std::exp((std::log(timing.speed_up) * timing.times + std::log(times.speed_up)) / (timing.times + 1));
    timing.times++;
    timing.last = times;
    return times;
}

std::optional<Times> Trial::compared(Timing& timing, const Budget& budget, std::size_t number, std::size_t count)
{
    if (timing.compared)
        return timing.compared;
    if (timing.is_worth_a_change() && timing.is_sure())
        return timing.compared = timing.last;
    if (!has_time_for(timing, budget))
        return timing.last;
    const bool is_again = timing.times > 0;
    const double seconds = std::min(most_seconds, budget.left() / static_cast<double>(count - number + 1));
    timing.compared = time(timing, seconds);
    if (timing.compared->speed_up < least_speed_up) { // or others used the device for a moment
        std::array<Times, 3> three{*timing.compared, time(timing, seconds), time(timing, seconds)};
        std::sort(three.begin(), three.end(),
                  [](const Times& one, const Times& other) { return one.speed_up < other.speed_up; });
        timing.compared = three[1];
    }
    on_news_({describe_call(timing), number, count, is_again});
    return timing.compared;
}

void Trial::expect(const std::vector<const Timing*>& timings) const
{
    std::vector<WholeCall> calls;
    for (const Timing* timing : timings) {
        calls.emplace_back(targets_[timing->target].problem, chosen_before_[timing->target]);
        calls.emplace_back(targets_[timing->target].problem, timing->selection);
    }
    expect_(calls);
}

std::string Trial::describe_call(const Timing& timing) const
{
    return describe(targets_[timing.target].problem) + " by " + std::string(timing.selection.variant.kernel->name) + " " +
           timing.selection.variant.parameters.text();
}

bool Trial::is_newcomer(const Variant& variant) const
{
    return std::none_of(before_.measurements.begin(), before_.measurements.end(),
                        [&](const Measurement& measurement) { return measurement.variant == variant; });
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
        const Measurement* known = known_in(before_, measurement);
        return known ? static_cast<std::size_t>(known - before_.measurements.data()) : before_.measurements.size();
    };
    std::stable_sort(result.measurements.begin(), result.measurements.end(),
                     [&](const Measurement& one, const Measurement& other) { return place(one) < place(other); });
    return result;
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
        if (chosen.count(&measurement) > 0 || known_in(before_, measurement))
            result.measurements.push_back(measurement);
    return result;
}

Verdict Trial::judge(const Tuning& found, double seconds)
{
    constexpr int attempts_to_mend = 3;
    // The rest is for the last choices, which nobody has timed before.
    constexpr double share_to_correct = 0.6, share_to_mend = 0.9;
    const Budget to_correct(share_to_correct * seconds), to_mend(share_to_mend * seconds), all(seconds);
    const double scale = scale_of(found, before_);
    const Tuning data = with_choices_before(found, scale);
    Verdict verdict;
    for (int attempt = 0; attempt < attempts_to_mend; attempt++) {
        // What turns out to be slower when it is compared corrects the data in turn.
        verdict.tuning = corrected(data, attempt == 0 ? to_correct : to_mend);
        verdict.comparisons = compare(verdict.tuning, to_mend);
        if (!verdict.is_slower_somewhere())
            break;
    }
    verdict.tuning = only_chosen(proven(without_losses(verdict.tuning, scale, all)), device_, targets_);
    verdict.comparisons = compare(verdict.tuning, Budget(0));
    return verdict;
}

Tuning Trial::corrected(const Tuning& found, const Budget& budget)
{
    constexpr double most_weight = 1000;
    for (;;) {
        Tuning tuning = corrected_by_timings(found);
        std::vector<Timing*> to_time;
        bool any_news = false;
        for (std::size_t i = 0; i < targets_.size(); i++) {
            const Selection now = choice(tuning, i);
            if (now.computes_like(chosen_before_[i]))
                continue;
            Timing& timing = timing_of(i, now);
            if (!timing.is_sure())
                to_time.push_back(&timing);
            else if (timing.speed_up < worth_a_change && timing.weight < most_weight) {
                timing.weight *= 4; // than others, which outvoted it
                any_news = true;
            }
        }
        // What takes long comes last: if time ends, little is left.
        std::stable_sort(to_time.begin(), to_time.end(), [&](const Timing* one, const Timing* other) {
            return chosen_before_[one->target].estimate_ns < chosen_before_[other->target].estimate_ns;
        });
        expect({to_time.begin(), to_time.end()});
        for (std::size_t i = 0; i < to_time.size(); i++) {
            if (!has_time_for(*to_time[i], budget))
                return corrected_by_timings(found);
            time(*to_time[i], std::min(most_seconds, budget.left() / 2 / static_cast<double>(to_time.size() - i)));
            on_news_({describe_call(*to_time[i]), i + 1, to_time.size()});
            any_news = true;
        }
        if (!any_news || is_over(budget))
            return tuning;
    }
}

std::vector<Comparison> Trial::compare(const Tuning& tuning, const Budget& budget)
{
    std::vector<Comparison> result;
    for (std::size_t i = 0; i < targets_.size(); i++) {
        const Selection now = choice(tuning, i);
        const bool chooses_the_same = chosen_before_[i].computes_like(now);
        result.push_back({targets_[i], chosen_before_[i], now, chooses_the_same, {}});
        if (chooses_the_same)
            result.back().times = Times{.speed_up = 1};
    }
    std::vector<Timing*> to_compare;
    for (std::size_t i = 0; i < result.size(); i++)
        if (!result[i].chooses_the_same)
            to_compare.push_back(&timing_of(i, result[i].now));
    if (!is_over(budget))
        expect({to_compare.begin(), to_compare.end()});
    std::size_t number = 0;
    for (Timing* timing : to_compare)
        result[timing->target].times = compared(*timing, budget, ++number, to_compare.size());
    return result;
}

bool Trial::is_no_loss(std::size_t target, const Selection& now, const Budget& budget)
{
    if (now.computes_like(chosen_before_[target]))
        return true;
    const auto times = compared(timing_of(target, now), budget, target + 1, targets_.size());
    return times && times->speed_up >= least_speed_up;
}

Tuning Trial::without_losses(Tuning tuning, double scale, const Budget& budget)
{
    Retreat retreat(device_, before_, scale);
    for (bool any = true; any;) {
        any = false; // what one call makes slower may be what another one takes
        for (std::size_t i = 0; i < targets_.size(); i++)
            for (Selection now = choice(tuning, i); !is_no_loss(i, now, budget); now = choice(tuning, i)) {
                if (!retreat.step_back(tuning, targets_[i].problem, chosen_before_[i], now))
                    return before_;
                any = true;
            }
    }
    return tuning;
}

} // namespace clgemm::tune
