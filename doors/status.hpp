// The status codes that clBLAS and CLBlast share: OpenCL's own keep their values, and each of a product's three matrices has
// some of its own.
#pragma once

#include "clgemm/clgemm.h"

#include <CL/cl.h>

namespace clgemm::doors {

// Which matrix of a product. Its codes come after A's, in this order.
enum Operand { operand_a, operand_b, operand_c };

constexpr int not_initialized = -1023;
constexpr int invalid_matrix = -1022;            // + Operand: it is no buffer
constexpr int invalid_dimension = -1017;         // m, n or k is 0
constexpr int invalid_leading_dimension = -1016; // + Operand: it is less than the length of a row or column
constexpr int buffer_too_small = -1011;          // + Operand: the buffer ends before the matrix does
constexpr int temporary_too_small = -2050;       // CLBlast only
constexpr int invalid_batch_count = -2049;       // CLBlast only

// What a call of clgemm's came to, in these codes. What they have no word for (a wrong CLGEMM_ variable, say) is
// CL_INVALID_OPERATION, and the first time clgemm's own words for it appear on standard error. Thread-safe.
int status_of(clgemm_status status);

} // namespace clgemm::doors
