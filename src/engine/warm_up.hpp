// Builds what calls will need, before they come.
#pragma once

#include "engine/device_state.hpp"
#include "engine/request.hpp"
#include "problem/problem.hpp"

#include <span>

namespace clgemm::core {

// Afterwards multiply() builds and loads nothing for these problems: their programs are there, also where they fall back to
// others, and so are their kernel objects. Programs are built side by side, whichever problems need them. Nothing is
// enqueued but on queues of its own, where the first use of a kernel is checked. Throws what multiply() would before it
// enqueues.
void warm_up(DeviceState& state, std::span<const Problem> problems, const Request& request);

} // namespace clgemm::core
