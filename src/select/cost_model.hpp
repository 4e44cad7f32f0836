// How long a way of computing a problem takes, estimated from its outline and from what was measured of the device.
#pragma once

#include "tuning/tuning.hpp"

namespace clgemm::core {

// A measured curve at this load: linear between its points, constant before the first. After the last one, what it has risen
// above `rest` rises on in proportion.
double value_at(const Curve& curve, double load, double rest);

// Of a call that has no more than this outline, in ns. `measurement`: of the kernel whose outline it is.
double estimate(const Outline& outline, const Tuning& tuning, const Measurement& measurement);

} // namespace clgemm::core
