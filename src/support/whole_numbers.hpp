// Whole-number arithmetic. Only round_up() may overflow, where the result exceeds the largest number.
#pragma once

#include <cstddef>
#include <limits>

namespace clgemm::core {

constexpr std::size_t divide_up(std::size_t value, std::size_t by)
{
    return value / by + (value % by != 0);
}

constexpr std::size_t round_up(std::size_t value, std::size_t to)
{
    return divide_up(value, to) * to;
}

// The product, or the largest number where the product exceeds it.
constexpr std::size_t saturating_product(std::size_t x, std::size_t y)
{
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    return y > 0 && x > most / y ? most : x * y;
}

constexpr bool is_power_of_2(std::size_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

} // namespace clgemm::core
