// What is asked: a validated multiplication in column-major form.
//
// Row-major C = op(A) op(B) is column-major C' = op(B)' op(A)' in the same memory, so a row-major call becomes a
// column-major one with A and B, m and n exchanged (`swapped`). From here on nothing knows of row-major.
#pragma once

#include "clgemm/clgemm.h"

#include <cstddef>
#include <string>

namespace clgemm::core {

// The arguments of a call as the caller gave them, without buffers.
struct Arguments {
    clgemm_layout layout;
    clgemm_transpose trans_a, trans_b;
    std::size_t m, n, k;
    float alpha;
    std::size_t offset_a, lda, offset_b, ldb;
    float beta;
    std::size_t offset_c, ldc;
};

// A matrix as it lies in its buffer: column-major, rows x cols as stored, starting at element `offset`.
struct Matrix {
    std::size_t rows = 0, cols = 0;
    std::size_t offset = 0, ld = 1;
    bool transposed = false;          // op() transposes it
    std::size_t base_alignment = 128; // bytes that the buffer's own address is known to be a multiple of

    // Elements from the buffer's start to the end of the matrix; 0 for an empty matrix.
    std::size_t extent() const { return rows == 0 || cols == 0 ? 0 : offset + (cols - 1) * ld + rows; }
    // Does every column start at a multiple of `width` floats?
    bool aligned_to(std::size_t width) const
    {
        return base_alignment % (width * sizeof(float)) == 0 && offset % width == 0 && (ld % width == 0 || cols <= 1);
    }
};

// May a kernel read the matrix as float4s along its columns, to the last one of each?
inline bool takes_vectors(const Matrix& matrix)
{
    return matrix.aligned_to(4) && matrix.rows % 4 == 0;
}

struct Problem {
    std::size_t m = 0, n = 0, k = 0;
    float alpha = 1, beta = 0;
    Matrix a, b, c;
    bool swapped = false; // a is the caller's B and b the caller's A

    bool touches_nothing() const { return m == 0 || n == 0; }
    bool only_scales_c() const { return k == 0 || alpha == 0.0f; }
};

// Checks every argument, in the caller's terms. Throws the status of the first that is wrong.
Problem make_problem(const Arguments& arguments);

// The same multiplication as C' = op(B)' op(A)': a and b, m and n change places. c stays as it lies, so its rows are the
// new problem's columns.
Problem exchanged(const Problem& problem);

// "NT 3x4x5", for people: transposes, m, n, k.
std::string describe(const Problem& problem);

} // namespace clgemm::core
