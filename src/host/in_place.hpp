// Multiplication on host memory by a device that shares this memory: the matrices stay where they lie, without copies.
#pragma once

#include "engine/device_state.hpp"
#include "engine/prepared_operand.hpp"
#include "engine/request.hpp"
#include "host/host_operands.hpp"
#include "problem/problem.hpp"
#include "support/opencl.hpp"

namespace clgemm::core {

// How many products of a batch at a time can have the caller's memory as the device's buffers; 0: not even one. `kept`: the
// operands that are on the device already.
std::size_t products_in_place(const Problem& problem, const DeviceProfile& device, const PreparedOperands& kept = {});

// Do the matrices begin at addresses that are multiples of their elements' size? In OpenCL all pointers do, and compilers
// conclude from it how far a vector is aligned.
bool lie_at_whole_elements(const Problem& problem, const HostOperands& host, const PreparedOperands& kept);

// As clgemm_sgemm_host(); returns when C is computed. lie_at_whole_elements() must be true.
void multiply_in_place(Problem problem, const HostOperands& host, const cl::CommandQueue& queue, bool is_in_order,
                       DeviceState& state, const Request& request, const PreparedOperands& kept = {});

} // namespace clgemm::core
