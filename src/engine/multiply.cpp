#include "engine/multiply.hpp"

#include "engine/call_timer.hpp"
#include "engine/device_buffers.hpp"
#include "engine/prepare.hpp"
#include "support/error.hpp"

namespace clgemm::core {

cl::Event multiply(DeviceState& state, Problem problem, const Buffers& callers, const Submission& submission,
                   const Request& request)
{
    check_buffers(problem, callers, state);
    Buffers buffers = callers;
    buffers.workspace = request.workspace;
    Attempt attempt = first_attempt(problem, request);
    std::span<const cl_event> wait_for = submission.wait_for;
    cl::Event done;
    for (std::size_t first = 0;;) { // of the products of a batch, which may have several plans
        const auto call = prepare(state, problem, first, attempt, request);
        const std::size_t next = first + call->products;
        const bool is_last = next == problem.batch.count;
        const Submission of_these(submission.queue, submission.in_order, wait_for,
                                  is_last ? submission.wants_event : !submission.in_order);
        try {
            const CallTimer timer(problem, request, state.profile(), of_these);
            done = timer.enqueued(execute(call->ready, state.workspaces, buffers, timer.submission()));
        } catch (const Unavailable& reason) {
            if (!falls_back(attempt, request, reason.what()))
                throw;
            continue;
        }
        if (is_last)
            return done;
        first = next;
        // On an in-order queue they wait by themselves.
        wait_for = submission.in_order ? std::span<const cl_event>() : std::span<const cl_event>(&done(), 1);
    }
}

} // namespace clgemm::core
