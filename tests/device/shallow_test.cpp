// What the kernel for a shallow K has of its own: it reads aligned columns of A in vectors, and the last one, in which K
// ends, float by float. What lies behind that in memory is never read: canaries, which would spoil the sums.
#include "families/registry.hpp"
#include "select/plan_of.hpp"
#include "support/whole_numbers.hpp"
#include "support/with_selection.hpp"

using namespace clgemm::core;
using namespace clgemm::test;

TEST(ShallowColumns, EndWhereKEnds)
{
    const KernelInfo& kernel = *find_kernel("shallow");
    for (const Parameters& parameters : kernel.variants) {
        const Selection selection = tested(kernel, parameters);
        if (!runs(selection.variant, test_profile()))
            continue;
        for (const std::size_t k : {5U, 17U, 31U}) { // in vectors: 2, 5 and 8
            const SgemmCase x{CLGEMM_COLUMN_MAJOR,        CLGEMM_TRANS, CLGEMM_NO_TRANS, 67, 19, k, 1.5f, 0.5f,
                              {round_up(k, 4) - k, 1, 3}, {4, 1, 3}};
            const Plan plan = plan_of(problem_of(x, Operands(x)), test_profile(), selection.variant, {});
            ASSERT_NE(plan.steps.front().options.find("-DWIDTH_A=4"), std::string::npos) << plan.steps.front().options;
            EXPECT_TRUE(is_right(x, with_selection(selection))) << parameters.text();
        }
    }
}
