#include "api/enqueue.hpp"

#include "engine/multiply.hpp"
#include "engine/multiply_list.hpp"

namespace clgemm::core {

void enqueue(Arguments arguments, const Buffers& buffers, const QueueArguments& to)
{
    enqueue(to, [&](const Request& request, const CallersQueue& callers, const Submission& submission) {
        arguments.arithmetic = request.arithmetic_for(arguments.k);
        const Problem problem = make_problem(arguments.batch.listed ? of_a_list(arguments, request) : arguments);
        return problem.touches_nothing()
                   ? cl::Event()
                   : multiply(*device_state(callers, buffers.c), problem, buffers, submission, request);
    });
}

void enqueue(ProductList list, const Buffers& buffers, const QueueArguments& to)
{
    enqueue(to, [&](const Request& request, const CallersQueue& callers, const Submission& submission) {
        list.shape.arithmetic = request.arithmetic_for(list.shape.k);
        check(list);
        return list.touches_nothing() ? cl::Event()
                                      : multiply(*device_state(callers, buffers.c), list, buffers, submission, request);
    });
}

} // namespace clgemm::core
