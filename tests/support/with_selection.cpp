#include "with_selection.hpp"

#include "device.hpp"
#include "execute/execution.hpp"

namespace clgemm::test {

using namespace core;

const DeviceProfile& test_profile()
{
    const auto& test = test_device();
    static const auto* const profile = new DeviceProfile(profile_device(test.device));
    return *profile;
}

Problem problem_of(const SgemmCase& x, const Operands& operands)
{
    return make_problem({x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, operands.a.offset, operands.a.ld,
                         operands.b.offset, operands.b.ld, x.beta, operands.c.offset, operands.c.ld});
}

Multiply with_selection(const Selection& selection)
{
    return [selection](const SgemmCase& x, const Operands& operands, cl_mem a, cl_mem b, cl_mem c) {
        const auto& test = test_device();
        const auto state = device_state(test.context(), test.device());
        const Problem problem = problem_of(x, operands);
        const Plan plan = problem.only_scales_c() ? plan_scale(problem, state->profile)
                                                  : plan_multiply(problem, state->profile, selection);
        execute(*state, plan, {problem.swapped ? b : a, problem.swapped ? a : b, c}, {test.in_order, {}, false});
        test.in_order.finish();
        return CLGEMM_SUCCESS;
    };
}

} // namespace clgemm::test
