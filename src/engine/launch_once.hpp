// Some drivers compile a part of a kernel only when it is launched, for the size of its work-group (PoCL's for CPUs do). To
// have that done beforehand, the kernel must be launched.
#pragma once

#include "engine/device_state.hpp"
#include "problem/problem.hpp"

namespace clgemm::core {

// Computes a small problem by the same launches of the same kernels as this call's, on a queue and buffers of its own, and
// waits for it. Does nothing where no small problem takes the same. Throws.
void launch_once(DeviceState& state, const Problem& problem, const ReadyCall& call);

} // namespace clgemm::core
