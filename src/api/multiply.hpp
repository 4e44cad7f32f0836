// One multiplication on device buffers, from a problem to its event: the whole way of a call.
#pragma once

#include "api/options.hpp"
#include "execute/execution.hpp"
#include "problem/problem.hpp"

namespace clgemm::core {

// Checks the buffers, plans, and enqueues. Returns the operation's event, null unless it was wanted. Throws.
cl::Event multiply(Problem problem, cl_mem a, cl_mem b, cl_mem c, const Launch& launch, const Request& request);

} // namespace clgemm::core
