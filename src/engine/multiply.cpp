#include "engine/multiply.hpp"

#include "engine/call_timer.hpp"
#include "engine/device_buffers.hpp"
#include "engine/prepare.hpp"
#include "support/error.hpp"
#include "support/log.hpp"

namespace clgemm::core {
namespace {

// The buffers have been checked. `prepared`: what the call takes of its prepared operands; null: it has none.
cl::Event execute_plans(DeviceState& state, Problem problem, Buffers buffers, const Submission& submission,
                        const Request& request, PreparedForCall* prepared)
{
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
            if (prepared)
                prepared->add_images(call->ready.plan, buffers);
        } catch (const Unavailable& reason) {
            log_line([&] { return std::string("computed as if nothing were prepared: ") + reason.what(); });
            problem.a.prepared = problem.b.prepared = false;
            attempt.options = within_callers_workspace(attempt.options, request);
            continue;
        }
        try {
            if (prepared) {
                done = execute(call->ready, state.workspaces, buffers, prepared->after_making(of_these));
            } else {
                const CallTimer timer(problem, first == 0 && is_last, request, state.profile(), of_these);
                done = timer.enqueued(execute(call->ready, state.workspaces, buffers, timer.submission()));
            }
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

} // namespace

cl::Event multiply(DeviceState& state, Problem problem, Buffers buffers, const Submission& submission,
                   const Request& request, const PreparedOperands& operands)
{
    PreparedForCall prepared(operands, state, submission);
    prepared.add_copies(buffers);
    check_buffers(problem, buffers, state);
    check_c_is_apart(problem, buffers);
    if (request.workspace)
        check_workspace_is_apart(request.workspace, problem, buffers);
    return execute_plans(state, problem, buffers, submission, request, operands ? &prepared : nullptr);
}

} // namespace clgemm::core
