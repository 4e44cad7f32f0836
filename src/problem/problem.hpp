// What is asked: a validated multiplication, C = alpha * A * B + beta * C. Each of its matrices says where it lies and
// whether it is stored transposed.
//
// C = A B is the same as C' = B' A' in the same memory. So every multiplication has two forms. In one C's columns run along
// memory: calls begin with it, so a row-major call is transposed on its way in. In the other one C's rows do.
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
    bool of_row_major_call = false; // this is the transposed problem of that call; messages name both

    bool touches_nothing() const { return m == 0 || n == 0 || batch.count == 0; }
    bool only_scales_c() const { return k == 0 || alpha == 0.0f; }

    // The matrix that lies in this buffer of the caller's.
    const Matrix& matrix_in(Memory memory) const { return a.memory == memory ? a : b.memory == memory ? b : c; }
    Matrix& matrix_in(Memory memory) { return a.memory == memory ? a : b.memory == memory ? b : c; }
};

// The batch as one product, where it is one: if the products share A, and the columns of B and C go on from product to
// product as they do within one; or if they share B, and the rows of A and C go on. Other problems stay as they are.
Problem as_one_product(const Problem& problem);

// Checks every argument, in the caller's terms. Throws the status of the first that is wrong. In the result C's columns run
// along memory. For a listed batch the offsets must be 0, and alpha and beta any numbers but 0: each product has its own. A
// batch that is in truth a single product is returned as one (as_one_product()).
Problem make_problem(const Arguments& arguments);

// The same multiplication as C' = B' A'.
Problem transposed(const Problem& problem);

// The part of the problem that computes a block of C: `rows` x `cols` from (row, col) on.
Problem block_of(const Problem& problem, std::size_t row, std::size_t rows, std::size_t col, std::size_t cols);

// One product of a batch. Each counts as aligned only as far as all products are, so that all are computed in the same way.
Problem product_of(const Problem& batched, std::size_t index);

// `count` products of a batch, from this index on: a batch again, or one product.
Problem products_of(const Problem& batched, std::size_t index, std::size_t count);

// "NT 3x4x5", for people: transposes, m, n, k.
std::string describe(const Problem& problem);

} // namespace clgemm::core
