// The search for the best kernels of a device: hill climbing over their parameters, for several classes of shapes at once.
#pragma once

#include "tune/probe.hpp"

#include <functional>
#include <map>
#include <set>

namespace clgemm::tune {

// What the search tells while it goes on.
struct News {
    std::string text;
    std::size_t tried = 0, unusable = 0;
};

class Search {
public:
    // `on_news` is called for every candidate; `time_left` in seconds, 0 to stop. `only`: what is known of the other kernels
    // is kept as it is, and this one alone searched for; null: everything is searched for.
    Search(Probe& probe, std::function<void(const News&)> on_news, std::function<double()> time_left,
           const core::KernelInfo* only);

    // Runs until nothing better is near or time is over.
    void run();

    // Measures again what would be chosen: of many candidates the luckiest measurement wins, not always the fastest kernel.
    // Until `stop` says true.
    void confirm(const std::function<bool()>& stop);

    // What was found: only measurements that the library would ever choose. Operands that lie in a way for which there was
    // no time count as those of the first, so that every call has something.
    core::Tuning result() const;

private:
    struct Candidate {
        Candidate(core::Variant its_variant, const std::string& its_letters)
            : variant(std::move(its_variant)), letters(variant.family().takes_operands_alike() ? "" : its_letters)
        {
        }
        core::Variant variant;
        std::string letters; // empty: all the same
        std::string key() const
        {
            return letters + " " + std::string(variant.kernel->name) + " " + variant.parameters.text();
        }
    };
    // A kind of problem that should be fast: a shape, with its operands stored in one way.
    struct Target {
        core::Problem problem;
        std::string letters;
    };

    // What the library would choose of these.
    core::Tuning chosen_of(const core::Tuning& tuning) const;
    void try_candidate(const Candidate& candidate);
    // The best measurement for a target so far, null if there is none.
    const core::Measurement* best_for(const Target& target) const;
    // Of a call, in ns, by what was measured and by what is guessed; infinity where neither holds for the target.
    double estimate_for(const Target& target, const core::Measurement& measurement) const;
    double guess_for(const Target& target, const core::Variant& variant) const;
    // One more step uphill for a target; false if there is none left.
    bool climb(const Target& target);
    std::vector<core::Parameters> neighbours(const core::KernelInfo& kernel, const core::Parameters& of) const;

    Probe& probe_;
    std::function<void(const News&)> on_news_;
    std::function<double()> time_left_;
    const core::KernelInfo* only_;
    News news_;
    core::Tuning found_;
    std::set<std::string> tried_, confirmed_;
    std::vector<Target> targets_;
};

} // namespace clgemm::tune
