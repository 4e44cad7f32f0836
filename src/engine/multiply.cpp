#include "engine/multiply.hpp"

#include "engine/call_timer.hpp"
#include "engine/device_buffers.hpp"
#include "engine/make_ready.hpp"
#include "execute/in_turn.hpp"
#include "support/error.hpp"

namespace clgemm::core {
namespace {

// The buffers have been checked. `prepared`: what the call takes of its prepared operands; null: it has none.
cl::Event execute_plans(DeviceState& state, const Problem& problem, Buffers buffers, const Submission& submission,
                        const Request& request, PreparedForCall* prepared)
{
    buffers.workspace = request.workspace;
    Attempts attempts(problem, request);
    InTurn plans(submission);
    for (std::size_t first = 0;;) { // of the products of a batch, which may have several plans
        const auto call = make_ready(state, attempts, first);
        const std::size_t next = first + call->products;
        const bool is_last = next == problem.batch.count;
        const Submission of_these = plans.next(is_last);
        try {
            if (prepared)
                prepared->add_images(call->ready.plan, buffers);
        } catch (const Unavailable& reason) {
            attempts.fall_back_to_unprepared(reason.what());
            continue;
        }
        try {
            if (prepared) {
                plans.enqueued(execute(call->ready, state.workspaces, buffers, prepared->after_making(of_these)));
            } else {
                const CallTimer timer(problem, first == 0 && is_last, request, state.profile(), of_these);
                plans.enqueued(timer.enqueued(execute(call->ready, state.workspaces, buffers, timer.submission())));
            }
        } catch (const Unavailable& reason) {
            if (!attempts.fall_back(reason.what()))
                throw;
            continue;
        }
        if (is_last)
            return plans.take_event();
        first = next;
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
    if (request.workspace) { // whether this call needs it or not, so that a wrong one is found out at the first call
        check_workspace_is_apart(request.workspace, problem, buffers);
        check_workspace(request.workspace, 0, state);
    }
    return execute_plans(state, problem, buffers, submission, request, operands ? &prepared : nullptr);
}

} // namespace clgemm::core
