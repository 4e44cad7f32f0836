#include "api/multiply.hpp"

#include "api/device_buffers.hpp"
#include "api/explanation.hpp"
#include "support/error.hpp"
#include "support/log.hpp"

namespace clgemm::core {
namespace {

constexpr std::size_t least_workspace = 1; // byte: nothing can be put there

} // namespace

cl::Event multiply(const Arguments& arguments, cl_mem a, cl_mem b, cl_mem c, const Launch& launch, const Request& request)
{
    Problem problem = make_problem(arguments);
    const auto context = info<cl_context>(launch.queue(), CL_QUEUE_CONTEXT);
    Buffers buffers = checked_buffers(problem, a, b, c, context);

    if (problem.touches_nothing()) {
        cl::Event done;
        if (launch.wants_event)
            launch.queue.enqueueMarkerWithWaitList(&launch.wait_for, &done);
        return done;
    }

    const auto state = device_state(context, info<cl_device_id>(launch.queue(), CL_QUEUE_DEVICE));
    const auto attempt = [&](const Wishes& wishes) {
        const auto decision = state->decider.decide(problem, wishes);
        buffers.workspace = checked_workspace(request, decision->plan.workspace_bytes, context);
        log_line([&] { return explain_in_one_line(problem, state->profile, *decision); });
        return execute(*state, decision->plan, buffers, launch);
    };
    // As the caller wishes; where that cannot be had, FP32 alone; at last without temporaries.
    const auto strict_limit = [&] {
        return buffers.workspace ? info<std::size_t>(buffers.workspace, CL_MEM_SIZE) : request.wishes.workspace_limit;
    };
    Wishes wishes = request.wishes;
    while (true)
        try {
            return attempt(wishes);
        } catch (const Unavailable& reason) {
            if (request.wishes.kernel || wishes.workspace_limit == least_workspace)
                throw;
            log_line([&] { return std::string("falling back: ") + reason.what(); });
            wishes.workspace_limit = wishes.strict ? least_workspace : strict_limit();
            wishes.strict = true;
        }
}

} // namespace clgemm::core
