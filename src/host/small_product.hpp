// Multiplication on host memory where all matrices fit into one pinned block: one transfer there, one back, nothing made.
#pragma once

#include "engine/device_state.hpp"
#include "engine/request.hpp"
#include "host/host_operands.hpp"
#include "problem/problem.hpp"

namespace clgemm::core {

bool fits_small_product(const Problem& problem);

// What the device computes for it.
Problem as_small_product(const Problem& problem);

// Returns when C is computed. Throws; then C is as it was.
void multiply_small(const Problem& problem, const HostOperands& host, DeviceState& state, const Request& request);

} // namespace clgemm::core
