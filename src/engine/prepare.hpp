// The first half of a call, before anything is enqueued: the way in which it can be had, planned and with its programs.
#pragma once

#include "engine/device_state.hpp"
#include "engine/request.hpp"
#include "problem/problem.hpp"
#include "select/fallbacks.hpp"

#include <memory>
#include <string>

namespace clgemm::core {

// The same options; if the caller brought a workspace, its size is the limit.
Options within_callers_workspace(Options options, const Request& request);

// As the request asks for it.
Attempt first_attempt(const Problem& problem, const Request& request);

// Goes on to the next attempt, after this one failed for this reason. False where there is none.
bool falls_back(Attempt& attempt, const Request& request, const std::string& reason);

// In the first way that can be had, from this attempt on, which becomes the one that was taken: planned, with its workspace
// checked, its programs built, and what is new to the device tried out. A call that comes again is only looked up, whatever
// it fell back to. `first_product`: of a batch, from which on the products are planned, as many as a plan may have. Throws.
std::shared_ptr<const ReadyCall> prepare(DeviceState& state, Problem problem, std::size_t first_product, Attempt& attempt,
                                         const Request& request);

} // namespace clgemm::core
