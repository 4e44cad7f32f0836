// Do C and an operand that lie in one memory share elements? Then the result would depend on which of them is read or
// written first.
#pragma once

#include "problem/problem.hpp"

#include <cstddef>

namespace clgemm::core {

// `c_before`: elements from the beginning of the operand's memory to that of C's; 0 where both have offsets in one buffer.
// Matrices that lie within one another without sharing elements, such as blocks of one large matrix, are apart. In a batch
// the matrices of each product are compared with each other, and where C and the operand have the same distance, those of
// all products.
bool shares_elements_with_c(const Problem& problem, const Matrix& operand, std::ptrdiff_t c_before = 0);

} // namespace clgemm::core
