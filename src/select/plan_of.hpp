// A kernel's plan for a whole problem, made of the plans of its parts, and the outline by which the plan is judged
// beforehand.
#pragma once

#include "families/family.hpp"

namespace clgemm::core {

// How many parts the kernel computes the problem in.
std::size_t part_count(const Problem& problem, const Variant& variant, const Way& way, const Blocks& blocks = {});

// Can the kernel's plan for the problem be made in this way? In the plain one it always can.
bool has_way(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way);

// The outline of one part, the largest: all parts use the same workspace. Operands that fit a CPU's cache count as being
// there.
Outline outline_of(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way,
                   const Blocks& blocks = {});

// Throws CL_MEM_OBJECT_ALLOCATION_FAILURE where the temporaries are larger than memory can be.
Plan plan_of(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way,
             const Blocks& blocks = {});

// The largest blocks of whole tiles for which the workspace suffices if the kernel computes them in the plain way. None
// where not even one tile fits, or where there would be too many blocks.
std::optional<Blocks> blocks_within(const Problem& problem, const DeviceProfile& device, const Variant& variant,
                                    std::size_t most_bytes);

} // namespace clgemm::core
