#include "api/enqueue.hpp"

#include "engine/callers_queue.hpp"
#include "engine/device_buffers.hpp"
#include "engine/multiply.hpp"

namespace clgemm::core {
namespace {

// What an operation without commands of its own has as its event.
cl::Event marker(cl_command_queue queue, std::span<const cl_event> wait_for)
{
    cl_event event = nullptr;
    const cl_int status = clEnqueueMarkerWithWaitList(queue, static_cast<cl_uint>(wait_for.size()),
                                                      wait_for.empty() ? nullptr : wait_for.data(), &event);
    cl::detail::errHandler(status, "clEnqueueMarkerWithWaitList");
    return cl::Event(event);
}

} // namespace

void enqueue(Arguments arguments, const Buffers& buffers, cl_command_queue queue, cl_uint num_wait,
             const cl_event* wait_list, cl_event* event, const clgemm_options* options)
{
    const Request request = read_request(options);
    const CallersQueue callers = ask(queue);
    const auto wait_for = checked_wait_list(num_wait, wait_list, callers.context);
    arguments.arithmetic.accuracy = request.accuracy;
    const Problem problem = make_problem(arguments);
    cl::Event done;
    if (!problem.touches_nothing()) {
        const BorrowedQueue borrowed(queue);
        done = multiply(*device_state(callers.context, callers.device), problem, buffers,
                        {borrowed, callers.is_in_order, wait_for, event != nullptr}, request);
    } else if (event) {
        done = marker(queue, wait_for);
    }
    if (event) {
        *event = done();
        done() = nullptr; // the caller's now
    }
}

} // namespace clgemm::core
