// A call that the caller describes (clgemm_call), in whichever version of the structure.
#pragma once

#include "engine/request.hpp"
#include "problem/problem.hpp"

#include "clgemm/clgemm.h"

namespace clgemm::core {

// The arguments of the call at this place of an array. All its elements have the size that the first one says. `name`: the
// argument's; errors begin with it. Throws CLGEMM_INVALID_CALL.
Arguments read_arguments(const clgemm_call* calls, std::size_t index, const std::string& name, const Request& request);

// The problem of that call. Throws as read_arguments() and make_problem() do.
Problem read_call(const clgemm_call* calls, std::size_t index, const std::string& name, const Request& request);

} // namespace clgemm::core
