// How a product on host memory is cut into tiles. Plain data from pure functions: no device is asked.
#pragma once

#include "problem/problem.hpp"
#include "support/whole_numbers.hpp"

#include <cstddef>

namespace clgemm::core {

// One dimension in parts of the same size; the last one has what is left.
struct Parts {
    std::size_t total = 0, size = 1;

    std::size_t count() const { return divide_up(total, size); }
    std::size_t begin(std::size_t i) const { return i * size; }
    std::size_t length(std::size_t i) const { return i + 1 < count() ? size : total - i * size; }
};

// op(A) is cut into m x k parts, op(B) into k x n, C into m x n. Each device has so many places for tiles of each.
struct Partition {
    Parts m, n, k;
    std::size_t places_a = 1, places_b = 1, places_c = 1;
};

// Memory on each device, in bytes: for all tiles together, and in one buffer.
struct RoomForTiles {
    std::size_t all = 0, one = 0;
};

// Where the whole product has room, only C is cut, so that the first tiles are multiplied, and the last ones received, while
// others travel. Otherwise tiles are as large as the room allows, and K is cut, too. Tiles do not depend on the number of
// devices, so that any number gives the same bits.
Partition choose_partition(const Problem& problem, const RoomForTiles& room);

// The product in one piece: the matrices travel as they are, and the device multiplies once.
Partition one_tile(const Problem& problem);

// The rows and columns that a part of op(A), op(B) or C has, as a matrix of its own.
Matrix tile_of(const Matrix& matrix, const Parts& rows, std::size_t row, const Parts& cols, std::size_t col);

// The product of tile (row, depth) of op(A) and tile (depth, col) of op(B). From the second depth on it adds to C, which has
// the sum so far.
Problem product_of_tiles(const Problem& problem, const Partition& partition, std::size_t row, std::size_t col,
                         std::size_t depth);

} // namespace clgemm::core
