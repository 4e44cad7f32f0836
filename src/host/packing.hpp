// Copies between a matrix in the caller's memory and its packed form, which has no gaps between columns. A matrix can be
// copied in pieces of any size: a piece is the elements [first, first + count) of the packed form.
#pragma once

#include "problem/matrix.hpp"

#include <cstddef>

namespace clgemm::core {

// How bytes are copied: by way of the caches or past them (streaming_copy.hpp).
using Copy = void(void* to, const void* from, std::size_t bytes);
void cached_copy(void* to, const void* from, std::size_t bytes);

// Copies from the matrix in `memory` to the piece.
void pack(const Matrix& matrix, const void* memory, std::size_t first, std::size_t count, void* piece, Copy* copy);

// Copies from the piece to the matrix in `memory`. What lies between the matrix's columns is not touched.
void unpack(const Matrix& matrix, const void* piece, std::size_t first, std::size_t count, void* memory, Copy* copy);

} // namespace clgemm::core
