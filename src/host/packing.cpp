#include "host/packing.hpp"

#include <algorithm>
#include <cstring>

namespace clgemm::core {
namespace {

// Calls copy(position in memory, position in the piece, length) for each run of neighbours.
template <typename CopyRun>
void for_each_run(const Matrix& matrix, std::size_t first, std::size_t count, const CopyRun& copy)
{
    const std::size_t rows = matrix.stored_rows();
    if (matrix.ld == rows || matrix.stored_cols() == 1) { // memory is packed already
        copy(matrix.offset + first, std::size_t{0}, count);
        return;
    }
    std::size_t col = first / rows, row = first % rows;
    for (std::size_t done = 0; done < count; col++, row = 0) {
        const std::size_t length = std::min(rows - row, count - done);
        copy(matrix.offset + col * matrix.ld + row, done, length);
        done += length;
    }
}

} // namespace

void cached_copy(float* to, const float* from, std::size_t count)
{
    std::memcpy(to, from, count * sizeof(float));
}

void pack(const Matrix& matrix, const float* memory, std::size_t first, std::size_t count, float* piece, Copy* copy)
{
    for_each_run(matrix, first, count,
                 [&](std::size_t from, std::size_t to, std::size_t length) { copy(piece + to, memory + from, length); });
}

void unpack(const Matrix& matrix, const float* piece, std::size_t first, std::size_t count, float* memory, Copy* copy)
{
    for_each_run(matrix, first, count,
                 [&](std::size_t to, std::size_t from, std::size_t length) { copy(memory + to, piece + from, length); });
}

} // namespace clgemm::core
