// Tuning for a device that nobody has measured: guesses from its profile, good enough that a first run is reasonable. The
// times are guesses too; only their proportions matter.
#pragma once

#include "tuning/tuning.hpp"

namespace clgemm::core {

// A guess about a kernel in one size as a measurement, on operands that lie as these letters say (families/operands.hpp;
// empty: in any way, if it does not matter to the guess).
Measurement as_measurement(const Guess& guess, const Variant& variant, const DeviceProfile& device,
                           const std::string& operands = "");

// Guesses about each kernel that is made for such a device, in each size that the device can run, or in the first one alone
// where a guess is for no more: what to measure first.
std::vector<Measurement> guesses_for(const DeviceProfile& device);

// A tuning of those guesses that are believed without being measured.
Tuning derived_tuning(const DeviceProfile& device);

// What was measured, and derived_tuning() for the calls for which none of it holds.
Tuning completed_by_guesses(Tuning measured, const DeviceProfile& device);

} // namespace clgemm::core
