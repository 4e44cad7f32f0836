// Calls that give a kernel a certain number of work-groups, and each of them a number of steps: the tuner times kernels on
// these.
#pragma once

#include "families/family.hpp"

#include <string>

namespace clgemm::tune {

// `groups` or a few more tiles of C, so arranged that C is nearly a square (unless the kernel takes one tile of columns
// only), and `steps` steps along K, in the kernel's own accuracy, on operands that lie as the letters say
// (families/operands.hpp; empty: in any way).
core::Problem call_of_tiles(const core::Variant& variant, const std::string& letters, std::size_t groups, std::size_t steps);

} // namespace clgemm::tune
