// Who is timed for a call: of all kernels, sizes and ways that the library weighs, those that could be the fastest.
#pragma once

#include "select/fastest.hpp"

#include <vector>

namespace bench {

// How many are left out unseen. It takes an estimate that errs by more than `within`, and for another kernel as well, to
// hide the fastest one.
struct Pruning {
    double within = 1.25; // times the least estimate
    bool all = false;     // nothing is left out
};

// All that the library weighs for the problem: measured, or else guessed.
std::vector<clgemm::core::Candidate> weighed(const clgemm::core::Problem& problem, const clgemm::core::DeviceProfile& device,
                                             const clgemm::core::Tuning& tuning);

// Those whose estimate is within that factor of the least one, and the best of each kernel by estimate; ascending.
std::vector<clgemm::core::Candidate> pruned(std::vector<clgemm::core::Candidate> candidates, const Pruning& pruning);

} // namespace bench
