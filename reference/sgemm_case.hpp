// One multiplication with everything that can go wrong around it: gaps, offsets, canaries. What computes it is checked
// element by element.
#pragma once

#include "reference/guarded_matrix.hpp"

#include <array>
#include <iosfwd>
#include <random>
#include <string>

namespace clgemm::reference {

struct SgemmCase {
    clgemm_layout layout = CLGEMM_COLUMN_MAJOR;
    clgemm_transpose trans_a = CLGEMM_NO_TRANS, trans_b = CLGEMM_NO_TRANS;
    std::size_t m = 1, n = 1, k = 1;
    float alpha = 1, beta = 0;
    std::array<std::size_t, 3> gaps{};    // of A, B, C: leading dimension beyond the least possible
    std::array<std::size_t, 3> offsets{}; // of A, B, C: elements before the matrix
    clgemm_math math = CLGEMM_MATH_DEFAULT;
};

std::ostream& operator<<(std::ostream& out, const SgemmCase& c);

// The same multiplication as C' = op(B)' op(A)'.
SgemmCase exchanged(const SgemmCase& c);

// The operands of a case, with random values where the call may read and canaries everywhere else: also in C when beta is
// 0, and in A and B when they must not be read.
struct Operands {
    explicit Operands(const SgemmCase& c);
    GuardedMatrix a, b, c;
};

// Element (row, col) of op(X), of X as it is stored.
decltype(auto) element_of_op(auto& stored, clgemm_transpose trans, std::size_t row, std::size_t col)
{
    return trans == CLGEMM_NO_TRANS ? stored.at(row, col) : stored.at(col, row);
}

// What came out of a call, `after`, where `before` went in.
struct Verdict {
    std::string wrong;       // what is wrong, for people; empty: everything is right
    double of_the_bound = 0; // the largest error of an element, as a part of the error bound
};

// Looks at every element of C, at all canaries, and whether A and B are as they were.
Verdict judge(const SgemmCase& c, const Operands& before, const Operands& after);

// Any sizes from 1 to 300, small ones as often as large ones and many at a border; any layout, transposes, scalars, gaps and
// offsets.
SgemmCase random_case(std::mt19937& random);

} // namespace clgemm::reference
