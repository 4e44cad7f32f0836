// What the cost model makes of a way to compute a call that has been chosen, by any tuning.
#pragma once

#include "select/selection.hpp"

#include <optional>

namespace clgemm::tune {

struct Estimate {
    const core::Measurement* measurement = nullptr; // by which
    double ns = 0, load = 0;                        // load: of the compute unit that has the most to do
};

// None if nothing of this tuning holds for the selection.
std::optional<Estimate> estimate_of(const core::Problem& problem, const core::Selection& selection,
                                    const core::DeviceProfile& device, const core::Tuning& tuning);

} // namespace clgemm::tune
