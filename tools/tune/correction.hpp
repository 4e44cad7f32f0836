// Corrects a measurement by what whole calls took. The tuner measures steps along K one kernel at a time, and the cost model
// estimates calls from them: where there are many candidates, the errors of the model help to choose, too.
#pragma once

#include "tuning/tuning.hpp"

#include <vector>

namespace clgemm::tune {

// A whole call took `factor` times what was estimated.
struct Observation {
    double load = 0; // of the compute unit that has the most to do, as in core::Load
    double factor = 1;
    double weight = 1;
};

// In the logarithm of loads: loads that differ by a factor of 1.4 are still near one another.
inline constexpr double usual_reach = 0.35;

// The curves scaled to what was observed. Times at loads far from every observation are scaled by `otherwise`.
core::Measurement corrected(core::Measurement measurement, const std::vector<Observation>& observations, double otherwise,
                            double reach = usual_reach);

} // namespace clgemm::tune
