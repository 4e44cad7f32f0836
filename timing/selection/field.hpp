// Which candidates are timed for a call: of all kernels, sizes and ways that the library weighs, those that could be the
// fastest.
#pragma once

#include "select/fastest.hpp"

#include <vector>

namespace timing {

// Which candidates are left out by their estimates alone. The fastest one is only missed where estimates err by more than
// these factors.
struct Pruning {
    double within = 1.25; // times the least estimate, of all sizes and ways
    double hopeless = 3;  // the same, of the best of each kernel by estimate; not less than `within`
    bool all = false;     // nothing is left out
};

// Where nobody measured this very device, all estimates of a kernel may err by one large factor: there no kernel is
// hopeless.
Pruning usual_pruning(const clgemm::core::Tuning& tuning);

// All that the library weighs for the problem: measured, or else guessed.
std::vector<clgemm::core::Candidate> weighed(const clgemm::core::Problem& problem, const clgemm::core::DeviceProfile& device,
                                             const clgemm::core::Tuning& tuning);

struct Field {
    std::vector<clgemm::core::Candidate> candidates; // ascending by estimate
    std::size_t hopeless_kernels = 0;                // that have none among them
};

// Keeps the candidates whose estimate is within the first factor of the least one, and the best of each kernel by estimate
// if it is within the second.
Field pruned(std::vector<clgemm::core::Candidate> candidates, const Pruning& pruning);

} // namespace timing
