#include "families/panel_blocks.hpp"

#include "support/whole_numbers.hpp"

#include <algorithm>
#include <limits>

namespace clgemm::core {

PanelBlocks even_blocks(std::size_t all_m, std::size_t all_n, std::size_t parts, std::size_t units,
                        const BlockLimits& limits)
{
    constexpr std::size_t most_blocks_n = 256;
    constexpr double never_hidden = 0.15; // the share of bringing a panel of B
    const auto as_double = [](std::size_t value) { return static_cast<double>(value); };
    PanelBlocks best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t most = std::min(limits.fewest_m, all_m); most <= std::min(limits.most_m, all_m); most++) {
        const std::size_t m = divide_up(all_m, divide_up(all_m, most));
        const double later_panel_of_b =
            limits.panel_of_b - std::min(limits.hidden_of_b * as_double(m), (1 - never_hidden) * limits.panel_of_b);
        for (std::size_t blocks_n = 1; blocks_n <= std::min(divide_up(all_n, limits.fewest_n), most_blocks_n); blocks_n++) {
            const std::size_t n = divide_up(all_n, blocks_n);
            const std::size_t groups = divide_up(all_m, m) * divide_up(all_n, n) * parts;
            const double panels_of_b = limits.panel_of_b + later_panel_of_b * as_double(n - 1); // nothing hides the first
            const double block = as_double(m * n) + panels_of_b + limits.panel_of_a * as_double(m);
            const double load = as_double(divide_up(groups, units)) * block;
            const double cost = load + (groups < 8 * units ? 0.25 * as_double(m * n) : 0);
            if (cost < least) {
                least = cost;
                best = {m, n, load};
            }
        }
    }
    return best;
}

} // namespace clgemm::core
