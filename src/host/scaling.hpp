// C = beta * C on host memory, where nothing is multiplied: a device could only do it more slowly.
#pragma once

#include "problem/matrix.hpp"

namespace clgemm::core {

// With beta = 0, C is only written.
void scale(const Matrix& c, float beta, void* memory);

} // namespace clgemm::core
