// What all forms of clgemm_prepare() do, once it is known in which buffer the operand lies.
#pragma once

#include "engine/device_state.hpp"
#include "engine/prepared_operand.hpp"
#include "engine/request.hpp"
#include "execute/submission.hpp"
#include "problem/problem.hpp"

#include "clgemm/clgemm.h"

#include <memory>

namespace clgemm::core {

// A matrix of the caller's, or as many as `count` says, a distance apart.
struct OperandToKeep {
    bool is_a;
    clgemm_transpose trans;
    std::size_t offset, ld, distance, count;

    Memory memory() const { return is_a ? Memory::a : Memory::b; }
};

// Throws CLGEMM_INVALID_OPERAND.
OperandToKeep read_operand(clgemm_operand operand, clgemm_transpose trans, std::size_t offset, std::size_t ld,
                           std::size_t distance, std::size_t count);

// Products of the sizes that the caller gave, of which the matrix is a factor, checked. Their other matrices have no gaps.
// Throws what make_problem() throws.
Arguments typical_products(clgemm_layout layout, const OperandToKeep& matrix, std::size_t m, std::size_t n, std::size_t k,
                           const Arithmetic& arithmetic);

// Enqueues the copy, from that buffer of the state's context, and the images that such products want. Throws.
std::shared_ptr<PreparedOperand> prepare_operand(const Arguments& typical, const OperandToKeep& matrix, cl_mem buffer,
                                                 DeviceState& state, const Submission& submission, const Request& request);

} // namespace clgemm::core
