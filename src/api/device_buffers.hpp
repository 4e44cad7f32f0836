// Checks of what OpenCL objects a caller hands in.
#pragma once

#include "api/options.hpp"
#include "execute/execution.hpp"
#include "problem/problem.hpp"

#include <vector>

namespace clgemm::core {

// The queue's context. Throws CLGEMM_INVALID_QUEUE.
cl_context context_of(cl_command_queue queue);

// The events to wait for. Throws CLGEMM_INVALID_WAIT_LIST.
std::vector<cl::Event> checked_wait_list(cl_uint count, const cl_event* list, cl_context context);

// The caller's buffers in the problem's order (A and B exchanged where it swapped them), each large enough, accessible and
// of the context; and what their alignment is, noted in the problem. Buffers that the problem does not touch are not looked
// at. Throws the status that names the buffer.
Buffers checked_buffers(Problem& problem, cl_mem a, cl_mem b, cl_mem c, cl_context context);

// The caller's workspace; null if there is none. Throws CLGEMM_INVALID_WORKSPACE, CLGEMM_WORKSPACE_TOO_SMALL.
cl_mem checked_workspace(const Request& request, std::size_t bytes_needed, cl_context context);

} // namespace clgemm::core
