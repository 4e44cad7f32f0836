// All that a selection, or a call, depends on, as the key by which it is remembered.
#pragma once

#include "select/options.hpp"

#include <array>
#include <cstdint>

namespace clgemm::core {

// Calls share a selection that differ in scalars, or in where their matrices lie, but for what alignment follows from it.
using SelectionKey = std::array<std::uint64_t, 8>;
SelectionKey selection_key(const Problem& problem, const Options& options);

using CallKey = std::array<std::uint64_t, 24>;
CallKey call_key(const Problem& problem, const Options& options);

} // namespace clgemm::core
