#include "operand.hpp"

namespace clgemm::doors {

Shape stored_shape(bool column_major, bool transposed, std::size_t rows, std::size_t columns)
{
    return column_major != transposed ? Shape{rows, columns} : Shape{columns, rows};
}

int check_operand(Operand operand, const Place& place, const Shape& shape)
{
    if (place.ld < shape.length)
        return invalid_leading_dimension + operand;
    std::size_t available = 0;
    if (clGetMemObjectInfo(place.buffer, CL_MEM_SIZE, sizeof available, &available, nullptr) != CL_SUCCESS)
        return invalid_matrix + operand;
    std::size_t needed = 0;
    const bool is_countable = !__builtin_mul_overflow(place.ld, shape.lines - 1, &needed) &&
                              !__builtin_add_overflow(needed, shape.length, &needed) &&
                              !__builtin_add_overflow(needed, place.offset, &needed);
    return is_countable && needed <= available / sizeof(float) ? CL_SUCCESS : buffer_too_small + operand;
}

} // namespace clgemm::doors
