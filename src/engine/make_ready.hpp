// The first half of a call, before anything is enqueued: the way in which it can be had, planned and with its programs.
#pragma once

#include "engine/attempts.hpp"
#include "engine/device_state.hpp"

#include <memory>

namespace clgemm::core {

// The call in the first way that can be had, from the present attempt on: planned, with its workspace checked, its programs
// built, and what is new to the device tried out. A call that comes again is only looked up, whatever it fell back to.
// `first_product`: of a batch, the first one that is planned, with as many behind it as a plan may have. Throws.
std::shared_ptr<const ReadyCall> make_ready(DeviceState& state, Attempts& attempts, std::size_t first_product = 0);

} // namespace clgemm::core
