// How C is divided among work-groups that multiply packed panels: in blocks as even as can be, since the slowest unit
// counts.
#pragma once

#include <cstddef>

namespace clgemm::core {

// Of a block: the fewest and the most panels of A, which the second-level cache holds, and the fewest of B; what it takes to
// bring a panel of A, and one of B, into the caches, in tiles that are multiplied; and how much of the latter is hidden
// while a tile of the panel of B before it is multiplied. (Where A's panels pass by those of B, both change places.)
struct BlockLimits {
    std::size_t fewest_m = 1, most_m = 1, fewest_n = 1;
    double panel_of_a = 1, panel_of_b = 0.5, hidden_of_b = 0;
};

struct PanelBlocks {
    std::size_t m = 1, n = 1;  // panels of A and of B in a block
    double tiles_per_unit = 0; // of the unit that has the most to do, loading panels counted as so many more
};

// Of C, all_m by all_n tiles, for each of `parts` parts of K.
PanelBlocks even_blocks(std::size_t all_m, std::size_t all_n, std::size_t parts, std::size_t units,
                        const BlockLimits& limits);

} // namespace clgemm::core
