#include "tune/search.hpp"

#include "tune/chosen.hpp"
#include "tune/known.hpp"
#include "tune/neighbours.hpp"

#include "families/registry.hpp"
#include "select/fastest.hpp"
#include "support/error.hpp"
#include "tuning/derived_tuning.hpp"

#include <algorithm>
#include <limits>

namespace clgemm::tune {

using namespace core;

Search::Search(Probe& probe, const Tuning& before, std::function<void(const News&)> on_news,
               std::function<double()> time_left, const KernelInfo* only)
    : probe_(probe), on_news_(std::move(on_news)), time_left_(std::move(time_left)), only_(only),
      targets_(targets_to_search(probe.profile()))
{
    if (!before.is_a_guess) {
        found_ = before;
        for (const Measurement& known : before.measurements)
            known_.emplace(key_of(known), known);
    }
    if (only_) {
        found_ = before;
        std::erase_if(found_.measurements,
                      [&](const Measurement& measurement) { return measurement.variant.kernel == only_; });
    } else {
        const auto anew = [&](double known, double measured) {
            return !before.is_a_guess && is_the_same(known, measured) ? known : measured;
        };
        found_.launch_ns = anew(before.launch_ns, probe_.launch_ns());
        found_.enqueue_ns = anew(before.enqueue_ns, probe_.enqueue_ns());
        found_.bytes_per_ns = anew(before.bytes_per_ns, probe_.bytes_per_ns());
    }
    found_.calls = before.calls; // a file that is replaced keeps its entries for single calls
    found_.origin = "being tuned";
    found_.is_a_guess = false;
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
    } catch (const Unusable& reason) {
        news_.unusable++;
        news_.text += ": " + std::string(reason.what());
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
    return guess ? estimate_for(target, as_measurement(*guess, variant, probe_.profile()))
                 : std::numeric_limits<double>::infinity();
}

bool Search::climb(const Target& target)
{
    const Measurement* best = best_for(target);
    if (!best || !best->variant.family().takes_other_sizes() || (only_ && best->variant.kernel != only_))
        return false; // there is nothing to search
    const Variant here = best->variant;
    const std::string letters = best->operands; // of the transposed target where that is faster
    // The most promising first: what a guess makes of the change, times what the guess was worth where we stand.
    std::vector<Candidate> candidates;
    for (auto& parameters : neighbours(*here.kernel, here.parameters, probe_.profile()))
        candidates.emplace_back(variant_of(*here.kernel, std::move(parameters)), letters);
    const Candidate* next = nullptr;
    double best_guess = std::numeric_limits<double>::infinity();
    for (const auto& candidate : candidates) {
        if (tried_.count(candidate.key()) > 0)
            continue;
        const double guess = guess_for(target, candidate.variant);
        if (guess <= best_guess) { // of equals the last: it changes the least
            next = &candidate;
            best_guess = guess;
        }
    }
    // Farther away than half as fast by the guess is not worth a compilation.
    if (!next || !(best_guess <= 2 * guess_for(target, here)))
        return false;
    try_candidate(*next);
    return true;
}

void Search::run()
{
    // What the registry has, on every kind of operands: a device is usable from here on.
    const auto all_letters = letters_for(probe_.profile());
    for (const char* letters : all_letters)
        for (const auto& guess : guesses_for(probe_.profile())) {
            if (time_left_() <= 0 &&
                takes_everything(found_, all_letters.front())) // however short the time, this much is found
                return;
            if (!only_ || guess.variant.kernel == only_)
                try_candidate({guess.variant, letters});
        }
    has_measured_everything_once_ = true;
    // Then uphill, one step for each target in turn. What is best on one kind of operands is tried on the others.
    for (bool found_any = true; found_any;) {
        found_any = false;
        for (const auto& target : targets_) {
            if (time_left_() <= 0)
                return;
            Target elsewhere = target;
            elsewhere.letters = "NT";
            elsewhere.problem = problem_of({target.problem.m, target.problem.n, target.problem.k}, "NT");
            if (const Measurement* best = best_for(elsewhere)) {
                const Candidate same{best->variant, target.letters};
                if (tried_.count(same.key()) == 0 && (!only_ || best->variant.kernel == only_)) {
                    try_candidate(same);
                    found_any = true;
                    continue;
                }
            }
            found_any |= climb(target);
        }
    }
}

void Search::confirm(const std::function<bool()>& stop)
{
    const auto mean = [](Curve& of, const Curve& with) {
        for (std::size_t i = 0; i < std::min(of.size(), with.size()); i++)
            of[i].second = (of[i].second + with[i].second) / 2;
    };
    // What was lucky falls behind and others come up, which then are measured again, too.
    for (bool any = true; any;) {
        any = false;
        for (const auto& chosen : only_chosen(found_, probe_.profile(), targets_).measurements) {
            const std::string key = key_of(chosen);
            if (stop())
                return;
            if ((only_ && chosen.variant.kernel != only_) || known_.count(key) > 0 || !confirmed_.insert(key).second)
                continue;
            any = true;
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

Tuning Search::found() const
{
    return filled(found_, letters_for(probe_.profile()));
}

} // namespace clgemm::tune
