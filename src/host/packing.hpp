// Copies between a matrix in the caller's memory and its packed form, which has no gaps between columns. A piece of it is
// given by the elements [first, first + count) of the packed form, so that a matrix can be copied in pieces of any size.
#pragma once

#include "problem/matrix.hpp"

#include <cstddef>

namespace clgemm::core {

// How: by way of the caches or past them (streaming_copy.hpp).
using Copy = void(float* to, const float* from, std::size_t count);
void cached_copy(float* to, const float* from, std::size_t count);

// From the matrix in `memory` to the piece.
void pack(const Matrix& matrix, const float* memory, std::size_t first, std::size_t count, float* piece, Copy* copy);

// From the piece to the matrix in `memory`. What lies between the matrix's columns is not touched.
void unpack(const Matrix& matrix, const float* piece, std::size_t first, std::size_t count, float* memory, Copy* copy);

} // namespace clgemm::core
