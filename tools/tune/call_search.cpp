#include "tune/call_search.hpp"

#include "tune/key.hpp"
#include "tune/neighbours.hpp"

#include "families/operands.hpp"
#include "families/registry.hpp"
#include "select/fastest.hpp"
#include "select/plan_of.hpp"
#include "support/error.hpp"
#include "tuning/derived_tuning.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace clgemm::tune {
namespace {

using namespace core;

// For so long two calls are timed in turn; where they take longer, once each.
constexpr double seconds_for_two = 0.5;

// What is not faster by this much is not worth an entry.
constexpr double worth_an_entry = 1.02;

// A smaller gain may be noise, which the search must not follow: the best so far stays.
constexpr double worth_a_step = 1.01;

// What is estimated to take so many times as long as the best estimate is not tried. (Estimates of measured kernels are
// mostly within half and twice the truth.)
constexpr double farthest_estimate = 4;

// The same for guesses of changed sizes, against the guess for the size that is changed.
constexpr double farthest_guess = 2;

std::string key_of(const Variant& variant, const Way& way)
{
    return tune::key_of(variant, "") + " " + std::to_string(way.form) + " " + std::to_string(way.split_k) +
           (way.transposed ? " transposed" : "");
}

} // namespace

CallSearch::CallSearch(DeviceProfile device, Tuning tuning, SideBySide side_by_side, CheckCall is_right,
                       std::function<void(const std::string&)> on_news, std::function<bool()> is_interrupted,
                       ExpectCalls expect)
    : device_(std::move(device)), tuning_(std::move(tuning)), side_by_side_(std::move(side_by_side)),
      is_right_(std::move(is_right)), on_news_(std::move(on_news)), is_interrupted_(std::move(is_interrupted)),
      expect_(std::move(expect))
{
}

Selection CallSearch::selection_of(const Candidate& candidate) const
{
    return {with_device_features(candidate.variant, device_), "tried for this call", candidate.way, {}, candidate.ns};
}

Selection CallSearch::best_of(const State& state) const
{
    return state.best ? selection_of(*state.best) : state.before;
}

bool CallSearch::is_over(const State& state) const
{
    return is_interrupted_() || state.budget.left() <= 0;
}

void CallSearch::add_ways(std::vector<Candidate>& candidates, const Problem& problem, const Measurement& by) const
{
    if (!takes(problem, by.variant, device_))
        return;
    for (const Way& way : by.variant.family().ways(problem, device_, by.variant)) {
        const Outline outline = outline_of(problem, device_, by.variant, way);
        if (outline.workspace_bytes <= bytes_allowed(device_, 0))
            candidates.push_back({by.variant, way, estimate_of(problem, outline, tuning_, by, way)});
    }
}

std::vector<CallSearch::Candidate> CallSearch::measured_candidates(const Problem& problem) const
{
    std::vector<Candidate> result;
    for (const Measurement& measurement : tuning_.measurements)
        add_ways(result, problem, measurement);
    if (result.empty() && tuning_.guesses)
        for (const Measurement& guess : tuning_.guesses->measurements)
            add_ways(result, problem, guess);
    std::stable_sort(result.begin(), result.end(),
                     [](const Candidate& one, const Candidate& other) { return one.ns < other.ns; });
    if (!tuning_.is_a_guess)
        std::erase_if(result, [&, least = result.empty() ? 0 : result.front().ns](const Candidate& candidate) {
            return candidate.ns > farthest_estimate * least;
        });
    return result;
}

std::vector<CallSearch::Candidate> CallSearch::around(const Problem& problem, const Candidate& centre) const
{
    const Family& family = centre.variant.family();
    if (!family.takes_other_sizes())
        return {};
    constexpr double never = std::numeric_limits<double>::infinity();
    const auto guessed_ns = [&](const Variant& variant, const Way& way) {
        const auto guess = family.guess(variant, device_);
        if (!guess)
            return never;
        return estimate_of(problem, outline_of(problem, device_, variant, way), tuning_,
                           as_measurement(*guess, variant, device_, family.measured_operands(problem, way)), way);
    };
    const auto distance = [&](const Way& way) {
        const double ratio = static_cast<double>(way.split_k) / static_cast<double>(centre.way.split_k);
        return std::max(ratio, 1 / ratio);
    };
    const double here = guessed_ns(centre.variant, centre.way);
    std::vector<Candidate> result;
    for (Parameters& parameters : neighbours(*centre.variant.kernel, centre.variant.parameters, device_)) {
        std::vector<Candidate> ways;
        add_ways(ways, problem, {variant_of(*centre.variant.kernel, std::move(parameters)), "", {{1, 1}}, 1, {{1, 1}}, {}});
        std::erase_if(ways, [&](const Candidate& candidate) {
            return candidate.way.form != centre.way.form || candidate.way.transposed != centre.way.transposed;
        });
        const auto nearest = std::min_element(ways.begin(), ways.end(), [&](const Candidate& one, const Candidate& other) {
            return distance(one.way) < distance(other.way);
        });
        if (nearest == ways.end())
            continue;
        nearest->ns = guessed_ns(nearest->variant, nearest->way);
        if (nearest->ns < never && nearest->ns <= farthest_guess * here)
            result.push_back(std::move(*nearest));
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Candidate& one, const Candidate& other) { return one.ns < other.ns; });
    return result;
}

