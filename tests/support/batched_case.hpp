// A batch of products with everything that can go wrong around it: matrices that are shared or overlap, that lie behind one
// another or side by side, and canaries between them. What computes it is checked element by element.
#pragma once

#include "call_forms.hpp"

#include "problem/problem.hpp"

#include <gtest/gtest.h>

#include <array>
#include <iosfwd>
#include <random>
#include <vector>

namespace clgemm::test {

struct BatchedCase {
    clgemm_layout layout = CLGEMM_COLUMN_MAJOR;
    clgemm_transpose trans_a = CLGEMM_NO_TRANS, trans_b = CLGEMM_NO_TRANS;
    std::size_t m = 1, n = 1, k = 1, count = 1;
    float alpha = 1, beta = 0;
    std::array<std::size_t, 3> offset{}, ld{1, 1, 1}, distance{}; // of A, B, C

    // Where a product's matrix begins.
    std::size_t begin(Which which, std::size_t product) const { return offset[which] + product * distance[which]; }
    // Of neighbours in memory, and how many such runs a matrix has.
    std::size_t run_length(Which which) const;
    std::size_t runs(Which which) const;
    // Elements to the end of the last matrix.
    std::size_t extent(Which which) const;
};

// As the library reads the call: with these offsets, or, on host memory, where pointers say where matrices begin, without.
core::Arguments arguments_of(const BatchedCase& x);
core::Arguments arguments_on_host(const BatchedCase& x);

std::ostream& operator<<(std::ostream& out, const BatchedCase& x);

// Sizes from 1 to 70, now and then 0, in up to nine products; any layout, transposes, scalars, gaps, offsets, and distances.
BatchedCase random_batched_case(std::mt19937& random);

// The buffers of a batch: random numbers in the matrices that the call may read, and NaNs everywhere else, also in C where
// beta is 0.
struct BatchedOperands {
    explicit BatchedOperands(const BatchedCase& x);

    std::array<std::vector<float>, 3> elements; // some more than the extents
};

// Is each element of each C right, and has everything else its bits?
testing::AssertionResult is_right(const BatchedCase& x, const BatchedOperands& before, const BatchedOperands& after);

// Is each product right as a whole, or else as it was? For calls that failed.
testing::AssertionResult is_right_or_as_it_was(const BatchedCase& x, const BatchedOperands& before,
                                               const BatchedOperands& after);

} // namespace clgemm::test
