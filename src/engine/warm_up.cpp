#include "engine/warm_up.hpp"

#include "engine/launch_once.hpp"
#include "engine/make_ready.hpp"
#include "support/error.hpp"
#include "support/log.hpp"
#include "support/stopwatch.hpp"

#include <vector>

namespace clgemm::core {
namespace {

// Builds the programs of the ways that are chosen, but for ways that are known to compute wrongly.
void build_programs(DeviceState& state, std::span<const Problem> problems, const Request& request)
{
    std::vector<PlannedCall> calls;
    for (const Problem& problem : problems) {
        PlannedCall call = state.planner->plan(problem, request.options);
        if (!call.selection || !call.selection->is_unproven || !state.first_use.has_found_wrong(state, problem, call))
            calls.push_back(std::move(call));
    }
    std::vector<const Step*> steps;
    for (const PlannedCall& call : calls)
        for (const Step& step : call.plan.steps)
            steps.push_back(&step);
    state.programs.programs(steps);
}

} // namespace

void warm_up(DeviceState& state, std::span<const Problem> problems, const Request& request)
{
    const Stopwatch watch;
    try {
        build_programs(state, problems, request);
    } catch (const Unavailable&) {
        // A call that needs the program that failed falls back below.
    }
    for (const Problem& problem : problems) {
        Attempts attempts(problem, request);
        const auto call = make_ready(state, attempts);
        for (const auto& [program, function] : call->ready.functions)
            Program::take(program, function); // and back: the next call finds the kernel object
        if (state.profile().compiles_at_launch && !problem.touches_nothing())
            launch_once(state, problem, *call);
    }
    log_line([&] {
        return std::to_string(problems.size()) + (problems.size() == 1 ? " call is" : " calls are") + " warmed up on " +
               state.profile().name + ", in " + watch.milliseconds();
    });
}

} // namespace clgemm::core
