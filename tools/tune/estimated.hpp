// What the cost model estimates for a way to compute a call that has been chosen already, by any tuning.
#pragma once

#include "select/selection.hpp"

#include <optional>

namespace clgemm::tune {

struct Estimate {
    const core::Measurement* measurement = nullptr; // the one by which it was estimated
    double ns = 0, load = 0;                        // load: of the compute unit that has the most to do
};

// None if nothing of this tuning holds for the selection.
std::optional<Estimate> estimate_of(const core::Problem& problem, const core::Selection& selection,
                                    const core::DeviceProfile& device, const core::Tuning& tuning);

} // namespace clgemm::tune
