// What a call does and why, for people: several lines, or one for the log.
#pragma once

#include "device/profile.hpp"
#include "problem/problem.hpp"
#include "select/planner.hpp"
#include "tuning/tuning.hpp"

#include <string>

namespace clgemm::core {

std::string explain(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const PlannedCall& call);
std::string explain_in_one_line(const Problem& problem, const DeviceProfile& device, const PlannedCall& call);

} // namespace clgemm::core
