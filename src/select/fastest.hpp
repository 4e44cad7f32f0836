// The fastest way to compute a problem by the cost model, among what was measured or guessed of the device.
#pragma once

#include "select/options.hpp"
#include "tuning/tuning.hpp"

#include <optional>
#include <vector>

namespace clgemm::core {

struct Candidate {
    const Measurement* measurement = nullptr;
    Way way;
    Blocks blocks;
    double ns = 0;
};

// How long the problem takes by this measurement, in all of its parts, in ns. `outline`: of the first one, in this way.
double estimate_of(const Problem& problem, const Outline& outline, const Tuning& tuning, const Measurement& measurement,
                   const Way& way, const Blocks& blocks = {});

// None if nothing of this tuning holds for the problem. (Tuning::guesses are not asked.)
std::optional<Candidate> fastest(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                 const Options& options);

// All that fastest() weighs, in the order of the tuning.
std::vector<Candidate> candidates(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                  const Options& options);

// The measurement of that candidate, null if there is none.
const Measurement* fastest_measurement(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                       const Options& options);

// How long a call takes by this measurement, in the best way of the form that its family names first (Family::ways()). None
// if the measurement holds for no such way.
std::optional<double> shortest_estimate(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                        const Measurement& measurement);

} // namespace clgemm::core
