// What every form on device buffers does, once its arguments stand in one place: checks them and enqueues the work.
#pragma once

#include "execute/buffers.hpp"
#include "problem/problem.hpp"
#include "support/opencl.hpp"

#include "clgemm/clgemm.h"

namespace clgemm::core {

// `arguments`: as the caller gave them; their arithmetic is what the options ask for. `event`: where the caller wants one;
// null: nowhere. Throws.
void enqueue(Arguments arguments, const Buffers& buffers, cl_command_queue queue, cl_uint num_wait,
             const cl_event* wait_list, cl_event* event, const clgemm_options* options);

} // namespace clgemm::core
