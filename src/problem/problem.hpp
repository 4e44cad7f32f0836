// What is asked: a validated multiplication, C = alpha * A * B + beta * C. Its matrices say themselves where they lie and
// whether they are stored transposed.
//
// C = A B is the same as C' = B' A' in the same memory. So every multiplication has a form in which C's columns run along
// memory, which is the one that calls begin with (a row-major call is transposed on its way in), and another one in which
// C's rows do.
#pragma once

#include "problem/arithmetic.hpp"
#include "problem/batch.hpp"
#include "problem/matrix.hpp"

#include "clgemm/clgemm.h"

#include <string>

namespace clgemm::core {

// The arguments of a call as the caller gave them, without buffers.
struct Arguments { // NOLINT(cppcoreguidelines-pro-type-member-init): who makes them gives all of them
    clgemm_layout layout;
    clgemm_transpose trans_a, trans_b;
    std::size_t m, n, k;
    float alpha;
    std::size_t offset_a, lda, offset_b, ldb;
    float beta;
    std::size_t offset_c, ldc;
    Arithmetic arithmetic = {};
    Batch batch = {};
    std::size_t distance_a = 0, distance_b = 0, distance_c = 0; // from a matrix to that of the batch's next product
};

struct Problem {
    std::size_t m = 0, n = 0, k = 0;
    float alpha = 1, beta = 0;
    Matrix a, b, c; // m x k, k x n, m x n
    Arithmetic arithmetic = {};
    Batch batch = {};
    bool of_row_major_call = false; // its transposed problem; people are told both

    bool touches_nothing() const { return m == 0 || n == 0 || batch.count == 0; }
    bool only_scales_c() const { return k == 0 || alpha == 0.0f; }

    // The matrix that lies in that buffer of the caller's.
    const Matrix& matrix_in(Memory memory) const { return a.memory == memory ? a : b.memory == memory ? b : c; }
    Matrix& matrix_in(Memory memory) { return a.memory == memory ? a : b.memory == memory ? b : c; }
};

// A batch whose products share A is one product of many columns where B's and C's columns go on from product to product as
// within one; and so are rows where it shares B. Other problems stay as they are.
Problem as_one_product(const Problem& problem);

// Checks every argument, in the caller's terms. Throws the status of the first that is wrong. C's columns run along memory.
// Of a listed batch the offsets are 0, and alpha and beta any numbers but 0: each product has its own.
// A batch that is a single product in truth is returned as one (as_one_product()).
Problem make_problem(const Arguments& arguments);

// The same multiplication as C' = B' A'.
Problem transposed(const Problem& problem);

// The part that computes a block of C: `rows` x `cols` from (row, col) on.
Problem block_of(const Problem& problem, std::size_t row, std::size_t rows, std::size_t col, std::size_t cols);

// One product of a batch. Each of them counts as aligned only as far as all are, so that all are computed in the same way.
Problem product_of(const Problem& batched, std::size_t index);

// `count` products of a batch from that index on: a batch again, or one product.
Problem products_of(const Problem& batched, std::size_t index, std::size_t count);

// "NT 3x4x5", for people: transposes, m, n, k.
std::string describe(const Problem& problem);

} // namespace clgemm::core
