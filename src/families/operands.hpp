// How operands lie in memory: what families tell kernels of it, and how tuning data name it.
#pragma once

#include "problem/problem.hpp"

#include <string>

namespace clgemm::core {

// How the operands of a multiplication lie in memory, as two letters: A's and B's. As in BLAS, N is not transposed and T is
// transposed. The small letters n and t are for an operand whose memory runs along M (or N) but is not aligned for vectors
// of four.
//   A: N, n along M; T along K.   B: T, t along N; N along K.
std::string operand_letters(const Problem& problem);

// If two operands run along M and N and one is not aligned for vectors, both count as not aligned: only such pairs are
// measured.
std::string both_unaligned_if_one(const std::string& letters);

// A compiler option that defines this name as 1 or 0.
std::string flag(const std::string& name, bool value);

// How many neighbours of an operand a kernel copies at a time, 4, 2 or 1, if it also computes addresses of runs beyond the
// matrix, where it reads nothing. These must be aligned, too, so that the leading dimension counts even where there is a
// single run.
unsigned copy_width(const Matrix& matrix);

// 4 or 1: the same for kernels that read no pairs.
unsigned vector_width(const Matrix& matrix);

// The options that tell a kernel how its operands lie. It may read WIDTH_A (WIDTH_B) neighbours in memory at once.
std::string layout_options(const Matrix& a, const Matrix& b, unsigned width_a, unsigned width_b);

} // namespace clgemm::core
