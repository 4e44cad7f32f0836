// What a call does and why, for people: several lines, or one for the log.
#pragma once

#include "plan/decision.hpp"

#include <string>

namespace clgemm::core {

std::string explain(const Problem& problem, const DeviceProfile& device, const Decision& decision);
std::string explain_in_one_line(const Problem& problem, const DeviceProfile& device, const Decision& decision);

} // namespace clgemm::core
