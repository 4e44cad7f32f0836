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

// What becomes of a measurement. Others were measured when the machine was slower or faster as a whole: what is put right
// must still compare with them.
enum class Beginning { put_right, compared_with, left_alone };

// Those compared with stay as they are, and tell by how much the machine has changed since. Where there are none of them,
// but some that are left alone, the middle of all that are put right stays where it was.
void level_beginnings(core::Tuning& tuning, const core::DeviceProfile& device,
                      const std::function<Beginning(const core::Measurement&)>& role_of, const TimesInTurn& times_in_turn);

} // namespace clgemm::tune
