// A call that the caller describes (clgemm_call), in whatever version of the structure.
#pragma once

#include "engine/request.hpp"
#include "problem/problem.hpp"

#include "clgemm/clgemm.h"

namespace clgemm::core {

// The arguments of the call at this place of an array, whose elements all have the size that the first one says. `name`: the
// argument's, with which errors begin. Throws CLGEMM_INVALID_CALL.
Arguments read_arguments(const clgemm_call* calls, std::size_t index, const std::string& name, const Request& request);

// The problem of that call. Throws what make_problem() throws, too.
Problem read_call(const clgemm_call* calls, std::size_t index, const std::string& name, const Request& request);

} // namespace clgemm::core
