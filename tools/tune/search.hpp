// The search for the best kernels of a device: first what the library would choose is measured, then hill climbing over the
// kernels' parameters, for several classes of shapes at once.
#pragma once

#include "tune/contest.hpp"
#include "tune/key.hpp"
#include "tune/probe.hpp"
#include "tune/targets.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace clgemm::tune {

// What the search tells while it goes on.
struct News {
    std::string text;
    std::size_t tried = 0, unusable = 0;
    std::size_t again = 0, to_do_again = 0; // while it measures again: how many, of how many that are worth it so far
};

class Search {
public:
    // `before`: what the library goes by now. The search begins with it, unless it is a guess: then all is measured.
    // `on_news` is called for every candidate; `time_left` in seconds, 0 to stop. `only`: what is known of the other kernels
    // is kept as it is, and this one alone searched for; null: everything is searched for. `first`: sizes of that kernel
    // that are measured before all others.
    Search(Probe& probe, const core::Tuning& before, std::function<void(const News&)> on_news,
           std::function<double()> time_left, const core::KernelInfo* only, std::vector<core::Parameters> first = {});

    // Runs until nothing better is near or time is over. However short the time, it goes on until something is found by
    // which every call can be computed; unless `must_stop` says true.
    void run(const std::function<bool()>& must_stop);

    // Measures again what is new and would be chosen, until `stop` says true: of many candidates the luckiest measurement
    // wins, not always the fastest kernel.
    void confirm(const std::function<bool()>& stop);

    // Compares how calls of all that was measured begin (tune/beginnings.hpp). On GPUs alone: calls on a CPU wait for
    // threads that wake up, whatever the kernel. A kernel that is searched for alone is compared with the other ones.
    void level();

    // What was found. Kinds of operands for which there was no time have what was measured on the first kind that any call
    // can be computed on, so that every call has something.
    core::Tuning found() const;
    // The same of a search that did not come to its end. Of a kernel that is searched for alone it keeps what was known
    // before and was not measured again.
    core::Tuning found_until_interrupted() const;

    bool has_measured_anything() const { return news_.tried > news_.unusable; }
    // Was there time to measure all that would be chosen?
    bool has_measured_what_is_chosen() const { return has_measured_what_is_chosen_; }

private:
    struct Candidate {
        Candidate(core::Variant its_variant, const std::string& its_letters)
            : variant(std::move(its_variant)), letters(variant.family().takes_operands_alike() ? "" : its_letters)
        {
        }
        core::Variant variant;
        std::string letters; // empty: all the same
        std::string key() const { return key_of(variant, letters); }
    };

    // All that may be worth measuring, with what is presumed of it.
    Contest all_candidates(const core::Tuning& before) const;
    void try_candidate(const Candidate& candidate);
    // Measures the sizes that come first on all kinds of operands. False if the time was too short for it.
    bool try_first_sizes();
    void forget(const std::string& key);
    // The best measurement for a target so far, null if there is none.
    const core::Measurement* best_for(const Target& target) const;
    // The time of a call in ns, by a measurement and by a guess; infinity where it does not hold for the target.
    double estimate_for(const Target& target, const core::Measurement& measurement) const;
    double guess_for(const Target& target, const core::Variant& variant) const;
    // The next step uphill for a target: what is best on other operands, tried on the target's; or else another size of what
    // is best. None if there is none left.
    std::optional<Candidate> uphill(const Target& target) const;
    void expect(const std::vector<Candidate>& candidates);

    Probe& probe_;
    std::function<void(const News&)> on_news_;
    std::function<double()> time_left_;
    const core::KernelInfo* only_;
    std::vector<core::Parameters> first_;
    News news_;
    core::Tuning found_;
    std::vector<core::Measurement> set_aside_;       // of only_, from before
    std::map<std::string, core::Measurement> known_; // what was measured on this device before
    std::set<std::string> tried_, confirmed_;
    bool has_measured_what_is_chosen_ = false;
    std::vector<Target> targets_;
    Contest contest_;
};

} // namespace clgemm::tune
