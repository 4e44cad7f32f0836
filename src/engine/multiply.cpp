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
    for (;;) {
        const auto call = prepare(state, problem, attempt, request);
        try {
            const CallTimer timer(problem, request, state.profile(), submission);
            return timer.enqueued(execute(call->ready, state.workspaces, buffers, timer.submission()));
        } catch (const Unavailable& reason) {
            if (!falls_back(attempt, request, reason.what()))
                throw;
        }
    }
}

} // namespace clgemm::core
