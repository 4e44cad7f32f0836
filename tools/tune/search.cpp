#include "tune/search.hpp"

#include "support/arithmetic.hpp"
#include "support/error.hpp"
#include "tuning/derived_tuning.hpp"
#include "tuning/tuning_sources.hpp"

#include <algorithm>
#include <span>

namespace clgemm::tune {
namespace {

using namespace core;

struct Shape {
    std::size_t m, n, k;
};

// Squares, tall, wide, deep and shallow ones, and vectors: what calls look like, small enough to measure.
constexpr Shape gpu_shapes[] = {{4096, 4096, 4096}, {1024, 1024, 1024}, {512, 512, 512},    {2048, 2048, 2048},
                                {256, 256, 256},    {64, 64, 64},       {8192, 64, 4096},   {64, 8192, 4096},
                                {128, 128, 16384},  {4096, 4096, 16},   {4096, 16, 4096},   {16, 4096, 4096},
                                {8192, 1, 8192},    {1, 8192, 8192},    {1536, 1536, 1536}, {128, 128, 128}};
constexpr Shape cpu_shapes[] = {{512, 512, 512},  {1024, 1024, 1024}, {256, 256, 256},  {128, 128, 128}, {1024, 16, 1024},
                                {16, 1024, 1024}, {64, 64, 8192},     {1024, 1024, 16}, {2048, 1, 2048}, {1, 2048, 2048}};

// Aligned and transposed in every way; then the unaligned ones, which are all the same to kernels for CPUs.
constexpr const char* all_letters[] = {"NT", "NN", "TN", "TT", "nt", "nN", "Tt"};

std::span<const char* const> letters_for(const DeviceProfile& device)
{
    return std::span(all_letters).first(device.type == DeviceType::cpu ? 4 : std::size(all_letters));
}

double estimate_of(const Measurement& measurement, const Problem& problem, const DeviceProfile& device, const Tuning& tuning)
{
    const Tiling tiling = measurement.kernel->tiling(measurement.parameters);
    double best = 0;
    for (const Way& way : possible_ways(problem, device, *measurement.kernel, tiling)) {
        // What is measured holds for the operands as they lie.
        if (way.copy_a || way.copy_b || (way.exchanged && !measurement.kernel->few_columns))
            continue;
        const double ns = estimate(problem, device, tuning, measurement, tiling, way);
        if (best == 0 || ns < best)
            best = ns;
    }
    return best;
}

} // namespace

Search::Search(Probe& probe, std::function<void(const News&)> on_news, std::function<double()> time_left,
               const KernelInfo* only)
    : probe_(probe), on_news_(std::move(on_news)), time_left_(std::move(time_left)), only_(only)
{
    if (only_) {
        found_ = tuning_for(probe_.profile());
        std::erase_if(found_.measurements, [&](const Measurement& measurement) { return measurement.kernel == only_; });
    } else {
        found_.launch_ns = probe_.launch_ns();
        found_.enqueue_ns = probe_.enqueue_ns();
        found_.bytes_per_ns = probe_.bytes_per_ns();
    }
    found_.origin = "being tuned";
    const auto add = [&](const Shape& shape, const char* letters) {
        const auto whole = [](std::size_t size) { return size == 1 ? size : round_up(size, 4); };
        targets_.push_back({Probe::problem(whole(shape.m), whole(shape.n), shape.k, letters), letters});
    };
    for (const char* letters : letters_for(probe_.profile())) {
        if (probe_.profile().type == DeviceType::cpu)
            for (const auto& shape : cpu_shapes)
                add(shape, letters);
        else
            for (const auto& shape : gpu_shapes)
                add(shape, letters);
    }
}

void Search::try_candidate(const Candidate& candidate)
{
    if (!tried_.insert(candidate.key()).second)
        return;
    news_.tried++;
    news_.text = candidate.key();
    try {
        found_.measurements.push_back(probe_.measure(*candidate.kernel, candidate.parameters, candidate.letters));
    } catch (const Unusable& reason) {
        news_.unusable++;
        news_.text += ": " + std::string(reason.what());
    }
    on_news_(news_);
}

const Measurement* Search::best_for(const Target& target, double& ns) const
{
    const Measurement* best = nullptr;
    for (const auto& measurement : found_.measurements) {
        if (!measurement.operands.empty() && measurement.operands != target.letters)
            continue;
        const double its = estimate_of(measurement, target.problem, probe_.profile(), found_);
        if (its > 0 && (!best || its < ns)) {
            best = &measurement;
            ns = its;
        }
    }
    return best;
}

std::vector<Parameters> Search::neighbours(const KernelInfo& kernel, const Parameters& of) const
{
    // One parameter doubled or halved, those that count changed by one, tiles of CPUs by what they consist of; or two of
    // them at a time, since a tile and its warps only fit together.
    const auto changed = [&](const Parameters& from) {
        std::vector<Parameters> result;
        for (const auto& [name, value] : from.values()) {
            std::size_t unit = 0;
            if (value < 2 || name == "STAGES" || name == "ORDER" || name == "RUNNING")
                unit = 1;
            else if (is_for_cpus(kernel.scheme) && name == "WPTM")
                unit = from["WIDTH"];
            else if (is_for_cpus(kernel.scheme) && name == "WPTN")
                unit = 4;
            for (const bool up : {true, false}) {
                if (!up && value < unit)
                    continue;
                Parameters next;
                for (const auto& [other, its] : from.values())
                    next.add(other, other != name ? its
                                    : unit > 0    ? (up ? its + unit : its - unit)
                                    : up          ? its * 2
                                                  : its / 2);
                result.push_back(next);
            }
        }
        return result;
    };
    std::vector<Parameters> result;
    std::set<std::string> seen{of.text()};
    const auto keep = [&](const Parameters& next) {
        if (is_valid(kernel, next) && runs(kernel, next, probe_.profile()) && seen.insert(next.text()).second)
            result.push_back(next);
    };
    for (const auto& first : changed(of)) {
        keep(first);
        for (const auto& second : changed(first))
            keep(second);
    }
    return result;
}

bool Search::climb(const Target& target)
{
    double ns = 0;
    const Measurement* best = best_for(target, ns);
    if (!best || !best->kernel->valid || (only_ && best->kernel != only_)) // of the others there is nothing to search
        return false;
    const KernelInfo& kernel = *best->kernel;
    // The most promising first: what a guess makes of the change, times what the guess was worth where we stand.
    const Parameters here = best->parameters;
    const Candidate* next = nullptr;
    std::vector<Candidate> candidates;
    for (const auto& parameters : neighbours(kernel, here))
        candidates.emplace_back(kernel, parameters, target.letters);
    double best_guess = 0;
    for (const auto& candidate : candidates) {
        if (tried_.count(candidate.key()) > 0)
            continue;
        const double guess =
            estimate_of(guess_of(kernel, candidate.parameters, probe_.profile()), target.problem, probe_.profile(), found_);
        if (guess > 0 && (!next || guess <= best_guess)) { // of equals the last: it changes the least
            next = &candidate;
            best_guess = guess;
        }
    }
    // Farther away than half as fast by the guess is not worth a compilation.
    if (!next ||
        best_guess > 2 * estimate_of(guess_of(kernel, here, probe_.profile()), target.problem, probe_.profile(), found_))
        return false;
    try_candidate(*next);
    return true;
}

void Search::run()
{
    const auto takes_everything = [&] {
        return std::any_of(found_.measurements.begin(), found_.measurements.end(),
                           [](const Measurement& measurement) { return !measurement.kernel->few_columns; });
    };
    // What the registry has, on every kind of operands: a device is usable from here on.
    for (const char* letters : letters_for(probe_.profile()))
        for (const auto& guess : guesses_for(probe_.profile())) {
            if (time_left_() <= 0 && takes_everything()) // however short the time, this much is found
                return;
            if (!only_ || guess.kernel == only_)
                try_candidate({*guess.kernel, guess.parameters, letters});
        }
    // Then uphill, one step for each target in turn. What is best on one kind of operands is tried on the others.
    for (bool found_any = true; found_any;) {
        found_any = false;
        for (const auto& target : targets_) {
            if (time_left_() <= 0)
                return;
            double ns = 0;
            Target elsewhere = target;
            elsewhere.letters = "NT";
            elsewhere.problem = Probe::problem(target.problem.m, target.problem.n, target.problem.k, "NT");
            if (const Measurement* best = best_for(elsewhere, ns)) {
                const Candidate same{*best->kernel, best->parameters, target.letters};
                if (tried_.count(same.key()) == 0 && (!only_ || best->kernel == only_)) {
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
        for (const auto& chosen : chosen_of(found_).measurements) {
            const std::string key = Candidate{*chosen.kernel, chosen.parameters, chosen.operands}.key();
            if (stop())
                return;
            if ((only_ && chosen.kernel != only_) || !confirmed_.insert(key).second)
                continue;
            any = true;
            Measurement again;
            try {
                again = probe_.measure(*chosen.kernel, chosen.parameters, chosen.operands);
            } catch (const Unusable&) { // what was measured once was an accident, then
                std::erase_if(found_.measurements, [&](const Measurement& measurement) {
                    return Candidate{*measurement.kernel, measurement.parameters, measurement.operands}.key() == key;
                });
                continue;
            }
            for (auto& measurement : found_.measurements)
                if (Candidate{*measurement.kernel, measurement.parameters, measurement.operands}.key() == key) {
                    mean(measurement.step_ns, again.step_ns);
                    mean(measurement.start_ns, again.start_ns);
                }
            news_.text = "again: " + key;
            on_news_(news_);
        }
    }
}

Tuning Search::result() const
{
    Tuning complete = found_;
    const auto on = [&](const std::string& letters) {
        std::vector<Measurement> of;
        std::copy_if(found_.measurements.begin(), found_.measurements.end(), std::back_inserter(of),
                     [&](const Measurement& measurement) { return measurement.operands == letters; });
        return of;
    };
    const auto* const first = std::find_if(std::begin(all_letters), std::end(all_letters),
                                           [&](const char* letters) { return !on(letters).empty(); });
    for (const char* letters : all_letters)
        if (first != std::end(all_letters) && on(letters).empty())
            for (auto& measurement : on(*first)) {
                measurement.operands = letters;
                complete.measurements.push_back(std::move(measurement));
            }
    return chosen_of(complete);
}

// Over a grid of sizes.
Tuning Search::chosen_of(const Tuning& tuning) const
{
    std::set<std::string> chosen;
    const auto name = [](const KernelInfo& kernel, const std::string& parameters, const std::string& letters) {
        return std::string(kernel.name) + " " + parameters + " " + letters;
    };
    constexpr std::size_t sizes[] = {1, 4, 16, 32, 64, 128, 256, 384, 512, 768, 1024, 1536, 2048, 4096, 8192};
    constexpr std::size_t depths[] = {4, 16, 64, 256, 512, 1024, 2048, 4096, 16384};
    for (const char* letters : letters_for(probe_.profile()))
        for (const std::size_t m : sizes)
            for (const std::size_t n : sizes)
                for (const std::size_t k : depths)
                    for (const bool strict : {false, true}) {
                        const Measurement* measurement = fastest_measurement(Probe::problem(m, n, k, letters),
                                                                             probe_.profile(), tuning, {nullptr, strict});
                        if (measurement)
                            chosen.insert(name(*measurement->kernel, measurement->parameters.text(), measurement->operands));
                    }
    Tuning result = tuning;
    std::erase_if(result.measurements, [&](const Measurement& measurement) {
        return chosen.count(name(*measurement.kernel, measurement.parameters.text(), measurement.operands)) == 0;
    });
    return result;
}

} // namespace clgemm::tune
