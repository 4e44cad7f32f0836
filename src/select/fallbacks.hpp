// What a call falls back to where the way that was chosen cannot be had: where a driver takes no retargeted program or
// refuses a kernel's registers, the device's memory is full, or a kernel computes wrongly at its first use.
#pragma once

#include "select/options.hpp"

#include <optional>

namespace clgemm::core {

// How a call is made.
struct Attempt {
    clgemm_math accuracy = CLGEMM_MATH_DEFAULT;
    Options options;

    bool operator==(const Attempt&) const = default;
};

// What to try after this attempt has failed; none after the last one, and none where the call asks for a kernel. In this
// order: FP32 alone, no temporaries, the kernel that runs everywhere. `callers_workspace`: bytes of the workspace that the
// caller brought, 0 for none.
std::optional<Attempt> attempt_after(const Attempt& failed, std::size_t callers_workspace);

} // namespace clgemm::core
