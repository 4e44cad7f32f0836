// How long calls on a device take, told from repeated ones, since others take some of the machine's time meanwhile.
#pragma once

#include "device/profile.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace clgemm::tune {

// No point of a curve is worth a call that takes longer; a slow device's curve ends early.
constexpr double longest_call_ns = 30e6;

double now_ns();

// A call that returns when the device has done its work.
using Call = std::function<void()>;

// What a call takes, after a first one that does not count: on a GPU the median of a few; on a CPU, whose time other
// processes take, the least of so many that some are undisturbed.
double typical_ns(core::DeviceType type, const Call& call);

// The same of two calls that are made in turn, so often that a difference of a few percent counts. None is repeated after
// `most_seconds`.
std::pair<double, double> typical_ns_of_two(core::DeviceType type, const Call& first, const Call& second,
                                            double most_seconds);

// The same of many short calls, each right after itself, in turns of random order: their differences may be far smaller than
// the machine's drift between one turn and another.
std::vector<double> typical_ns_in_turn(core::DeviceType type, const std::vector<Call>& calls);

} // namespace clgemm::tune
