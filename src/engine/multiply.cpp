#include "engine/multiply.hpp"

#include "engine/call_timer.hpp"
#include "engine/device_buffers.hpp"
#include "engine/explanation.hpp"
#include "engine/known_buffers.hpp"
#include "select/fallbacks.hpp"
#include "support/error.hpp"
#include "support/log.hpp"

namespace clgemm::core {
namespace {

// Plans of more steps are large, and so are their products: those need not be remembered.
constexpr std::size_t most_remembered_steps = 8;

// With its workspace checked, its programs built, and what is new to the device tried out.
std::shared_ptr<const ReadyCall> ready_call(DeviceState& state, const Problem& problem, const Options& options,
                                            cl_mem workspace)
{
    const auto check = [&](const Plan& plan) {
        if (workspace && plan.workspace_bytes > 0)
            check_workspace(workspace, plan.workspace_bytes, state);
    };
    const CallKey key = call_key(problem, options);
    if (auto known = state.ready_calls.find(key)) {
        check(known->ready.plan);
        log_line([&] { return explain_in_one_line(problem, state.profile(), {known->selection, known->ready.plan}); });
        return known;
    }
    PlannedCall planned = state.planner->plan(problem, options);
    check(planned.plan);
    log_line([&] { return explain_in_one_line(problem, state.profile(), planned); });
    if (planned.selection && planned.selection->is_unproven)
        state.first_use.check(state, problem, planned);
    auto result = std::make_shared<const ReadyCall>(
        ReadyCall{std::move(planned.selection), ready(std::move(planned.plan), state.programs)});
    if (result->ready.plan.steps.size() <= most_remembered_steps)
        state.ready_calls.keep(key, result);
    return result;
}

} // namespace

cl::Event multiply(DeviceState& state, Problem problem, const Buffers& callers, const Submission& submission,
                   const Request& request)
{
    check_buffers(problem, callers, state);
    Buffers buffers = callers;
    buffers.workspace = request.workspace;
    Attempt attempt{problem.arithmetic.accuracy, request.options};
    for (;;)
        try {
            problem.arithmetic.accuracy = attempt.accuracy;
            const auto call = ready_call(state, problem, attempt.options, request.workspace);
            const CallTimer timer(problem, request, state.profile(), submission);
            return timer.enqueued(execute(call->ready, state.workspaces, buffers, timer.submission()));
        } catch (const Unavailable& reason) {
            const auto next =
                attempt_after(attempt, request.workspace ? info<std::size_t>(request.workspace, CL_MEM_SIZE) : 0);
            if (!next)
                throw;
            attempt = *next;
            log_line([&] { return std::string("falling back: ") + reason.what(); });
        }
}

} // namespace clgemm::core
