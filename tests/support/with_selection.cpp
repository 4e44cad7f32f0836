#include "with_selection.hpp"

#include "device.hpp"
#include "device/query_profile.hpp"
#include "engine/device_state.hpp"
#include "families/registry.hpp"
#include "plan/plan_builder.hpp"
#include "select/plan_of.hpp"

#include <algorithm>

namespace clgemm::test {

using namespace core;

const DeviceProfile& test_profile()
{
    const auto& test = test_device();
    static const auto* const profile = new DeviceProfile(query_profile(test.device));
    return *profile;
}

DeviceProfile test_profile_as(DeviceType type)
{
    DeviceProfile result = test_profile();
    result.type = type;
    return result;
}

Problem problem_of(const SgemmCase& x, const Operands& operands)
{
    const Arithmetic arithmetic{.accuracy = x.math};
    return make_problem({x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, operands.a.offset, operands.a.ld,
                         operands.b.offset, operands.b.ld, x.beta, operands.c.offset, operands.c.ld, arithmetic});
}

Selection tested(const KernelInfo& kernel, const Parameters& parameters, const Way& way)
{
    return {with_device_features(variant_of(kernel, parameters), test_profile()), "tested", way};
}

Abilities abilities_of(const KernelInfo& kernel)
{
    // Deep, so that K can be divided, with few rows and columns, and with memory along K, so that copies may pay.
    const Variant variant = variant_of(kernel, kernel.variants.back());
    const std::size_t side = variant.tiling.n, depth = 64 * variant.tiling.k;
    const Problem problem = make_problem(
        {CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, side, side, depth, 1, 0, depth, 0, depth, 0, 0, side});
    Abilities result;
    for (const Way& way : kernel.family->ways(problem, test_profile(), variant)) {
        result.splits_k |= way.split_k > 1;
        result.transposes |= way.transposed;
        result.copies |= way.form != 0;
    }
    return result;
}

Multiply with_selection(const Selection& selection, const DeviceProfile& planned_for)
{
    return [selection, planned_for](const SgemmCase& x, const Operands& operands, cl_mem a, cl_mem b, cl_mem c) {
        const auto& test = test_device();
        const auto state = device_state(test.context(), test.device());
        const Problem problem = problem_of(x, operands);
        Plan plan;
        if (problem.only_scales_c()) {
            PlanBuilder builder(planned_for);
            builder.add_scaling(problem);
            plan = builder.finish();
        } else {
            plan = plan_of(problem, planned_for, selection.variant, selection.way, selection.blocks);
        }
        execute(ready(std::move(plan), state->programs), state->workspaces, {a, b, c}, {test.in_order, true});
        test.in_order.finish();
        return CLGEMM_SUCCESS;
    };
}

} // namespace clgemm::test
