// C = beta * C on host memory, where nothing is multiplied: a device could only do it more slowly.
#pragma once

#include "problem/problem.hpp"

namespace clgemm::core {

// `memory`: what C's offset counts from. With beta = 0, C is only written.
void scale(const Problem& problem, void* memory);

} // namespace clgemm::core
