// How families tell kernels, and name in tuning data, how operands lie in memory.
#pragma once

#include "problem/problem.hpp"

#include <string>

namespace clgemm::core {

// How the operands of a multiplication lie in memory, as two letters: A's and B's. As BLAS has it, N is not transposed and T
// transposed; n and t are N and T for an operand whose memory runs along M (N) but is not aligned for vectors of four.
//   A: N, n along M; T along K.   B: T, t along N; N along K.
std::string operand_letters(const Problem& problem);

// If two operands run along M and N and one is not aligned for vectors, both count as not aligned: only such pairs are
// measured.
std::string both_unaligned_if_one(const std::string& letters);

// A compiler option that defines this name as 1 or 0.
std::string flag(const std::string& name, bool value);

// How many neighbours of an operand a kernel copies at a time, 4, 2 or 1, if it also computes addresses of runs beyond the
// matrix, where nothing is read. Those must be aligned, too, so that even a single run's leading dimension counts.
unsigned copy_width(const Matrix& matrix);

// 4 or 1, for kernels that know no pairs.
unsigned vector_width(const Matrix& matrix);

// What a kernel is told of how its operands lie. WIDTH_A, WIDTH_B: so many neighbours in memory may be read at once.
std::string layout_options(const Matrix& a, const Matrix& b, unsigned width_a, unsigned width_b);

} // namespace clgemm::core
