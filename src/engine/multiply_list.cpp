#include "engine/multiply_list.hpp"

#include "engine/device_buffers.hpp"
#include "execute/in_turn.hpp"
#include "support/error.hpp"

namespace clgemm::core {
namespace {

// How many bytes of the caller's workspace the problem takes. `limited`: the request with the workspace's size as its limit.
// A kernel that is asked for may not keep to that limit. Then these are the bytes that it takes without the limit, so that
// the error is that the workspace is too small.
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

// The request for each stretch. A workspace of the caller's becomes the limit of what is chosen, since stretches of more or
// fewer products may be computed in different ways. Kernels that keep to no limit are found out before anything is enqueued.
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
