#include "api/enqueue.hpp"

#include "engine/callers_queue.hpp"
#include "engine/device_buffers.hpp"
#include "engine/multiply.hpp"
#include "engine/multiply_list.hpp"

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
    if (event) {
        if (!done())
            done = marker(queue, wait_for);
        *event = done();
        done() = nullptr; // the caller's now
    }
}

} // namespace

void enqueue(Arguments arguments, const Buffers& buffers, cl_command_queue queue, cl_uint num_wait,
             const cl_event* wait_list, cl_event* event, const clgemm_options* options)
{
    enqueue(queue, num_wait, wait_list, event, options,
            [&](const Request& request, const CallersQueue& callers, const Submission& submission) {
                arguments.arithmetic.accuracy = request.accuracy;
                const Problem problem = make_problem(arguments);
                return problem.touches_nothing()
                           ? cl::Event()
                           : multiply(*device_state(callers.context, callers.device), problem, buffers, submission, request);
            });
}

void enqueue(ProductList list, const Buffers& buffers, cl_command_queue queue, cl_uint num_wait, const cl_event* wait_list,
             cl_event* event, const clgemm_options* options)
{
    enqueue(queue, num_wait, wait_list, event, options,
            [&](const Request& request, const CallersQueue& callers, const Submission& submission) {
                list.shape.arithmetic.accuracy = request.accuracy;
                check(list);
                return list.touches_nothing()
                           ? cl::Event()
                           : multiply(*device_state(callers.context, callers.device), list, buffers, submission, request);
            });
}

} // namespace clgemm::core
