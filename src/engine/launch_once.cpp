#include "engine/launch_once.hpp"

#include "engine/small_call.hpp"
#include "select/plan_of.hpp"
#include "support/whole_numbers.hpp"

#include "kernels/arguments.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace clgemm::core {
namespace {

// About how large a shrunk size is; it leaves the same rest of tiles and vectors as the call's. K stays deep enough for the
// blocks of K of the largest problems.
constexpr std::size_t small = 256, still_deep = 2048;

std::size_t shrunk(std::size_t size, std::size_t enough, std::size_t tile)
{
    const std::size_t unit = std::lcm(tile, widest_vector);
    return std::min(size, round_up(enough, unit) + size % unit);
}

Problem shrunk(const Problem& problem, const Selection* selection)
{
    const Tiling tile = selection ? selection->variant.tiling : Tiling{1, 1, 1};
    const std::size_t parts = selection ? selection->way.split_k : 1;
    const std::size_t m = shrunk(problem.m, small, selection && selection->way.transposed ? tile.n : tile.m);
    const std::size_t n = shrunk(problem.n, small, selection && selection->way.transposed ? tile.m : tile.n);
    const std::size_t deep_enough_for_parts = saturating_product(tile.k, 4 * parts);
    return resized(problem, m, n, shrunk(problem.k, still_deep, deep_enough_for_parts), 1);
}

// Empty where the family does not compute the small problem in the call's way.
Plan plan_like(const ReadyCall& call, const Problem& x, DeviceState& state)
{
    if (!call.selection)
        return state.planner->plan(x, {}).plan;
    const auto& [variant, reason, way, blocks, estimate, is_unproven] = *call.selection;
    return has_way(x, state.profile(), variant, way) ? plan_of(x, state.profile(), variant, way) : Plan{};
}

// Does the driver compile the same for both? What it compiles at a launch is for the size of the work-group, too.
bool compiles_alike(const Step& step, const Step& other)
{
    return are_of_one_function(step, other) && step.group_size == other.group_size;
}

} // namespace

void launch_once(DeviceState& state, const Problem& problem, const ReadyCall& call)
{
    const Problem x = shrunk(problem, call.selection.get());
    Plan plan = plan_like(call, x, state);
    const auto& wanted = call.ready.plan.steps;
    const bool takes_the_same = std::all_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
        return std::any_of(wanted.begin(), wanted.end(), [&](const Step& other) { return compiles_alike(step, other); });
    });
    if (plan.steps.empty() || !takes_the_same)
        return;
    const auto buffer = [&](std::size_t bytes) {
        const std::vector<std::byte> zeros(std::max<std::size_t>(bytes, 1));
        return cl::Buffer(state.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, zeros.size(),
                          const_cast<std::byte*>(zeros.data()));
    };
    const auto of = [&](const Matrix& matrix) { return buffer(matrix.extent() * matrix.element_bytes()); };
    cl::Buffer a = of(x.a), b = of(x.b), c = of(x.c), workspace = buffer(plan.workspace_bytes),
               list = buffer(sizeof(kernel_arguments::Product));
    Buffers buffers;
    buffers[x.a.memory] = a();
    buffers[x.b.memory] = b();
    buffers[x.c.memory] = c();
    buffers.workspace = workspace();
    buffers.list = list();
    const cl::CommandQueue queue(state.context, state.device);
    execute(ready(std::move(plan), state.programs), state.workspaces, buffers, {queue, true});
    queue.finish();
}

} // namespace clgemm::core
