// Checks of what OpenCL objects a caller hands in.
#pragma once

#include "engine/device_state.hpp"
#include "execute/buffers.hpp"
#include "problem/problem.hpp"
#include "support/opencl.hpp"

#include <span>

namespace clgemm::core {

// The events to wait for. Throws CLGEMM_INVALID_WAIT_LIST.
std::span<const cl_event> checked_wait_list(cl_uint count, const cl_event* list, cl_context context);

// Checks that each buffer of the caller's is large enough, accessible and of the state's context, and notes in the problem
// how it is aligned. Of a listed batch this checks the list's buffer, too, and that each other buffer is large enough for
// one matrix at its beginning. Buffers that the problem does not touch are not looked at. Throws the status that names the
// buffer.
void check_buffers(Problem& problem, const Buffers& buffers, const DeviceState& state);

// The same of one operand, whatever else the problem is.
void check_operand(Problem& problem, Memory operand, const Buffers& buffers, const DeviceState& state);

// Throws CLGEMM_OVERLAPPING_C where C lies in the same buffer as A or B and shares elements with it.
void check_c_is_apart(const Problem& problem, const Buffers& buffers);

// Checks that the caller's workspace shares no memory with a buffer that the problem touches, as far as OpenCL tells. Those
// buffers have been checked. Throws CLGEMM_INVALID_WORKSPACE.
void check_workspace_is_apart(cl_mem workspace, const Problem& problem, const Buffers& buffers);

// Checks the caller's workspace. Throws CLGEMM_INVALID_WORKSPACE, CLGEMM_WORKSPACE_TOO_SMALL.
void check_workspace(cl_mem workspace, std::size_t bytes_needed, const DeviceState& state);

} // namespace clgemm::core
