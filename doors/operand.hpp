// A matrix as clBLAS and CLBlast are told of it, and whether it fits its buffer.
#pragma once

#include "status.hpp"

#include <cstddef>

namespace clgemm::doors {

// `lines` columns (column-major) or rows (row-major) of `length` elements each.
struct Shape {
    std::size_t length, lines;
};

// How the matrix whose op() is rows x columns is stored.
Shape stored_shape(bool column_major, bool transposed, std::size_t rows, std::size_t columns);

// Where a matrix lies: its buffer, its first element, and the elements between the starts of two lines.
struct Place {
    cl_mem buffer;
    std::size_t offset, ld;
};

// The status for the first thing that is wrong, in the order of both libraries: the leading dimension is less than a line's
// length; the buffer is no buffer; the buffer ends before the matrix does. CL_SUCCESS if nothing is. The shape has elements.
int check_operand(Operand operand, const Place& place, const Shape& shape);

} // namespace clgemm::doors
