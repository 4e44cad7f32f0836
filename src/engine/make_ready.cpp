#include "engine/make_ready.hpp"

#include "engine/device_buffers.hpp"
#include "engine/explanation.hpp"
#include "support/error.hpp"
#include "support/log.hpp"

#include <utility>

namespace clgemm::core {
namespace {

// Plans of more steps are large, and so are their products: those need not be remembered.
constexpr std::size_t most_remembered_steps = 8;

// Will it be so at the next call, too? It will where the device or its driver is the reason, not where memory is full, say.
bool lasts(const Unavailable& reason)
{
    return reason.status() == CLGEMM_KERNEL_NOT_SUPPORTED;
}

// The call in the present attempt's way, and in no other. Throws Unavailable where that cannot be had just now. Where it
// never can, the result says so.
std::shared_ptr<const ReadyCall> ready_call(DeviceState& state, const Attempts& attempts, std::size_t first_product)
{
    const Problem& problem = attempts.problem();
    const Request& request = attempts.request();
    const auto check = [&](const Plan& plan) {
        if (request.workspace && plan.workspace_bytes > 0)
            check_workspace(request.workspace, plan.workspace_bytes, state);
    };
    const CallKey key = call_key(problem, attempts.options());
    // A call that is known computes all products. So where the first ones were computed in another way, those that are left
    // are planned.
    if (auto known = first_product == 0 ? state.ready_calls.find(key) : nullptr) {
        check(known->ready.plan);
        if (known->unavailable.empty())
            log_line([&] { return explain_in_one_line(problem, state.profile(), {known->selection, known->ready.plan}); });
        return known;
    }
    PlannedCall planned = state.planner->plan(problem, attempts.options(), first_product);
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

std::shared_ptr<const ReadyCall> make_ready(DeviceState& state, Attempts& attempts, std::size_t first_product)
{
    for (;;) {
        std::shared_ptr<const ReadyCall> call;
        try {
            call = ready_call(state, attempts, first_product);
        } catch (const Unavailable& reason) {
            if (!attempts.fall_back(reason.what()))
                throw;
            continue;
        }
        if (call->unavailable.empty())
            return call;
        if (!attempts.fall_back(call->unavailable))
            throw Unavailable(CLGEMM_KERNEL_NOT_SUPPORTED, call->unavailable);
    }
}

} // namespace clgemm::core
