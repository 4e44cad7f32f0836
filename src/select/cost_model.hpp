// How long a way of computing a problem takes, estimated from its outline and from what was measured of the device.
#pragma once

#include "tuning/tuning.hpp"

namespace clgemm::core {

// A measured curve between its points by straight lines; before the first point as there. After the last one, what it has
// risen above `rest` rises on in proportion.
double value_at(const Curve& curve, double load, double rest);

// Of the whole call, in ns. `measurement`: of the kernel whose outline it is.
double estimate(const Outline& outline, const Tuning& tuning, const Measurement& measurement);

} // namespace clgemm::core
