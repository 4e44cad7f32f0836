// What a call falls back to where the way that was chosen turns out not to be had: a driver that takes no retargeted
// program, a device whose memory is full.
#pragma once

#include "select/selection.hpp"

#include <vector>

namespace clgemm::core {

// The call as it was asked for, then, unless it asks for a kernel, what to try next, in this order: FP32 alone, no
// temporaries, the kernel that runs everywhere. `callers_workspace`: bytes of the workspace that the caller brought, 0 for
// none.
std::vector<Options> attempts_at(const Options& asked, std::size_t callers_workspace);

} // namespace clgemm::core