std::vector<CallSearch::Candidate> CallSearch::other_ways(const Problem& problem, const Candidate& candidate) const
{
    std::vector<Candidate> result;
    add_ways(result, problem, {candidate.variant, "", {{1, 1}}, 1, {{1, 1}}, {}});
    return result;
}

std::optional<CallSearch::Candidate> CallSearch::chosen_now(const State& state,
                                                            const std::vector<Candidate>& candidates) const
{
    const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
        return selection_of(candidate).computes_like(state.before);
    });
    return found == candidates.end() ? std::nullopt : std::optional(*found);
}

void CallSearch::expect(const State& state, const std::vector<Candidate>& candidates) const
{
    std::vector<WholeCall> calls;
    for (const Candidate& candidate : candidates)
        if (state.tried.count(key_of(candidate.variant, candidate.way)) == 0)
            calls.emplace_back(state.problem, selection_of(candidate));
    expect_(calls);
}

bool CallSearch::try_candidate(State& state, const Candidate& candidate) const
{
    const std::string key = key_of(candidate.variant, candidate.way);
    const Selection selection = selection_of(candidate);
    if (!state.tried.insert(key).second || selection.computes_like(state.before))
        return false;
    on_news_(describe(state.call) + " by " + key);
    if (!is_right_(state.problem, selection))
        return false;
    try {
        const auto [best_ns, ns] = side_by_side_(state.problem, best_of(state), selection, seconds_for_two);
        if (ns * worth_a_step >= best_ns)
            return false;
        state.best = candidate;
        state.best->ns = ns;
        return true;
    } catch (const Error&) { // it cannot be had
        return false;
    }
}

bool CallSearch::try_all(State& state, const std::vector<Candidate>& candidates) const
{
    bool found = false;
    expect(state, candidates);
    for (const Candidate& candidate : candidates) {
        if (is_over(state))
            break;
        found |= try_candidate(state, candidate);
    }
    return found;
}

void CallSearch::climb(State& state, Candidate from) const
{
    // The search goes on from the first change for the better. Where there is none, it tries other ways of the same size.
    for (;;) {
        bool is_better = false;
        const std::vector<Candidate> candidates = around(state.problem, from);
        expect(state, candidates);
        for (const Candidate& candidate : candidates) {
            if (is_over(state))
                return;
            is_better = try_candidate(state, candidate);
            if (is_better)
                break;
        }
        if (!is_better && !try_all(state, other_ways(state.problem, from)))
            return;
        from = *state.best;
    }
}

Times CallSearch::confirmed(const State& state) const
{
    constexpr std::size_t times = 3;
    std::array<Times, times> all;
    for (Times& each : all) {
        const auto [before_ns, now_ns] = side_by_side_(state.problem, state.before, best_of(state), seconds_for_two);
        each = {before_ns, now_ns, before_ns / now_ns};
    }
    std::sort(all.begin(), all.end(), [](const Times& one, const Times& other) { return one.speed_up < other.speed_up; });
    return all[times / 2];
}

FoundForCall CallSearch::search(const SingleCall& call, const TunedCall* known, double seconds)
{
    const Problem problem = problem_of(call);
    State state{call, problem, Budget(seconds), select(problem, device_, tuning_, {}), {}, {}};
    if (known)
        try_candidate(state, {known->variant, known->way, known->ns});
    const std::vector<Candidate> candidates = measured_candidates(problem);
    try_all(state, candidates);
    if (const auto from = state.best ? state.best : chosen_now(state, candidates); from && !is_over(state))
        climb(state, *from);

    FoundForCall result;
    result.tried = state.tried.size();
    result.comparison.target = {problem, operand_letters(problem)};
    result.comparison.before = result.comparison.now = state.before;
    result.comparison.chooses_the_same = true;
    result.comparison.times = Times{};
    if (!state.best)
        return result;
    expect_({}); // nothing more is tried for this call
    const Times times = confirmed(state);
    if (times.speed_up < worth_an_entry)
        return result;
    result.comparison.now = best_of(state);
    result.comparison.chooses_the_same = false;
    result.comparison.times = times;
    result.entry = TunedCall{call, state.best->variant, state.best->way, times.now_ns};
    return result;
}

} // namespace clgemm::tune
