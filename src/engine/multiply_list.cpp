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

// What is computed one after the other, and the request for each.
struct Parts {
    std::vector<Stretch> stretches;
    Request request;
};

// A workspace of the caller's becomes the limit of what is chosen, since stretches of more or fewer products may be computed
// in different ways. Kernels that keep to no limit are found out before anything is enqueued. Where such a one takes more
// for several products than the workspace has, they are computed each on its own, as the caller is promised.
Parts parts_of(DeviceState& state, const ProductList& list, const std::vector<Stretch>& stretches, const Problem& farthest,
               const Buffers& buffers, const Request& callers)
{
    Parts result{stretches, callers};
    if (callers.workspace) {
        check_workspace_is_apart(callers.workspace, farthest, buffers);
        check_workspace(callers.workspace, 0, state);
        result.request.options = limited(callers.options, callers.workspace_bytes());
        const auto bytes = [&](const Stretch& stretch) {
            Problem problem = make_problem(list, stretch);
            for (const Memory which : {Memory::a, Memory::b, Memory::c})
                problem.matrix_in(which).alignment = farthest.matrix_in(which).alignment;
            return bytes_within(state, problem, result.request, callers);
        };
        result.stretches.clear();
        for (const Stretch& stretch : stretches)
            if (stretch.count == 1 || bytes(stretch) <= callers.workspace_bytes())
                result.stretches.push_back(stretch);
            else
                for (std::size_t i = 0; i < stretch.count; i++)
                    result.stretches.push_back({stretch.first + i, 1});
        for (const Stretch& stretch : result.stretches)
            if (stretch.count == 1)
                check_workspace(callers.workspace, bytes(stretch), state);
    }
    result.request.is_of_a_list = result.stretches.size() > 1;
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
    const Parts parts = parts_of(state, list, stretches, checked, buffers, request);
    InTurn batches(submission);
    for (const Stretch& stretch : parts.stretches)
        batches.enqueued(multiply(state, make_problem(list, stretch), buffers,
                                  batches.next(&stretch == &parts.stretches.back()), parts.request));
    return batches.take_event();
}

} // namespace clgemm::core
