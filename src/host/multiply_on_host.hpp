// Multiplication on host memory: in place where the device shares this memory, otherwise by way of copies on the device.
#pragma once

#include "engine/prepare_operand.hpp"
#include "engine/request.hpp"
#include "host/host_operands.hpp"
#include "problem/problem.hpp"
#include "support/opencl.hpp"

#include <span>

namespace clgemm::core {

// Throws where a pointer is missing, or C shares elements with A or B. `kept`: the operands that are on the device already.
void check_on_host(const Problem& problem, const HostOperands& host, const PreparedOperands& kept = {});

// Returns when C is computed. `queue`: the caller's; null: the default device's. Throws.
void multiply_on_host(const Problem& problem, const HostOperands& host, cl_command_queue queue, const Request& request,
                      const PreparedOperands& kept = {});

// Keeps an operand, from host memory. Returns when it has been read. Throws.
std::shared_ptr<PreparedOperand> prepare_on_host(const Arguments& typical, const OperandToKeep& matrix, const void* host,
                                                 cl_command_queue queue, const Request& request);

// Builds what such calls on the default device's queue will need (engine/warm_up.hpp). In a problem's matrices, `alignment`
// is that of the caller's memory. Throws.
void warm_up_on_host(std::span<const Problem> problems, const Request& request);

} // namespace clgemm::core
