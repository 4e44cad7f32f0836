// Batches whose list of products lies in the device's memory: which kernels take them, that every device has one that does,
// and that a launch has as many products as the device and the kernel take.
#include "made_up_tuning.hpp"
#include "multiply_plans.hpp"

#include "select/planner.hpp"
#include "tuning/single_call.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

Problem listed(std::size_t m, std::size_t n, std::size_t k, std::size_t count, std::size_t first = 0,
               clgemm_math math = CLGEMM_MATH_DEFAULT)
{
    Arguments x = arguments(m, n, k);
    x.arithmetic.accuracy = math;
    x.batch = {count, true, first};
    return make_problem(x);
}

bool reads_the_list(const Step& step)
{
    return has_option(step, "LISTED=1") && step.buffers.back() == Memory::list;
}

} // namespace

TEST(ListedPlans, AreThoseOfKernelsThatReadTheListAndOthersSayThatTheyDoNot)
{
    std::string takers;
    for (const KernelInfo& kernel : kernels()) {
        const DeviceProfile device = large_device_for(kernel);
        const Problem some = asked_of(kernel, listed(30, 20, 10, 5));
        const Answer answer = takes(some, kernel, device);
        if (!answer) {
            EXPECT_EQ(answer.reason(), "takes no list of products in the device's memory") << kernel.name;
            continue;
        }
        takers += std::string(kernel.name) + " ";
        for (const Variant& variant : variants_for(kernel, some, device))
            for (const Step& step : made_plan(some, device, variant, {}).steps)
                EXPECT_TRUE(reads_the_list(step)) << kernel.name << ": " << step.purpose;
    }
    EXPECT_EQ(takers, "01_naive 13_warp_tiled cpu_fused small_batch shallow ");
}

TEST(ListedPlans, ThereIsOneForEveryDeviceShapeAndMathMode)
{
    for (const DeviceProfile& device :
         {large_gpu(), hopper_gpu(), ampere_gpu(), tiny_gpu(), made_up_cpu(), cpu_with_tiles()})
        for (const clgemm_math math : {CLGEMM_MATH_DEFAULT, CLGEMM_MATH_STRICT, CLGEMM_MATH_REPRODUCIBLE})
            for (const auto& [m, n, k] :
                 {std::array<std::size_t, 3>{1, 1, 1}, {8, 8, 8}, {300, 1, 40}, {64, 64, 5000}, {1000, 1000, 1000}}) {
                SCOPED_TRACE(testing::Message() << device.name << ", " << math << ", " << m << "x" << n << "x" << k);
                Planner planner(device, derived_tuning(device));
                const PlannedCall call = planner.plan(listed(m, n, k, 100), {});
                EXPECT_EQ(call.selection->way.split_k, 1u) << "the list is where parts of K would be";
                EXPECT_EQ(call.plan.workspace_bytes, 0u) << "nobody knows where there is something to copy";
                EXPECT_EQ(call.plan.steps.size(), 1u);
                for (const Step& step : call.plan.steps)
                    EXPECT_TRUE(reads_the_list(step)) << step.purpose;
            }
}

// Some of them take no more than 65,535 at a time, which is all that dimension 2 has on many GPUs.
TEST(ListedPlans, HaveALaunchForAsManyProductsAsItTakes)
{
    const Problem many = listed(4, 4, 4, 200'000, 7);
    for (const char* const name : {"01", "13"}) {
        const Plan plan = made_plan(many, large_gpu(), first_variant(name), {});
        std::size_t next = 7;
        for (const Step& step : plan.steps) {
            EXPECT_EQ(numbers_of<kernel_arguments::Multiplication>(step).first, next);
            EXPECT_LE(step.groups[2], 65'535u);
            next += step.groups[2];
        }
        EXPECT_EQ(next, 200'007u) << name;
        EXPECT_EQ(plan.steps.size(), 4u) << name;
    }
    EXPECT_EQ(made_plan(many, large_gpu(), first_variant("small_batch"), {}).steps.size(), 1u);
    EXPECT_EQ(made_plan(many, made_up_cpu(), first_variant("cpu_fused"), {}).steps.size(), 1u);
}

// Where blocks of K would be parts, there is no room for products beside them.
TEST(ListedPlans, OfReproducibleProductsOfManyBlocksAreNotForKernel13)
{
    const auto refused = [](const Problem& problem) { return takes(problem, first_variant("13"), large_gpu()).reason(); };
    EXPECT_EQ(refused(listed(64, 64, reproducible_depth, 3, 0, CLGEMM_MATH_REPRODUCIBLE)), "");
    EXPECT_NE(refused(listed(64, 64, reproducible_depth + 1, 3, 0, CLGEMM_MATH_REPRODUCIBLE))
                  .find("lists are reproducible up to a K of 512"),
              std::string::npos);
    EXPECT_EQ(refused(listed(64, 64, reproducible_depth + 1, 3)), "");
    Problem alone = problem(64, 64, reproducible_depth + 1);
    alone.arithmetic.accuracy = CLGEMM_MATH_REPRODUCIBLE;
    EXPECT_EQ(refused(alone), "");
}

// An entry for a single call is about matrices that lie at known distances.
TEST(ListedPlans, HaveNoEntriesForSingleCalls)
{
    EXPECT_FALSE(single_call_of(listed(8, 8, 8, 10)));
    EXPECT_FALSE(single_call_of(listed(8, 8, 8, 1)));
}
