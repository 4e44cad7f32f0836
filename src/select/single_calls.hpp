// Calls for which the tuning has an entry of their own: what was measured is chosen, and nothing is estimated.
#pragma once

#include "select/options.hpp"
#include "tuning/tuning.hpp"

namespace clgemm::core {

// The entry for this call. Null where there is none, where a kernel or the last resort is asked for, where the device cannot
// compute the call as the entry says, and where that needs more workspace than the limit.
const TunedCall* tuned_call(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                            const Options& options);

} // namespace clgemm::core
