// Which device multiplies which tiles of a product on host memory, and in which order tiles travel and are multiplied. Plain
// data from pure functions: no device is asked.
#pragma once

#include "host/partition.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace clgemm::core {

// The columns of tiles of C that one device computes.
struct Columns {
    std::size_t begin = 0, count = 0;
};

// Divides them in proportion to the devices' speeds.
std::vector<Columns> divide(std::size_t columns, const std::vector<double>& speeds);

// A round is at most one product on each device: tile (row, depth) of A times (depth, its own column) of B.
struct Round {
    std::size_t row, column, depth; // column: counted from the device's first one
    std::size_t place_a, place_b, place_c;
    std::size_t transfers_before; // that must be over before the round can begin
};

// A tile's way to the device or, of C, back.
struct Transfer {
    enum class Kind { upload, download };
    Kind kind = Kind::upload;
    Memory matrix = Memory::a;              // a or b: the first or second factor, in whatever order the caller named them
    std::size_t row = 0, col = 0;           // of the tile among its matrix's tiles
    std::size_t place = 0;                  // on the device
    std::optional<std::size_t> device;      // none: all of them, which is so for A
    std::optional<std::size_t> after_round; // the device waits for this one: it used the place last, or completed the tile
    std::size_t rounds_before = 0;          // so many must have begun, and
    std::size_t transfers_before = 0;       // so many must be over, before this one can begin
};

// In an order in which each transfer and each round depends on earlier ones alone.
struct Schedule {
    std::vector<Transfer> transfers;
    std::vector<Round> rounds;
};

Schedule make_schedule(const Partition& partition, const std::vector<Columns>& columns, bool uploads_c);

} // namespace clgemm::core
