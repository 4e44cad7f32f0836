// The forms of the ways of kernel 13: which operands are copied first.
#pragma once

#include "families/family.hpp"

namespace clgemm::test {

inline constexpr unsigned copy_of_a = 1, copy_of_b = 2, copy_of_both = 3;

inline bool copies_a(const core::Way& way)
{
    return (way.form & copy_of_a) != 0;
}
inline bool copies_b(const core::Way& way)
{
    return (way.form & copy_of_b) != 0;
}

} // namespace clgemm::test
