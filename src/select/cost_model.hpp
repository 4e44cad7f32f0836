// How long a way of computing a problem takes, estimated from its outline and from what was measured of the device.
#pragma once

#include "tuning/tuning.hpp"

namespace clgemm::core {

// A measured curve at this load: linear between its points, and constant before the first one. After the last point its
// height above `rest` grows in proportion to the load.
double value_at(const Curve& curve, double load, double rest);

// How long a call with this outline takes, in ns. `measurement`: of the kernel whose outline it is.
double estimate(const Outline& outline, const Tuning& tuning, const Measurement& measurement);

} // namespace clgemm::core
