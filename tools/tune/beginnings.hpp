// Compares how calls begin, among all that was measured: this is where kernels differ in small calls. The curves of kernels
// are measured one after the other, and meanwhile the machine drifts by more than these differences (a microsecond or two on
// a GPU). So small calls of all kernels are timed in turn, and each measurement is put right by its own small calls.
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

// What becomes of a measurement. What is put right must still compare with the others, which were measured when the machine
// as a whole was slower or faster.
enum class Beginning { put_right, compared_with, left_alone };

// Measurements in the role `compared_with` stay as they are, and tell by how much the machine has changed since. Where there
// are none, but some that are left alone, the median of what is missing in those that are put right counts as the machine's
// change.
void level_beginnings(core::Tuning& tuning, const core::DeviceProfile& device,
                      const std::function<Beginning(const core::Measurement&)>& role_of, const TimesInTurn& times_in_turn);

} // namespace clgemm::tune
