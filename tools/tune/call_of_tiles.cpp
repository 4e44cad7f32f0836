#include "tune/call_of_tiles.hpp"

#include "tune/targets.hpp"

#include "families/registry.hpp"
#include "support/whole_numbers.hpp"

#include <cmath>

namespace clgemm::tune {
namespace {

using namespace core;

std::size_t largest_divisor_below_root(std::size_t number)
{
    auto divisor = static_cast<std::size_t>(std::sqrt(static_cast<double>(number)));
    while (number % divisor != 0)
        divisor--;
    return divisor;
}

} // namespace

Problem call_of_tiles(const Variant& variant, const std::string& letters, std::size_t groups, std::size_t steps)
{
    const Tiling& tile = variant.tiling;
    const Probing probing = variant.family().probing();
    // How many tiles lie side by side: those of a block are long, and C is to be nearly a square.
    const auto square = static_cast<double>(groups * tile.m) / static_cast<double>(tile.n);
    const std::size_t groups_n = probing.one_tile_of_columns ? 1
                                 : probing.in_blocks         ? static_cast<std::size_t>(std::ceil(std::sqrt(square)))
                                                             : largest_divisor_below_root(groups);
    return with_accuracy(problem_of({divide_up(groups, groups_n) * tile.m, groups_n * tile.n, steps * tile.k},
                                    letters.empty() ? "NT" : letters),
                         usual_arithmetic(*variant.kernel).accuracy);
}

} // namespace clgemm::tune
