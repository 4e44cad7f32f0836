#include "tune/search.hpp"

#include "tune/beginnings.hpp"
#include "tune/chosen.hpp"
#include "tune/known.hpp"
#include "tune/neighbours.hpp"

#include "families/registry.hpp"
#include "select/fastest.hpp"
#include "support/error.hpp"
#include "tuning/derived_tuning.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace clgemm::tune {

using namespace core;

Search::Search(Probe& probe, const Tuning& known, std::function<void(const News&)> on_news,
               std::function<double()> time_left, const KernelInfo* only, std::vector<Parameters> first)
    : probe_(probe), on_news_(std::move(on_news)), time_left_(std::move(time_left)), only_(only), first_(std::move(first)),
      targets_(targets_to_search(probe.profile())), contest_(all_candidates(known))
{
    const Tuning before = told_apart(known, letters_for(probe.profile()));
    if (!before.is_a_guess)
        found_ = before;
    if (before.is_of_this_device())
        for (const Measurement& each : before.measurements)
            known_.emplace(key_of(each), each);
    if (only_) {
        found_ = before;
        const auto is_anothers = [&](const Measurement& measurement) { return measurement.variant.kernel != only_; };
        const auto own = std::stable_partition(found_.measurements.begin(), found_.measurements.end(), is_anothers);
        set_aside_.assign(std::make_move_iterator(own), std::make_move_iterator(found_.measurements.end()));
        found_.measurements.erase(own, found_.measurements.end());
    } else {
        const auto anew = [&](double earlier, double measured) {
            return before.is_of_this_device() && is_the_same(earlier, measured) ? earlier : measured;
        };
        found_.launch_ns = anew(before.launch_ns, probe_.launch_ns());
        found_.enqueue_ns = anew(before.enqueue_ns, probe_.enqueue_ns());
        found_.bytes_per_ns = anew(before.bytes_per_ns, probe_.bytes_per_ns());
    }
    found_.calls = before.calls; // a new file keeps the library's entries for single calls, an older file its own
    found_.origin = "being tuned";
    found_.is_a_guess = found_.is_borrowed = false;
}

Contest Search::all_candidates(const Tuning& before) const
{
    const DeviceProfile& device = probe_.profile();
    std::vector<Target> calls;
    for (const clgemm_math accuracy : accuracies_for(device))
        for (const Target& target : targets_)
            calls.push_back({with_accuracy(target.problem, accuracy), target.letters});
    Contest result(device, std::move(calls));
    const auto enter = [&](const Tuning& presumed) {
        for (const Measurement& each : told_apart(presumed, letters_for(device)).measurements)
            // The probe measures a kernel in its usual arithmetic.
            if ((!only_ || each.variant.kernel == only_) && each.arithmetic == usual_arithmetic(*each.variant.kernel))
                result.enter(each, before);
    };
    enter(before);
    // Guesses have a scale of their own.
    Tuning guesses;
    guesses.measurements = guesses_for(device);
    const double scale = scale_of(before, guesses);
    for (Measurement& guess : guesses.measurements)
        scale_times(guess, scale);
    enter(guesses);
    return result;
}

void Search::try_candidate(const Candidate& candidate)
{
    if (!tried_.insert(candidate.key()).second)
        return;
    news_.tried++;
    news_.text = candidate.key();
    forget(candidate.key()); // what was known before may be of another driver
    try {
        const Measurement measured = probe_.measure(candidate.variant, candidate.letters);
        const auto known = known_.find(candidate.key());
        found_.measurements.push_back(known == known_.end() ? measured : known_or_new(known->second, measured));
        contest_.is_measured(found_.measurements.back(), found_);
    } catch (const Unusable& reason) {
        news_.unusable++;
        news_.text += ": " + std::string(reason.what());
        contest_.is_out(candidate.key());
    }
    on_news_(news_);
}

void Search::forget(const std::string& key)
{
    std::erase_if(found_.measurements, [&](const Measurement& measurement) { return key_of(measurement) == key; });
}

