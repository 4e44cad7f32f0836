// How calls begin, by which kernels differ for small calls, compared among all that was measured. A kernel's curves are
// measured before or after those of others, and meanwhile the machine drifts by more than these differences (a microsecond
// or two on a GPU). So small calls of all kernels are timed in turn, and each measurement is put right by its own.
#pragma once

#include "tuning/tuning.hpp"

#include <functional>
#include <vector>

namespace clgemm::tune {

// A call by one kernel, in the plain way.
struct PlainCall {
    core::Variant variant;
    core::Problem problem;
};

// What each of these takes in ns, timed in turn; 0 for what cannot be timed.
using TimesInTurn = std::function<std::vector<double>(const std::vector<PlainCall>&)>;

// Of those for which `is_timed` says true. Where others are left as they are, the middle of all that are put right stays
// where it was, so that these can still be compared with those.
void level_beginnings(core::Tuning& tuning, const core::DeviceProfile& device,
                      const std::function<bool(const core::Measurement&)>& is_timed, const TimesInTurn& times_in_turn);

} // namespace clgemm::tune
