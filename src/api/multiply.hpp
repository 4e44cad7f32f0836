// One multiplication on device buffers, from the caller's arguments to its event: the whole way of a call.
#pragma once

#include "api/options.hpp"
#include "execute/execution.hpp"
#include "problem/problem.hpp"

namespace clgemm::core {

// Checks everything, decides, and enqueues. Returns the operation's event, null unless it was wanted. Throws.
cl::Event multiply(const Arguments& arguments, cl_mem a, cl_mem b, cl_mem c, const Launch& launch, const Request& request);

} // namespace clgemm::core
