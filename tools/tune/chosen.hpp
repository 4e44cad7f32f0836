// Which of many measurements the library would choose for any problem: only those are worth keeping.
#pragma once

#include "tune/targets.hpp"
#include "tuning/tuning.hpp"

namespace clgemm::tune {

// Over a grid of sizes, and for these calls besides.
core::Tuning only_chosen(const core::Tuning& tuning, const core::DeviceProfile& device, const std::vector<Target>& calls);

} // namespace clgemm::tune
