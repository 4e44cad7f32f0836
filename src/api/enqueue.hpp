// What every form on device buffers does, once its arguments stand in one place: it checks them and enqueues the work.
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

// The last arguments of every such form, as the caller gave them. `event`: where to write the event; null: nowhere.
struct QueueArguments {
    cl_command_queue queue;
    cl_uint num_wait;
    const cl_event* wait_list;
    cl_event* event;
    const clgemm_options* options;
};

// `multiply`: given the request, the caller's queue, and the submission (where commands go, and after what), returns the
// event of the commands; null where there are none.
template <typename Multiply> void enqueue(const QueueArguments& x, const Multiply& multiply)
{
    const Request request = read_request(x.options);
    const CallersQueue callers = ask(x.queue);
    const auto wait_for = checked_wait_list(x.num_wait, x.wait_list, callers.context);
    const BorrowedQueue borrowed(x.queue);
    cl::Event done = multiply(request, callers, Submission(borrowed, callers.is_in_order, wait_for, x.event != nullptr));
    if (x.event && !done())
        done = event_after(x.queue, callers.context, callers.is_in_order, wait_for);
    give(done, x.event);
}

// `arguments`: as the caller gave them; their arithmetic is what the options ask for. Throws.
void enqueue(Arguments arguments, const Buffers& buffers, const QueueArguments& to);

// The same for a list of products.
void enqueue(ProductList list, const Buffers& buffers, const QueueArguments& to);

} // namespace clgemm::core
