// One multiplication with everything that can go wrong around it: run on the test device and checked element by element.
#pragma once

#include "guarded_matrix.hpp"
#include "support/opencl.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <iosfwd>

namespace clgemm::test {

struct SgemmCase {
    clgemm_layout layout = CLGEMM_COLUMN_MAJOR;
    clgemm_transpose trans_a = CLGEMM_NO_TRANS, trans_b = CLGEMM_NO_TRANS;
    std::size_t m = 1, n = 1, k = 1;
    float alpha = 1, beta = 0;
    std::array<std::size_t, 3> gaps{};    // of A, B, C: leading dimension beyond the least possible
    std::array<std::size_t, 3> offsets{}; // of A, B, C: elements before the matrix
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

// Computes the case on the given buffers, blocking, and returns a status.
using Multiply = std::function<clgemm_status(const SgemmCase&, const Operands&, cl_mem a, cl_mem b, cl_mem c)>;

// clgemm_sgemm_ex() with this kernel (null: automatic) on the test device's in-order queue.
Multiply by_api(const char* kernel);

// Runs the case and checks every element of C, all canaries, and that A and B are as they were.
testing::AssertionResult is_right(const SgemmCase& c, const Multiply& multiply);

// The same check for a result that was computed in any other way: `before` went in, `after` came out.
testing::AssertionResult is_right(const SgemmCase& c, const Operands& before, const Operands& after);

} // namespace clgemm::test
