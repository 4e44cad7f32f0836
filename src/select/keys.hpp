// The keys by which selections and calls are remembered: all that each depends on.
#pragma once

#include "select/options.hpp"

#include <array>
#include <cstdint>

namespace clgemm::core {

// Calls share a selection if they differ only in scalars, or in where their matrices begin while these are aligned alike. In
// a batch they may differ in distances, too: a list of products is many short batches (engine/multiply_list.cpp).
using SelectionKey = std::array<std::uint64_t, 11>;
SelectionKey selection_key(const Problem& problem, const Options& options);

using CallKey = std::array<std::uint64_t, 24>;
CallKey call_key(const Problem& problem, const Options& options);

} // namespace clgemm::core
