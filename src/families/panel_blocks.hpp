// How C is divided among work-groups that multiply packed panels: in blocks as even as can be, since the slowest unit
// counts.
#pragma once

#include <cstddef>

namespace clgemm::core {

// The fewest and the most panels of A in a block (the most is what the second-level cache holds), and the fewest panels of
// B. Then what it takes to bring a panel of A, and one of B, into the caches, in tiles that could be multiplied meanwhile;
// and how much of a panel of B is hidden behind each tile that is multiplied with the panel before it. (Where A's panels
// pass by those of B, A and B change places.)
struct BlockLimits {
    std::size_t fewest_m = 1, most_m = 1, fewest_n = 1;
    double panel_of_a = 1, panel_of_b = 0.5, hidden_of_b = 0;
};

struct PanelBlocks {
    std::size_t m = 1, n = 1;  // panels of A and of B in a block
    double tiles_per_unit = 0; // of the unit that has the most to do; loading panels counts as so many more tiles
};

// Divides C, all_m x all_n tiles, into blocks for each of `parts` parts of K.
PanelBlocks even_blocks(std::size_t all_m, std::size_t all_n, std::size_t parts, std::size_t units,
                        const BlockLimits& limits);

} // namespace clgemm::core
