// Builds what calls will need, before they come.
#pragma once

#include "engine/device_state.hpp"
#include "engine/request.hpp"
#include "problem/problem.hpp"

#include <span>

namespace clgemm::core {

// Afterwards multiply() builds and loads nothing for these problems: their programs are there, also those of the ways that
// they fall back to, and so are their kernel objects. The programs of all problems are built side by side. Commands are
// enqueued on queues of its own alone, where the first use of a kernel is checked or a driver compiles at a launch. Throws
// what multiply() would before it enqueues.
void warm_up(DeviceState& state, std::span<const Problem> problems, const Request& request);

} // namespace clgemm::core
