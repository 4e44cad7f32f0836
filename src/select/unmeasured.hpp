// Which of a kernel's sizes is taken, and in which way, where no measurement or guess could tell: the caller asked for this
// kernel, or nothing else can be had.
#pragma once

#include "select/options.hpp"

#include <optional>

namespace clgemm::core {

// One of the variants that the device can run; none if there is none. A CPU takes the first. A GPU takes the first (the
// largest tiles) that gives its compute units enough work-groups, or the one that comes closest.
std::optional<Variant> variant_by_rule(const KernelInfo& kernel, const Problem& problem, const DeviceProfile& device);

struct WayInBlocks {
    Way way;
    Blocks blocks;
};

// The first way whose workspace is within the limit. The plain one, which every kernel has, is tried first. Throws
// CL_MEM_OBJECT_ALLOCATION_FAILURE where no way is.
WayInBlocks first_way(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Options& options);

} // namespace clgemm::core
