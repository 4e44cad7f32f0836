// What every form on device buffers does, once its arguments stand in one place: checks them and enqueues the work.
#pragma once

#include "api/enqueued.hpp"
#include "engine/callers_queue.hpp"
#include "engine/device_buffers.hpp"
#include "engine/request.hpp"
#include "execute/buffers.hpp"
#include "problem/problem.hpp"
#include "problem/product_list.hpp"
#include "support/opencl.hpp"

#include "clgemm/clgemm.h"

namespace clgemm::core {

// `multiply`: given the request, and where and after what the commands go, returns their event; null where there are none.
template <typename Multiply>
void enqueue(cl_command_queue queue, cl_uint num_wait, const cl_event* wait_list, cl_event* event,
             const clgemm_options* options, const Multiply& multiply)
{
    const Request request = read_request(options);
    const CallersQueue callers = ask(queue);
    const auto wait_for = checked_wait_list(num_wait, wait_list, callers.context);
    const BorrowedQueue borrowed(queue);
    cl::Event done = multiply(request, callers, Submission(borrowed, callers.is_in_order, wait_for, event != nullptr));
    if (event && !done())
        done = marker(queue, wait_for);
    give(done, event);
}

// `arguments`: as the caller gave them; their arithmetic is what the options ask for. `event`: where the caller wants one;
// null: nowhere. Throws.
void enqueue(Arguments arguments, const Buffers& buffers, cl_command_queue queue, cl_uint num_wait,
             const cl_event* wait_list, cl_event* event, const clgemm_options* options);

// The same for a list of products.
void enqueue(ProductList list, const Buffers& buffers, cl_command_queue queue, cl_uint num_wait, const cl_event* wait_list,
             cl_event* event, const clgemm_options* options);

} // namespace clgemm::core
