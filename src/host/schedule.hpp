// In which order the tiles of a product on host memory travel and are multiplied. Plain data from pure functions: no device
// is asked.
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
    std::size_t uploads_before, downloads_before; // so many must be over before the round can begin
};

// A tile's way to one device or more. Uploads of one step, neighbours in the list, travel at the same time, each over other
// devices' buses. They depend on the same.
struct Upload {
    std::size_t step = 0;
    Memory matrix = Memory::a;    // a or b: the first or second factor, in whatever order the caller named them
    std::size_t row = 0, col = 0; // of the tile among its matrix's tiles
    std::size_t place = 0;        // on each of the devices
    std::vector<std::size_t> devices;
    std::optional<std::size_t> after_round; // a device waits for this one, which used the place last
    std::size_t rounds_before = 0;          // so many must have begun, and
    std::size_t downloads_before = 0;       // so many must be over, before this one can begin; and
    std::size_t downloads_first = 0;        // so many must have begun: the round waits for their end, and this one does not
};

// The way back of a tile of C; in steps, as above.
struct Download {
    std::size_t step = 0;
    std::size_t row = 0, col = 0, place = 0, device = 0;
    std::size_t after_round = 0; // the device waits for this one, which completed the tile; it must have begun
};

// Each list is worked off in its order, all three at the same time. Nothing waits in a circle: whatever is over, either
// everything is, or the next one of some list can begin.
struct Schedule {
    std::vector<Upload> uploads;
    std::vector<Round> rounds;
    std::vector<Download> downloads;
};

Schedule make_schedule(const Partition& partition, const std::vector<Share>& shares, bool uploads_c);

} // namespace clgemm::core
