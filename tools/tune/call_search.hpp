// The search for the fastest way to compute one call: candidates are timed as whole calls, in turn with the best so far, so
// that neither curves nor estimates decide. Estimates only say what is tried first.
#pragma once

#include "tune/budget.hpp"
#include "tune/trial.hpp"

#include "tuning/tuning.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clgemm::tune {

// Does a candidate compute a call rightly? False, too, where the candidate cannot be had.
using CheckCall = std::function<bool(const core::Problem&, const core::Selection&)>;

struct FoundForCall {
    Comparison comparison;                // with what is chosen without an entry for the call
    std::optional<core::TunedCall> entry; // none where nothing is faster than that by 2 %
    std::size_t tried = 0;                // candidates
};

class CallSearch {
public:
    // `tuning`: what the library goes by, without entries for single calls. `on_news` is told of each candidate, and
    // `expect` of all that are about to be tried.
    CallSearch(core::DeviceProfile device, core::Tuning tuning, SideBySide side_by_side, CheckCall is_right,
               std::function<void(const std::string&)> on_news, std::function<bool()> is_interrupted,
               ExpectCalls expect = nobody_expects);

    // Tries candidates for so long at most, and finishes the timing that is under way then. After that the best one is timed
    // anew. `known`: an earlier entry for the call, which is tried first; null if there is none.
    FoundForCall search(const core::SingleCall& call, const core::TunedCall* known, double seconds);

private:
    struct Candidate {
        core::Variant variant; // as files name it, without what follows from the device
        core::Way way;
        double ns = 0; // estimated
    };

    // One search.
    struct State {
        const core::SingleCall& call;
        const core::Problem problem;
        const Budget budget;
        const core::Selection before;
        std::optional<Candidate> best; // none as long as nothing is faster than what is chosen now
        std::set<std::string> tried;
    };

    core::Selection selection_of(const Candidate& candidate) const;
    core::Selection best_of(const State& state) const;
    bool is_over(const State& state) const;
    // Every measurement in every way whose workspace is allowed, the fastest by estimate first.
    std::vector<Candidate> measured_candidates(const core::Problem& problem) const;
    void add_ways(std::vector<Candidate>& candidates, const core::Problem& problem, const core::Measurement& by) const;
    // The sizes next to the centre's, each computed in the way that is most like the centre's; the most promising first.
    std::vector<Candidate> around(const core::Problem& problem, const Candidate& centre) const;
    // The same size in its other ways.
    std::vector<Candidate> other_ways(const core::Problem& problem, const Candidate& candidate) const;
    // What is chosen now, as files name it; none if it is not among these candidates.
    std::optional<Candidate> chosen_now(const State& state, const std::vector<Candidate>& candidates) const;
    void expect(const State& state, const std::vector<Candidate>& candidates) const;
    // Checks and times it. True if it is the best so far.
    bool try_candidate(State& state, const Candidate& candidate) const;
    bool try_all(State& state, const std::vector<Candidate>& candidates) const;
    void climb(State& state, Candidate from) const;
    // Times the best one anew: of many candidates the luckiest timing wins.
    Times confirmed(const State& state) const;

    const core::DeviceProfile device_;
    const core::Tuning tuning_;
    SideBySide side_by_side_;
    CheckCall is_right_;
    std::function<void(const std::string&)> on_news_;
    std::function<bool()> is_interrupted_;
    ExpectCalls expect_;
};

} // namespace clgemm::tune