double Search::estimate_for(const Target& target, const Measurement& measurement) const
{
    return shortest_estimate(target.problem, probe_.profile(), found_, measurement)
        .value_or(std::numeric_limits<double>::infinity());
}

const Measurement* Search::best_for(const Target& target) const
{
    const Measurement* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& measurement : found_.measurements)
        if (const double ns = estimate_for(target, measurement); ns < least) {
            best = &measurement;
            least = ns;
        }
    return best;
}

double Search::guess_for(const Target& target, const Variant& variant) const
{
    const auto guess = variant.family().guess(variant, probe_.profile());
    return guess ? estimate_for(target, as_measurement(*guess, variant, probe_.profile(), target.letters))
                 : std::numeric_limits<double>::infinity();
}

void Search::expect(const std::vector<Candidate>& candidates)
{
    std::vector<Probe::Expected> expected;
    for (const Candidate& candidate : candidates)
        if (tried_.count(candidate.key()) == 0)
            expected.emplace_back(candidate.variant, candidate.letters);
    probe_.expect(expected);
}

std::optional<Search::Candidate> Search::uphill(const Target& target) const
{
    const auto is_searched = [&](const Measurement& best) { return !only_ || best.variant.kernel == only_; };
    Target elsewhere = target;
    elsewhere.letters = "NT";
    elsewhere.problem = problem_of({target.problem.m, target.problem.n, target.problem.k}, "NT");
    if (const Measurement* best = best_for(elsewhere)) {
        Candidate same{best->variant, target.letters};
        if (tried_.count(same.key()) == 0 && is_searched(*best))
            return same;
    }
    const Measurement* best = best_for(target);
    if (!best || !best->variant.family().takes_other_sizes() || !is_searched(*best))
        return std::nullopt;
    const Variant here = best->variant;
    const std::string letters = best->operands; // of the transposed target where that is faster
    // The most promising neighbour is the one that is the fastest by guess. Guesses are compared with guesses alone.
    std::vector<Candidate> candidates;
    for (auto& parameters : neighbours(*here.kernel, here.parameters, probe_.profile()))
        candidates.emplace_back(variant_of(*here.kernel, std::move(parameters)), letters);
    Candidate* next = nullptr;
    double best_guess = std::numeric_limits<double>::infinity();
    for (Candidate& candidate : candidates) {
        if (tried_.count(candidate.key()) > 0)
            continue;
        const double guess = guess_for(target, candidate.variant);
        if (guess <= best_guess) { // of equals the last: orders and the like, which the guess does not see, stand at the end
            next = &candidate;
            best_guess = guess;
        }
    }
    // What is less than half as fast by the guess is not worth a compilation.
    if (!next || !(best_guess <= 2 * guess_for(target, here)))
        return std::nullopt;
    return std::move(*next);
}

bool Search::try_first_sizes()
{
    std::vector<Candidate> candidates;
    for (const Parameters& size : first_)
        for (const char* const letters : letters_for(probe_.profile()))
            candidates.emplace_back(variant_of(*only_, size), letters);
    expect(candidates);
    for (const Candidate& candidate : candidates) {
        if (time_left_() <= 0)
            return false;
        try_candidate(candidate);
    }
    return true;
}

