#include "api/multiply.hpp"

#include "api/device_buffers.hpp"
#include "api/explanation.hpp"
#include "select/fallbacks.hpp"
#include "support/error.hpp"
#include "support/log.hpp"

namespace clgemm::core {

cl::Event multiply(Problem problem, cl_mem a, cl_mem b, cl_mem c, const Launch& launch, const Request& request)
{
    const auto context = info<cl_context>(launch.queue(), CL_QUEUE_CONTEXT);
    check_buffers(problem, a, b, c, context);

    if (problem.touches_nothing()) {
        cl::Event done;
        if (launch.wants_event)
            launch.queue.enqueueMarkerWithWaitList(&launch.wait_for, &done);
        return done;
    }

    const auto state = device_state(context, info<cl_device_id>(launch.queue(), CL_QUEUE_DEVICE));
    const auto attempt = [&](const Options& options) {
        const auto plan = state->planner->plan(problem, options);
        if (request.workspace && plan->workspace_bytes > 0)
            check_workspace(request.workspace, plan->workspace_bytes, context);
        log_line([&] { return explain_in_one_line(problem, state->profile(), *plan); });
        if (plan->selection && plan->selection->is_unproven)
            state->first_use.check(*state, problem, *plan);
        return execute(*state, *plan, {a, b, c, request.workspace}, launch);
    };
    // The size is only asked for where it is needed: every question costs the host time.
    std::vector<Options> attempts{request.options};
    for (std::size_t i = 0;; i++)
        try {
            return attempt(attempts[i]);
        } catch (const Unavailable& reason) {
            if (i == 0)
                attempts =
                    attempts_at(request.options, request.workspace ? info<std::size_t>(request.workspace, CL_MEM_SIZE) : 0);
            if (i + 1 == attempts.size())
                throw;
            log_line([&] { return std::string("falling back: ") + reason.what(); });
        }
}

} // namespace clgemm::core
