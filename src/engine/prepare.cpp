#include "engine/prepare.hpp"

#include "engine/device_buffers.hpp"
#include "engine/explanation.hpp"
#include "support/error.hpp"
#include "support/log.hpp"

#include <algorithm>
#include <utility>

namespace clgemm::core {
namespace {

// Plans of more steps are large, and so are their products: those need not be remembered.
constexpr std::size_t most_remembered_steps = 8;

// Is it the device's or its driver's nature, rather than a lack of memory, say, that passes?
bool lasts(const Unavailable& reason)
{
    return reason.status() == CLGEMM_KERNEL_NOT_SUPPORTED;
}

// In this way alone. Throws Unavailable where it cannot be had just now; where it never can, the result says so.
std::shared_ptr<const ReadyCall> ready_call(DeviceState& state, const Problem& problem, std::size_t first_product,
                                            const Options& options, const Request& request)
{
    const auto check = [&](const Plan& plan) {
        if (request.workspace && plan.workspace_bytes > 0)
            check_workspace(request.workspace, plan.workspace_bytes, state);
    };
    const CallKey key = call_key(problem, options);
    // What is known computes all products. Those that are left, after the first ones were computed in another way, are
    // planned.
    if (auto known = first_product == 0 ? state.ready_calls.find(key) : nullptr) {
        check(known->ready.plan);
        if (known->unavailable.empty())
            log_line([&] { return explain_in_one_line(problem, state.profile(), {known->selection, known->ready.plan}); });
        return known;
    }
    PlannedCall planned = state.planner->plan(problem, options, first_product);
    check(planned.plan);
    log_line([&] { return explain_in_one_line(problem, state.profile(), planned); });
    ReadyCall result{planned.selection, {}, {}, planned.products};
    result.ready.plan.workspace_bytes = planned.plan.workspace_bytes;
    try {
        if (planned.selection && planned.selection->is_unproven)
            state.first_use.check(state, problem, planned);
        result.ready = ready(std::move(planned.plan), state.programs);
    } catch (const Unavailable& reason) {
        if (!lasts(reason))
            throw;
        result.unavailable = reason.what();
    }
    auto kept = std::make_shared<const ReadyCall>(std::move(result));
    if (!request.is_of_a_list && kept->products == problem.batch.count &&
        kept->ready.plan.steps.size() <= most_remembered_steps)
        state.ready_calls.keep(key, kept);
    return kept;
}

} // namespace

Options within_callers_workspace(Options options, const Request& request)
{
    if (request.workspace) {
        const auto bytes = info<std::size_t>(request.workspace, CL_MEM_SIZE);
        options.workspace_limit = options.workspace_limit > 0 ? std::min(options.workspace_limit, bytes) : bytes;
    }
    return options;
}

Attempt first_attempt(const Problem& problem, const Request& request)
{
    return {problem.arithmetic.accuracy, request.options};
}

bool falls_back(Attempt& attempt, const Request& request, const std::string& reason)
{
    const auto next = attempt_after(attempt, request.workspace ? info<std::size_t>(request.workspace, CL_MEM_SIZE) : 0);
    if (!next)
        return false;
    attempt = *next;
    log_line([&] { return "falling back: " + reason; });
    return true;
}

std::shared_ptr<const ReadyCall> prepare(DeviceState& state, Problem problem, std::size_t first_product, Attempt& attempt,
                                         const Request& request)
{
    for (;;) {
        problem.arithmetic.accuracy = attempt.accuracy;
        std::shared_ptr<const ReadyCall> call;
        try {
            call = ready_call(state, problem, first_product, attempt.options, request);
        } catch (const Unavailable& reason) {
            if (!falls_back(attempt, request, reason.what()))
                throw;
            continue;
        }
        if (call->unavailable.empty())
            return call;
        if (!falls_back(attempt, request, call->unavailable))
            throw Unavailable(CLGEMM_KERNEL_NOT_SUPPORTED, call->unavailable);
    }
}

} // namespace clgemm::core
