// Whole-number division and rounding, without overflow.
#pragma once

#include <cstddef>

namespace clgemm::core {

constexpr std::size_t divide_up(std::size_t value, std::size_t by)
{
    return value / by + (value % by != 0);
}

constexpr std::size_t round_up(std::size_t value, std::size_t to)
{
    return divide_up(value, to) * to;
}

} // namespace clgemm::core
