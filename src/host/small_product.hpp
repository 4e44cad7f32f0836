// Multiplication on host memory where all matrices fit into one pinned block: one transfer there, one back, and nothing is
// made for the call as a rule. Of a batch, as many products as fit travel together, and two such groups are under way at a
// time. Products with operands that the device keeps are computed in the same way: their other matrices travel in pieces of
// that size.
#pragma once

#include "engine/device_state.hpp"
#include "engine/prepared_operand.hpp"
#include "engine/request.hpp"
#include "host/host_operands.hpp"
#include "problem/problem.hpp"

namespace clgemm::core {

// Does one product fit?
bool fits_small_product(const Problem& problem);

// How many products of a batch travel together, if one of them fits.
std::size_t products_in_a_block(const Problem& problem);

// What the device computes for products that travel together. Operands that it keeps stay as they are in `problem`.
Problem as_small_product(const Problem& problem, const PreparedOperands& kept = {});

// Returns when C is computed. Where nothing is kept, one product must fit. Throws; then C is unchanged, unless the status is
// CLGEMM_INCOMPLETE.
void multiply_in_pieces(const Problem& problem, const HostOperands& host, DeviceState& state, const Request& request,
                        const PreparedOperands& kept);

} // namespace clgemm::core
