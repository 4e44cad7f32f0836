// Makes a small call on the device and compares its result with the reference, on a queue and buffers of its own.
#pragma once

#include "engine/device_state.hpp"
#include "engine/small_call.hpp"

namespace clgemm::core {

// Does this call, whose programs are built, give what the reference gives: within the bound, or to the bit where bits count?
// Throws cl::Error, and Unavailable.
bool computes_rightly(DeviceState& state, const SmallCall& call);

} // namespace clgemm::core
