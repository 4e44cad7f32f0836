// One multiplication on device buffers, from a problem to its event: the whole way of a call.
#pragma once

#include "engine/device_state.hpp"
#include "engine/prepared_operand.hpp"
#include "engine/request.hpp"
#include "execute/buffers.hpp"
#include "execute/submission.hpp"
#include "problem/problem.hpp"

namespace clgemm::core {

// Checks the buffers, plans, and enqueues. `state`: of the queue's context and device. `problem` says which operands are
// prepared, and where they lie in their copies. Returns the operation's event, null unless it was wanted. Throws.
cl::Event multiply(DeviceState& state, Problem problem, Buffers buffers, const Submission& submission,
                   const Request& request, const PreparedOperands& operands = {});

} // namespace clgemm::core
