// Which of a kernel's sizes, and in which way, where nothing was measured or guessed that could tell: the caller asked for
// this kernel, or nothing else can be had.
#pragma once

#include "select/options.hpp"

#include <optional>

namespace clgemm::core {

// None if the device can run none. A CPU takes the first. A GPU takes the first (the largest tiles) that gives its compute
// units enough work-groups, or the one that comes closest.
std::optional<Variant> variant_by_rule(const KernelInfo& kernel, const Problem& problem, const DeviceProfile& device);

struct WayInBlocks {
    Way way;
    Blocks blocks;
};

// The first way that is allowed. The plain one, which every kernel has, is tried first. Throws
// CL_MEM_OBJECT_ALLOCATION_FAILURE where each needs more workspace than the limit.
WayInBlocks first_way(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Options& options);

} // namespace clgemm::core
