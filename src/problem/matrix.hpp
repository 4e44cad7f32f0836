// A matrix of a multiplication: in which buffer it lies, and where its elements are there.
#pragma once

#include "problem/arithmetic.hpp"

#include <algorithm>
#include <cstddef>

namespace clgemm::core {

// The buffers of a call: the matrices, as the caller names them; the workspace for temporaries; the images that are kept
// with prepared operands, in place of temporaries; and the list of a batch's products.
enum class Memory { a, b, c, workspace, image_a, image_b, list };

// Where an image of the caller's operand A or B is kept.
constexpr Memory image_of(Memory operand)
{
    return operand == Memory::a ? Memory::image_a : Memory::image_b;
}

constexpr bool is_callers(Memory memory)
{
    return memory == Memory::a || memory == Memory::b || memory == Memory::c;
}

// OpenCL aligns the memory that it allocates for its widest type: the address of a buffer is a multiple of so many bytes.
// (But it takes memory of the host's as it is.)
constexpr std::size_t buffer_alignment = 128;

// The widest vectors for which a kernel asks its operands to be aligned, in elements.
constexpr std::size_t widest_vector = 16;

// A prepared operand may be one of several, where each product of a batch has its own: how many there are, this one's index,
// and the elements from each to the next one, all in one buffer.
struct Siblings {
    std::size_t count = 1, index = 0, distance = 0;
};

struct Matrix {
    Memory memory = Memory::a;
    std::size_t rows = 0, cols = 0;           // as it takes part in the multiplication: op(X) is rows x cols
    std::size_t offset = 0, ld = 1;           // in elements
    bool transposed = false;                  // stored as its transpose: memory runs along its rows instead of its columns
    std::size_t alignment = buffer_alignment; // bytes that the buffer's address is known to be a multiple of
    Element element = Element::f32;
    // Elements to the same matrix of a batch's next product. All offsets of a listed batch are multiples of this number.
    std::size_t distance = 0;
    // What kernels make of this operand is made once and kept (Plan::images), together with that of all its siblings.
    bool prepared = false;
    Siblings siblings = {};

    // From one row (column) to the next one, in elements.
    std::size_t row_stride() const { return transposed ? ld : 1; }
    std::size_t col_stride() const { return transposed ? 1 : ld; }

    // As stored, which is always column-major: stored_cols() runs of stored_rows() neighbours in memory, ld apart.
    std::size_t stored_rows() const { return transposed ? cols : rows; }
    std::size_t stored_cols() const { return transposed ? rows : cols; }

    std::size_t element_bytes() const { return size_of(element); }

    // Elements from the buffer's start to the end of the last of `products` such matrices; 0 for empty matrices.
    std::size_t extent(std::size_t products = 1) const
    {
        return rows == 0 || cols == 0 || products == 0
                   ? 0
                   : offset + (products - 1) * distance + (stored_cols() - 1) * ld + stored_rows();
    }
    // How many matrices so many products of a batch have: one each, unless all share one.
    std::size_t count_for(std::size_t products) const { return distance == 0 ? 1 : products; }
    // Does every run of neighbours, in each product of a batch, start at a multiple of `width` elements?
    bool aligned_to(std::size_t width) const
    {
        return alignment % (width * element_bytes()) == 0 && offset % width == 0 && distance % width == 0 &&
               (ld % width == 0 || stored_cols() <= 1);
    }
    // How many neighbours in memory a kernel may read at once, up to the end of each run: 4, 2 or 1.
    unsigned read_width() const
    {
        for (const unsigned width : {4U, 2U})
            if (aligned_to(width) && stored_rows() % width == 0)
                return width;
        return 1;
    }
    // May a kernel read the matrix as vectors of four?
    bool takes_vectors() const { return read_width() == 4; }

    // Are there no gaps between the matrix's runs, nor between the matrices of a batch, unless all products share one?
    bool lies_without_gaps() const
    {
        return ld == std::max<std::size_t>(1, stored_rows()) && (distance == 0 || distance == rows * cols);
    }
};

// Bytes of all elements.
inline double bytes_of(const Matrix& matrix)
{
    return static_cast<double>(matrix.rows) * static_cast<double>(matrix.cols) * static_cast<double>(matrix.element_bytes());
}

// The matrix as it lies at the beginning of a buffer, without gaps. The matrices of a batch follow one another, unless all
// products share one.
inline Matrix packed(const Matrix& matrix)
{
    Matrix result = matrix;
    result.offset = 0;
    result.ld = std::max<std::size_t>(1, matrix.stored_rows());
    result.distance = matrix.distance == 0 ? 0 : matrix.rows * matrix.cols;
    return result;
}

// The same memory as the transposed matrix.
inline Matrix transposed(const Matrix& matrix)
{
    Matrix result = matrix;
    result.rows = matrix.cols;
    result.cols = matrix.rows;
    result.transposed = !matrix.transposed;
    return result;
}

} // namespace clgemm::core
