// Whether C and an operand share elements where both lie in one memory: then the result would depend on which of them is
// read or written first.
#pragma once

#include "problem/problem.hpp"

#include <cstddef>

namespace clgemm::core {

// `c_before`: elements from the beginning of the operand's memory to that of C's; 0 where both have offsets in one buffer.
// Matrices that lie within one another without sharing elements are apart, such as blocks of one large matrix. Of a batch
// each product's own matrices are compared, and where both distances are the same, those of all its products.
bool shares_elements_with_c(const Problem& problem, const Matrix& operand, std::ptrdiff_t c_before = 0);

} // namespace clgemm::core
