#include "timing/selection/contest.hpp"

#include "timing/check.hpp"
#include "timing/statistics.hpp"
#include "timing/turns.hpp"

#include "select/plan_of.hpp"
#include "support/error.hpp"
#include "support/side_by_side.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <limits>
#include <utility>

namespace timing {

using namespace clgemm::core;

Contest::Contest(const HostMatrices& host, const DeviceMatrices& on_device, const ContestRules& rules)
    : host_(host), on_device_(on_device), rules_(rules),
      state_(device_state(on_device.context(), on_device.queue.getInfo<CL_QUEUE_DEVICE>()())), builders_(rules.builders)
{
}

Timed Contest::timed(const Entrant& entrant)
{
    return {describe(entrant.selection), entrant.selection.estimate_ns, entrant.seconds};
}

Contest::Entrants Contest::entrants_for(const Product& product, Verdict& verdict) const
{
    const Problem problem = problem_of(product, rules_.accuracy);
    const DeviceProfile& device = state_->profile();
    const Tuning& tuning = state_->planner->tuning();
    Entrants entrants;
    const auto add = [&](Role role, const Selection& selection) {
        if (std::none_of(entrants.begin(), entrants.end(),
                         [&](const Entrant& entrant) { return entrant.selection.computes_like(selection); }))
            entrants.push_back({role, selection, nullptr, 0, {}});
    };
    add(Role::chosen, select(problem, device, tuning, {}));
    const Problem strict = problem_of(product, CLGEMM_MATH_STRICT);
    if (satisfies(strict.arithmetic, problem.arithmetic))
        add(Role::strict, select(strict, device, tuning, {}));
    std::vector<Candidate> all = weighed(problem, device, tuning);
    verdict.weighed = all.size();
    Field field = pruned(std::move(all), rules_.pruning);
    verdict.hopeless_kernels = field.hopeless_kernels;
    for (const auto& [measurement, way, blocks, ns] : field.candidates)
        add(Role::other, {with_device_features(measurement->variant, device), "", way, blocks, ns});
    return entrants;
}

std::vector<Plan> Contest::plans_of(const Entrants& entrants, const Product& product) const
{
    const Problem problem = problem_of(product, rules_.accuracy);
    std::vector<Plan> plans;
    for (const Entrant& entrant : entrants)
        try {
            const Selection& how = entrant.selection;
            plans.push_back(plan_of(problem, state_->profile(), how.variant, how.way, how.blocks));
        } catch (const Error&) {
            // The contender says why, when it is its turn.
        }
    return plans;
}

void Contest::build_ahead(const Entrants& entrants, const Product& product, std::span<const DrawnCall> next)
{
    const std::size_t builders = builders_.count();
    std::vector<Plan> plans = builders > 0 ? plans_of(entrants, product) : std::vector<Plan>{};
    if (builders_.have_built(plans))
        return;
    const std::size_t enough = 4 * builders; // for each of them to have a few
    for (auto call = next.begin(); call != next.end() && plans.size() < enough; ++call) {
        Verdict nobody_reads;
        std::ranges::move(plans_of(entrants_for(call->product, nobody_reads), call->product), std::back_inserter(plans));
    }
    builders_.expect(plans);
    builders_.finish(plans);
}

void Contest::heat(Entrants& entrants, const Product& product, std::span<const DrawnCall> next, Verdict& verdict)
{
    const Problem problem = problem_of(product, rules_.accuracy);
    const Reference reference(host_, product);
    constexpr int calls = 3; // the least of which is far from the truth only where others take the device all the time
    constexpr double far_behind = 1.5, hopeless = 2; // times the fastest: the latter after a single call
    double least = std::numeric_limits<double>::infinity();
    // What takes longest is to build programs that no call has built yet.
    const auto begin = std::chrono::steady_clock::now();
    build_ahead(entrants, product, next);
    std::vector<std::exception_ptr> why_not(entrants.size());
    const std::size_t at_a_time = state_->profile().builds_one_at_a_time ? 1 : entrants.size();
    side_by_side(entrants.size(), at_a_time, [&](std::size_t i) {
        try {
            entrants[i].contender =
                std::make_unique<SelectionContender>(on_device_, *state_, problem, entrants[i].selection);
        } catch (...) {
            why_not[i] = std::current_exception();
        }
    });
    verdict.seconds_of_building = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (std::size_t i = 0; i < entrants.size(); i++) {
        Entrant& entrant = entrants[i];
        const auto drops_out = [&](std::vector<std::string>& list, const std::exception& why) {
            list.push_back(describe(entrant.selection) + ": " + why.what());
            entrant.contender = nullptr;
        };
        try {
            if (why_not[i])
                std::rethrow_exception(why_not[i]);
            reference.check(*entrant.contender);
        } catch (const Unavailable& why) {
            drops_out(verdict.not_had, why);
            continue;
        } catch (const std::exception& why) {
            drops_out(verdict.failures, why);
            continue;
        }
        entrant.seconds = std::numeric_limits<double>::infinity();
        for (int call = 0; call < calls && (call == 0 || entrant.seconds < hopeless * least); call++)
            entrant.seconds = std::min(entrant.seconds, seconds_of_a_call(*entrant.contender, product));
        least = std::min(least, entrant.seconds);
        verdict.timed.push_back(timed(entrant));
    }
    std::erase_if(entrants, [&](const Entrant& entrant) {
        return !entrant.contender || (entrant.role == Role::other && entrant.seconds > far_behind * least);
    });
}

void Contest::race_with(Entrants& entrants, std::size_t others, const Product& product, int rounds)
{
    std::stable_sort(entrants.begin(), entrants.end(), [](const Entrant& a, const Entrant& b) {
        const bool a_is_other = a.role == Role::other, b_is_other = b.role == Role::other;
        return a_is_other != b_is_other ? b_is_other : a_is_other && a.seconds < b.seconds;
    });
    const auto first_other =
        std::find_if(entrants.begin(), entrants.end(), [](const Entrant& entrant) { return entrant.role == Role::other; });
    if (static_cast<std::size_t>(entrants.end() - first_other) > others)
        entrants.erase(first_other + static_cast<std::ptrdiff_t>(others), entrants.end());

    std::vector<Contender*> contenders;
    std::transform(entrants.begin(), entrants.end(), std::back_inserter(contenders),
                   [](const Entrant& entrant) { return entrant.contender.get(); });
    const auto turns = take_turns(contenders, product, rounds);
    for (std::size_t i = 0; i < entrants.size(); i++) {
        entrants[i].seconds = quantile(turns[i], 0.5);
        entrants[i].turns = turns[i];
    }
}

// A choice that is slower by noise alone counts as the fastest.
void Contest::decide(const Entrants& entrants, Verdict& verdict)
{
    const Entrant& chosen = entrants.front();
    const Entrant* best = &chosen;
    for (const Entrant& entrant : entrants) {
        const bool faster = entrant.seconds < chosen.seconds && is_faster(entrant.turns, chosen.turns);
        if (faster && entrant.seconds < best->seconds)
            best = &entrant;
        if (entrant.role == Role::strict) {
            verdict.strict = timed(entrant);
            verdict.strict_share = faster ? entrant.seconds / chosen.seconds : 1;
        }
    }
    verdict.is_timed = true;
    verdict.chosen = timed(chosen);
    verdict.best = timed(*best);
    verdict.share = best->seconds / chosen.seconds;
}

Verdict Contest::judge(const Product& product, std::span<const DrawnCall> next)
{
    Verdict verdict;
    Entrants entrants = entrants_for(product, verdict);
    heat(entrants, product, next, verdict);
    if (entrants.empty() || entrants.front().role != Role::chosen)
        return verdict;
    constexpr std::size_t in_race = 8, in_final = 3; // besides what was chosen, and strict's choice
    constexpr int rounds_of_race = 5;
    if (entrants.size() > in_final + 1)
        race_with(entrants, in_race, product, rounds_of_race);
    race_with(entrants, in_final, product, rules_.rounds);
    decide(entrants, verdict);
    return verdict;
}

} // namespace timing