void Search::run(const std::function<bool()>& must_stop)
{
    if (!try_first_sizes())
        return;
    const char* const first_letters = letters_for(probe_.profile()).front();
    const auto measure_all = [&](const std::function<std::vector<const Measurement*>()>& next) {
        for (;;) {
            std::vector<Candidate> candidates;
            for (const Measurement* found : next())
                candidates.emplace_back(found->variant, found->operands);
            if (candidates.empty())
                return true;
            const bool has_enough = has_measured_anything() && takes_everything(found_, first_letters);
            if (news_.tried > 0 && (must_stop() || (time_left_() <= 0 && has_enough)))
                return false;
            expect(candidates); // what comes after the first one may be another one, by what is measured now
            try_candidate(candidates.front());
        }
    };
    const auto measure_chosen = [&](double doubt) { return measure_all([&] { return contest_.next(doubt); }); };
    // First what the library would choose as things are; then one size of each other kernel, from which its other sizes can
    // be told; then what would be chosen now, and what is near that.
    if (!measure_chosen(1) || !measure_all([&] { return contest_.next_of_unknown_kernels(); }) || !measure_chosen(1))
        return;
    has_measured_what_is_chosen_ = true;
    if (!measure_chosen(1.25) || !measure_chosen(2))
        return;
    // Then uphill, one step for each target in turn. What is best on one kind of operands is tried on the others.
    for (bool found_any = true; found_any;) {
        found_any = false;
        std::vector<Candidate> candidates;
        for (const Target& target : targets_)
            if (auto candidate = uphill(target))
                candidates.push_back(std::move(*candidate));
        expect(candidates);
        for (const Target& target : targets_) {
            if (time_left_() <= 0)
                return;
            const auto candidate = uphill(target); // by what has been measured meanwhile
            if (!candidate)
                continue;
            try_candidate(*candidate);
            found_any = true;
        }
    }
}

void Search::confirm(const std::function<bool()>& stop)
{
    const auto mean = [](Curve& of, const Curve& with) {
        for (std::size_t i = 0; i < std::min(of.size(), with.size()); i++)
            of[i].second = (of[i].second + with[i].second) / 2;
    };
    expect({}); // most of what follows is built
    // What was lucky falls behind and others come up, which then are measured again, too.
    for (;;) {
        if (stop())
            return;
        std::vector<Measurement> doubtful = only_chosen(found_, probe_.profile(), targets_).measurements;
        std::erase_if(doubtful, [&](const Measurement& chosen) {
            const std::string key = key_of(chosen);
            return (only_ && chosen.variant.kernel != only_) || known_.count(key) > 0 || !confirmed_.insert(key).second;
        });
        if (doubtful.empty())
            return;
        news_.to_do_again += doubtful.size();
        for (const Measurement& chosen : doubtful) {
            const std::string key = key_of(chosen);
            if (stop())
                return;
            news_.again++;
            Measurement again;
            try {
                again = probe_.measure(chosen.variant, chosen.operands);
            } catch (const TakesTooLong&) { // then what was measured once holds
                continue;
            } catch (const Unusable&) { // what was measured once was an accident, then
                forget(key);
                continue;
            }
            for (auto& measurement : found_.measurements)
                if (key_of(measurement) == key) {
                    mean(measurement.step_ns, again.step_ns);
                    mean(measurement.start_ns, again.start_ns);
                }
            news_.text = "again: " + key;
            on_news_(news_);
        }
    }
}

void Search::level()
{
    if (probe_.profile().type == DeviceType::cpu)
        return;
    // What is searched for alone is compared with what was measured of this device before. One measurement of each other
    // kernel is enough, since every program takes long to build.
    std::set<const KernelInfo*> compared;
    const auto role_of = [&](const Measurement& each) {
        const std::string key = key_of(each);
        if (tried_.count(key) > 0)
            return Beginning::put_right;
        return only_ && known_.count(key) > 0 && compared.insert(each.variant.kernel).second ? Beginning::compared_with
                                                                                             : Beginning::left_alone;
    };
    level_beginnings(found_, probe_.profile(), role_of, [&](const auto& calls) { return probe_.times_in_turn(calls); });
}

Tuning Search::found() const
{
    return filled(found_, letters_for(probe_.profile()));
}

Tuning Search::found_until_interrupted() const
{
    Tuning all = found_;
    std::copy_if(set_aside_.begin(), set_aside_.end(), std::back_inserter(all.measurements),
                 [&](const Measurement& each) { return tried_.count(key_of(each)) == 0; });
    return filled(all, letters_for(probe_.profile()));
}

} // namespace clgemm::tune
