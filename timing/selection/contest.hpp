// Times what the library chose for a call against everything else that it could have chosen, in up to three rounds with
// fewer and fewer candidates, so that the time goes where it decides.
#pragma once

#include "timing/matrices.hpp"
#include "timing/selection/drawn_calls.hpp"
#include "timing/selection/field.hpp"
#include "timing/selection/selection_contender.hpp"

#include "timing/build_ahead/builders.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timing {

// A candidate that took part.
struct Timed {
    std::string what;       // kernel, parameters and way
    double estimate_ns = 0; // 0: the library has none
    double seconds = 0;
};

struct Verdict {
    bool is_timed = false;             // if not, what the library chose could not be had, and there is nothing to compare
    Timed chosen;                      // its time, and the other two's, is the median of the final
    Timed best;                        // the same where nothing was faster by more than noise
    double share = 1;                  // best / chosen, of the time: 1 where nothing was faster
    std::optional<Timed> strict;       // what strict would choose, where that is something else
    double strict_share = 1;           // strict's / chosen's time, 1 where that is no faster
    std::size_t weighed = 0;           // by the library
    std::size_t hopeless_kernels = 0;  // left out with all that is weighed of them
    double seconds_of_building = 0;    // of all programs that no call before had
    std::vector<Timed> timed;          // by the first round alone, the least of a few calls: to compare with the estimates
    std::vector<std::string> not_had;  // for want of memory, or since the driver takes no such program
    std::vector<std::string> failures; // what gave a wrong result or none, and why
};

struct ContestRules {
    clgemm_math accuracy = CLGEMM_MATH_DEFAULT;
    Pruning pruning;
    int rounds = 15;          // turns of each finalist
    std::size_t builders = 0; // how many processes build ahead (timing/build_ahead/builders.hpp)
};

class Contest {
public:
    Contest(const HostMatrices& host, const DeviceMatrices& on_device, const ContestRules& rules);

    // `next`: calls that will be judged after this one. When programs must be built, theirs are built beside them.
    Verdict judge(const Product& product, std::span<const DrawnCall> next = {});

    const clgemm::core::DeviceState& state() const { return *state_; }

private:
    // Only others drop out for being slow.
    enum class Role { chosen, strict, other };
    struct Entrant {
        Role role;
        clgemm::core::Selection selection;
        std::unique_ptr<SelectionContender> contender;
        double seconds = 0; // in the last round that it was in
        std::vector<double> turns;
    };

    using Entrants = std::vector<Entrant>;

    static Timed timed(const Entrant& entrant);
    Entrants entrants_for(const Product& product, Verdict& verdict) const;
    // How they compute it, but for those that cannot be planned.
    std::vector<clgemm::core::Plan> plans_of(const Entrants& entrants, const Product& product) const;
    // Builds what they need, and, if some of that is not built, what calls after this one need, too. Nothing is built while
    // calls are timed.
    void build_ahead(const Entrants& entrants, const Product& product, std::span<const DrawnCall> next);
    // The first round: builds, checks, and times a few calls. Whoever fails drops out, whatever the role; others also drop
    // out where they are far behind.
    void heat(Entrants& entrants, const Product& product, std::span<const DrawnCall> next, Verdict& verdict);
    // The other rounds: so many others, the fastest by the round before, take so many turns.
    static void race_with(Entrants& entrants, std::size_t others, const Product& product, int rounds);
    static void decide(const Entrants& entrants, Verdict& verdict);

    const HostMatrices& host_;
    const DeviceMatrices& on_device_;
    ContestRules rules_;
    std::shared_ptr<clgemm::core::DeviceState> state_;
    clgemm::build_ahead::Builders builders_;
};

} // namespace timing
