// The order in which the tiles of a product on host memory travel and are multiplied. Plain data from pure functions: no
// device is asked.
#pragma once

#include "host/shares.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace clgemm::core {

// A round is at most one product on each device: tile (row, depth) of A times (depth, column) of B.
struct Round {
    std::size_t row, column, depth; // row and column are counted from the first ones of each device's share
    std::size_t place_a, place_b, place_c;
    std::size_t uploads_before, downloads_before; // so many must be over before this round can begin
};

// A tile's way to one device or several. Uploads of one step follow one another in the list, wait for the same, and travel
// at the same time, each over the buses of other devices.
struct Upload {
    std::size_t step = 0;
    Memory matrix = Memory::a;    // a, b: the first and the second factor, whatever the caller called them; or c
    std::size_t row = 0, col = 0; // of the tile among its matrix's tiles
    std::size_t place = 0;        // on each of the devices
    std::vector<std::size_t> devices;
    std::optional<std::size_t> after_round; // the round that used the place last: a device waits for it
    std::size_t rounds_before = 0;          // so many rounds must have begun before this upload can begin,
    std::size_t downloads_before = 0;       // so many downloads must be over,
    std::size_t downloads_first = 0;        // and so many must have begun; only the round waits for their end
};

// The way back of a tile of C. Those of one step follow one another, too.
struct Download {
    std::size_t step = 0;
    std::size_t row = 0, col = 0, place = 0, device = 0;
    std::size_t after_round = 0; // the round that completed the tile: it must have begun, and the device waits for it
};

// Each list is worked off in its order, all three at the same time. There is no deadlock: at any time either all is over, or
// the next one of some list can begin.
struct Schedule {
    std::vector<Upload> uploads;
    std::vector<Round> rounds;
    std::vector<Download> downloads;
};

Schedule make_schedule(const Partition& partition, const std::vector<Share>& shares, bool uploads_c);

} // namespace clgemm::core
