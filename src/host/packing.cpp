#include "host/packing.hpp"

#include <algorithm>
#include <cstring>

namespace clgemm::core {
namespace {

// Calls copy(position in memory, position in the piece, length) for each run of neighbours, all in bytes.
template <typename CopyRun>
void for_each_run(const Matrix& matrix, std::size_t first, std::size_t count, const CopyRun& copy)
{
    const std::size_t rows = matrix.stored_rows(), size = matrix.element_bytes();
    if (matrix.ld == rows || matrix.stored_cols() == 1) { // memory is packed already
        copy((matrix.offset + first) * size, std::size_t{0}, count * size);
        return;
    }
    std::size_t col = first / rows, row = first % rows;
    for (std::size_t done = 0; done < count; col++, row = 0) {
        const std::size_t length = std::min(rows - row, count - done);
        copy((matrix.offset + col * matrix.ld + row) * size, done * size, length * size);
        done += length;
    }
}

} // namespace

void cached_copy(void* to, const void* from, std::size_t bytes)
{
    std::memcpy(to, from, bytes);
}

void pack(const Matrix& matrix, const void* memory, std::size_t first, std::size_t count, void* piece, Copy* copy)
{
    const auto* const source = static_cast<const std::byte*>(memory);
    auto* const target = static_cast<std::byte*>(piece);
    for_each_run(matrix, first, count,
                 [&](std::size_t from, std::size_t to, std::size_t bytes) { copy(target + to, source + from, bytes); });
}

void unpack(const Matrix& matrix, const void* piece, std::size_t first, std::size_t count, void* memory, Copy* copy)
{
    const auto* const source = static_cast<const std::byte*>(piece);
    auto* const target = static_cast<std::byte*>(memory);
    for_each_run(matrix, first, count,
                 [&](std::size_t to, std::size_t from, std::size_t bytes) { copy(target + to, source + from, bytes); });
}

} // namespace clgemm::core
