// The plans of the kernels for CPUs, where a work-group is a single work-item and computes a block of many tiles.
#pragma once

#include "plan/plan.hpp"

namespace clgemm::core {

// For the schemes for CPUs, whatever the device is.
Plan plan_on_cpu(const Problem& problem, const DeviceProfile& device, const Selection& selection);

} // namespace clgemm::core
