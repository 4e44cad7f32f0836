#include "engine/multiply_list.hpp"

#include "engine/device_buffers.hpp"
#include "execute/in_turn.hpp"
#include "support/error.hpp"

namespace clgemm::core {
namespace {

// What a product takes of the workspace, which `limited` has as the limit of what is chosen. Where a kernel that is asked
// for does not keep within that, what it would take without the workspace, so that the workspace is what is found too small.
std::size_t bytes_within(DeviceState& state, const Problem& problem, const Request& limited, const Request& callers)
{
    try {
        return state.planner->workspace_bytes(problem, limited.options);
    } catch (const Error& error) {
        if (error.status() != CL_MEM_OBJECT_ALLOCATION_FAILURE)
            throw;
        return state.planner->workspace_bytes(problem, callers.options);
    }
}

// A workspace of the caller's is the limit of what is chosen, since more products or fewer may be computed in different
// ways. Kernels that keep to no limit are asked before anything is enqueued.
Request request_for_each(DeviceState& state, const ProductList& list, const std::vector<Stretch>& stretches,
                         const Problem& farthest, const Buffers& buffers, const Request& callers)
{
    Request result = callers;
    result.is_of_a_list = stretches.size() > 1;
    if (!callers.workspace)
        return result;
    check_workspace_is_apart(callers.workspace, farthest, buffers);
    check_workspace(callers.workspace, 0, state);
    result.options = limited(result.options, callers.workspace_bytes());
    for (const Stretch& stretch : stretches) {
        Problem problem = make_problem(list, stretch);
        for (const Memory which : {Memory::a, Memory::b, Memory::c})
            problem.matrix_in(which).alignment = farthest.matrix_in(which).alignment;
        check_workspace(callers.workspace, bytes_within(state, problem, result, callers), state);
    }
    return result;
}

} // namespace

void check_kernel(Planner& planner, const ProductList& list, const std::vector<Stretch>& stretches, const Request& request)
{
    if (!request.options.kernel && !is_reproducible(list.shape.arithmetic))
        return; // there is a kernel for everything
    for (const Stretch& stretch : stretches)
        if (const Problem problem = make_problem(list, stretch); !problem.only_scales_c())
            planner.selection(problem, request.options);
}

cl::Event multiply(DeviceState& state, const ProductList& list, const Buffers& buffers, const Submission& submission,
                   const Request& request)
{
    const std::vector<Stretch> stretches = stretches_of(list);
    if (stretches.size() == 1 && !request.workspace)
        return multiply(state, make_problem(list, stretches.front()), buffers, submission, request);
    Problem checked = farthest(list);
    check_buffers(checked, buffers, state);
    for (const Stretch& stretch : stretches)
        check_c_is_apart(make_problem(list, stretch), buffers);
    check_kernel(*state.planner, list, stretches, request);
    const Request for_each = request_for_each(state, list, stretches, checked, buffers, request);
    InTurn batches(submission);
    for (const Stretch& stretch : stretches)
        batches.enqueued(
            multiply(state, make_problem(list, stretch), buffers, batches.next(&stretch == &stretches.back()), for_each));
    return batches.take_event();
}

} // namespace clgemm::core
