// How good the library's choices are on a device, for random calls: selection_bench in short. It looks inside the library,
// as the tuner does. So it judges the choices of the copy that is linked into the program, which are those of the installed
// library if that has the same version.
#pragma once

#include "timing/selection/selection_report.hpp"

#include <clgemm/clgemm.hpp>

#include <functional>
#include <vector>

namespace clgemm::selftest {

// Judges calls that are drawn by the seed, as many as there is time for. `goes_on` is asked before each, with how many were
// judged so far.
std::vector<timing::JudgedCall> judged_choices(const cl::Device& device, unsigned long seed,
                                               const std::function<bool(std::size_t)>& goes_on);

} // namespace clgemm::selftest
