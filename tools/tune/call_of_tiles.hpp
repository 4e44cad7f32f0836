// Calls that give a kernel so many work-groups, and each so many steps: what the tuner times it on.
#pragma once

#include "families/family.hpp"

#include <string>

namespace clgemm::tune {

// `groups` or a few more tiles of C, so arranged that C is nearly a square, and `steps` steps along K, in the kernel's own
// accuracy, on operands that lie as the letters say (families/operands.hpp; empty: in any way).
core::Problem call_of_tiles(const core::Variant& variant, const std::string& letters, std::size_t groups, std::size_t steps);

} // namespace clgemm::tune
