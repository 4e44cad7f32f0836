// Which device multiplies which tiles of a product on host memory. Plain data from pure functions: no device is asked.
#pragma once

#include "host/partition.hpp"

#include <cstddef>
#include <vector>

namespace clgemm::core {

// Rows or columns of tiles of C.
struct TileRange {
    std::size_t begin = 0, count = 0;
};

// The tiles of C that one device computes: a rectangle.
struct Share {
    TileRange rows, columns;

    bool is_empty() const { return rows.count == 0 || columns.count == 0; }
};

// Divides `count` rows or columns of tiles in proportion to the speeds.
std::vector<TileRange> divide(std::size_t count, const std::vector<double>& speeds);

// A share for each device, which may be empty. The devices form a grid: those of one grid row share tiles of A, those of one
// grid column tiles of B. Of the grids whose last device finishes soonest, it is the one in which the device that is sent
// most of A and B is sent the least.
std::vector<Share> share_out(const Partition& partition, const std::vector<double>& speeds);

// The same partition, but each device has no more places than the largest share has tiles. One of the shares must have some.
// Where K is cut, there are as many places for tiles of A and B as before.
Partition with_places_for(const std::vector<Share>& shares, Partition partition);

} // namespace clgemm::core
