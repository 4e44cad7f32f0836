// Which of many measurements the library would choose for any problem: only those are worth keeping.
#pragma once

#include "tune/targets.hpp"
#include "tuning/tuning.hpp"

namespace clgemm::tune {

// The measurements that are chosen for a grid of sizes, or for one of these calls.
core::Tuning only_chosen(const core::Tuning& tuning, const core::DeviceProfile& device, const std::vector<Target>& calls);

} // namespace clgemm::tune
