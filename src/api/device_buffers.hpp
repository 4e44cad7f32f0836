// Checks of what OpenCL objects a caller hands in.
#pragma once

#include "problem/problem.hpp"
#include "support/opencl.hpp"

#include <vector>

namespace clgemm::core {

// The queue's context. Throws CLGEMM_INVALID_QUEUE.
cl_context context_of(cl_command_queue queue);

// The events to wait for. Throws CLGEMM_INVALID_WAIT_LIST.
std::vector<cl::Event> checked_wait_list(cl_uint count, const cl_event* list, cl_context context);

// Checks that each buffer of the caller's is large enough, accessible and of the context, and notes in the problem how it is
// aligned. Buffers that the problem does not touch are not looked at. Throws the status that names the buffer.
void check_buffers(Problem& problem, cl_mem a, cl_mem b, cl_mem c, cl_context context);

// Checks the caller's workspace. Throws CLGEMM_INVALID_WORKSPACE, CLGEMM_WORKSPACE_TOO_SMALL.
void check_workspace(cl_mem workspace, std::size_t bytes_needed, cl_context context);

} // namespace clgemm::core
