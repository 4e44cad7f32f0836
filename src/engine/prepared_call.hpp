// The handles by which callers know their prepared operands, and calls that name them.
#pragma once

#include "engine/prepared_operand.hpp"
#include "problem/problem.hpp"

#include "clgemm/clgemm.h"

#include <memory>

namespace clgemm::core {

// A new handle for this operand. None is given twice, so that one that was released is refused. Threads may make and release
// handles, and look them up, at once.
clgemm_prepared handle_of(std::shared_ptr<PreparedOperand> operand);
// Lets the handle's operand go; whoever holds it goes on using it. False where the handle has none.
bool release(clgemm_prepared handle);

struct PreparedCall {
    Problem problem;
    PreparedOperands operands;
};

// A call with one operand or both prepared. `a`, `b`: null where the operand is not. For a prepared operand the arguments'
// offset, leading dimension and transposition do not count. All products of a batch share it, or have one each. Throws
// CLGEMM_INVALID_PREPARED_A, CLGEMM_INVALID_PREPARED_B, and what make_problem() throws.
PreparedCall read_prepared_call(const Arguments& arguments, clgemm_prepared a, clgemm_prepared b);

// The problem of a call with these operands, whose sizes fit.
Problem problem_with(Arguments arguments, const PreparedOperands& operands);

// The device that has the call's prepared operands. Throws CLGEMM_WRONG_CONTEXT_B where they are of two contexts, and
// CLGEMM_INVALID_PREPARED_B where they are of two devices.
cl_device_id device_of(const PreparedOperands& operands);

// Throws where one belongs to another context or device than the queue: CLGEMM_WRONG_CONTEXT_A, CLGEMM_INVALID_PREPARED_A,
// or the same of B.
void check_place(const PreparedOperands& operands, cl_context context, cl_device_id device);

} // namespace clgemm::core
