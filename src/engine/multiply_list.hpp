// The products of a list on device buffers, one strided batch of them after the other.
#pragma once

#include "engine/multiply.hpp"
#include "problem/product_list.hpp"

namespace clgemm::core {

// Checks the buffers and the workspace for all of them, and enqueues. The list has been checked, and has a product. Returns
// the operation's event, null unless it was wanted. Throws.
cl::Event multiply(DeviceState& state, const ProductList& list, const Buffers& buffers, const Submission& submission,
                   const Request& request);

// Throws what the call would throw at a stretch that cannot be computed by the kernel that it names, or by any kernel in the
// accuracy that it asks for. So nothing is computed then, not even the stretches that only scale C.
void check_kernel(Planner& planner, const ProductList& list, const std::vector<Stretch>& stretches, const Request& request);

} // namespace clgemm::core
