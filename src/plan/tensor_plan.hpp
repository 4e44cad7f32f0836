// The steps of a multiplication on tensor cores: split the operands into pieces, multiply, and add the parts of K if there
// are several; where the workspace does not hold all pieces, for one block of C after the other.
#pragma once

#include "plan/plan.hpp"

namespace clgemm::core {

Plan plan_on_tensor_cores(const Problem& problem, const DeviceProfile& device, const Selection& selection);

} // namespace clgemm::core
