// Calls for which the tuning has an entry of their own: what was measured is chosen, and nothing is estimated.
#pragma once

#include "select/options.hpp"
#include "tuning/tuning.hpp"

namespace clgemm::core {

// The entry for this call; null where there is none, where the caller asks for a kernel or for the last resort, and where
// the entry's way needs more workspace than the limit.
const TunedCall* tuned_call(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                            const Options& options);

} // namespace clgemm::core
