// What holds for batches of small products alone: which it takes, what a work-group does, and that it has a launch for all.
#include "select/fastest.hpp"
#include "select/plan_of.hpp"
#include "support/embedded_tuning.hpp"
#include "support/whole_numbers.hpp"
#include "tuning/derived_tuning.hpp"
#include "unit/made_up_tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

const KernelInfo& small_batch()
{
    return *find_kernel("small_batch");
}

Problem batch(std::size_t m, std::size_t n, std::size_t k, std::size_t count, clgemm_transpose trans_a = CLGEMM_NO_TRANS,
              clgemm_transpose trans_b = CLGEMM_NO_TRANS)
{
    Problem result = problem(m, n, k, trans_a, trans_b);
    result.batch.count = count;
    result.a.distance = m * k;
    result.b.distance = k * n;
    result.c.distance = m * n;
    return result;
}

std::vector<Variant> its_variants()
{
    std::vector<Variant> result;
    for (const Parameters& parameters : small_batch().variants)
        result.push_back(with_device_features(variant_of(small_batch(), parameters), hopper_gpu()));
    return result;
}

kernel_arguments::SmallProducts arguments_of(const Plan& plan)
{
    return plan.steps.front().arguments.as<kernel_arguments::SmallProducts>();
}

} // namespace

TEST(SmallBatch, IsMadeForBatchesOfSmallProductsAndNothingElse)
{
    for (const Variant& variant : its_variants()) {
        const auto is_made_for = [&](const Problem& problem) {
            return !variant.family().ways(problem, hopper_gpu(), variant).empty();
        };
        EXPECT_TRUE(is_made_for(batch(8, 8, 8, 2)));
        EXPECT_TRUE(is_made_for(batch(1, 1, 1, 1000)));
        EXPECT_TRUE(is_made_for(batch(7, 13, 31, 1000)));
        EXPECT_TRUE(is_made_for(batch(4, 4, 100'000, 1000)));
        EXPECT_FALSE(is_made_for(batch(8, 8, 8, 1))) << "a single call";
        EXPECT_FALSE(is_made_for(batch(65, 1, 8, 1000)));
        EXPECT_FALSE(is_made_for(batch(1, 65, 8, 1000)));
        EXPECT_FALSE(is_made_for(batch(500, 500, 500, 1000)));
    }
}

TEST(SmallBatch, HasOneLaunchForAllProductsInAsManyWorkGroupsAsTheyNeed)
{
    for (const Variant& variant : its_variants())
        for (const std::size_t count : {2U, 3U, 1000U, 65537U, 1'000'000U})
            for (const auto& [m, n, k] : {std::array<std::size_t, 3>{8, 8, 8}, {7, 33, 5}, {128, 1, 128}, {1000, 30, 77}}) {
                const Problem all = batch(m, n, k, count);
                const Plan plan = plan_of(all, hopper_gpu(), variant, {});
                ASSERT_EQ(plan.steps.size(), 1u);
                EXPECT_EQ(plan.workspace_bytes, 0u);
                const auto call = arguments_of(plan);
                const auto& groups = plan.steps.front().groups;
                EXPECT_EQ(call.products, count);
                EXPECT_GE(groups[0] * call.together, count);
                EXPECT_LT((groups[0] - 1) * call.together, count);
                EXPECT_GE(groups[1] * call.blockM, m);
                EXPECT_GE(groups[2] * call.blockN, n);
            }
}

TEST(SmallBatch, GivesAWorkGroupSeveralProductsAndAsFewStepsAsFit)
{
    const Variant variant = its_variants().front(); // 4 x 2 elements for each of 128 work-items
    const auto work = [&](const Problem& problem) { return arguments_of(plan_of(problem, hopper_gpu(), variant, {})); };
    EXPECT_EQ(work(batch(8, 8, 8, 1000)).together, 16u);
    EXPECT_EQ(work(batch(16, 16, 8, 1000)).together, 4u);
    EXPECT_EQ(work(batch(31, 31, 8, 1000)).together, 1u);
    EXPECT_EQ(work(batch(8, 8, 8, 3)).together, 3u) << "all of them";
    EXPECT_EQ(work(batch(8, 8, 8, 1000)).deep, 8u) << "all of K";
    EXPECT_EQ(work(batch(8, 8, 6, 1000)).deep, 8u) << "vectors";
    const auto deep = work(batch(8, 8, 1000, 1000));
    EXPECT_LT(deep.deep, 1000u);
    EXPECT_GE(deep.deep, 16u);
    EXPECT_EQ(deep.deep % 4, 0u);
    EXPECT_EQ(deep.deep, round_up(divide_up(1000, divide_up(1000, deep.deep)), 4)) << "equal steps";
}

// Where all of K fits at once, there is no second step to be on its way.
TEST(SmallBatch, GivesOneStepAllOfLocalMemory)
{
    const Variant variant = its_variants()[1]; // 8 x 4 elements for each of 128 work-items
    const auto work = [&](const Problem& problem) { return arguments_of(plan_of(problem, hopper_gpu(), variant, {})); };
    EXPECT_EQ(work(batch(32, 32, 32, 1000)).together, 4u) << "as many as it has work-items for";
    EXPECT_EQ(work(batch(32, 32, 32, 1000)).deep, 32u);
    const auto in_steps = work(batch(32, 32, 100, 1000));
    EXPECT_LT(in_steps.deep, 100u) << "half of it does not hold all";
}

// Copied float by float, such products took up to 1.6 times as long.
TEST(SmallBatch, CopiesWhatLiesWithoutGapsButUnalignedAsAStretch)
{
    const Variant variant = its_variants()[1];
    const auto stretches = [&](const Problem& problem) {
        const std::string options = plan_of(problem, hopper_gpu(), variant, {}).steps.front().options;
        std::string result;
        for (const char* operand : {"A", "B"})
            if (options.find(std::string("-DSTRETCH_") + operand + "=1") != std::string::npos)
                result += operand;
        return result;
    };
    EXPECT_EQ(stretches(batch(31, 31, 31, 1000)), "AB");
    EXPECT_EQ(stretches(batch(32, 32, 32, 1000)), "") << "aligned";
    EXPECT_EQ(stretches(batch(31, 32, 32, 1000)), "A") << "A's columns have 31 rows";
    EXPECT_EQ(stretches(batch(31, 31, 200, 1000)), "") << "in several steps";
    Problem with_gaps = batch(31, 31, 31, 1000);
    with_gaps.a.ld = 33;
    with_gaps.a.distance = 33 * 31;
    with_gaps.b.distance++;
    EXPECT_EQ(stretches(with_gaps), "");
    Problem shared = batch(31, 31, 31, 1000);
    shared.b.distance = 0;
    EXPECT_EQ(stretches(shared), "AB");
    Problem listed = batch(31, 31, 31, 1000);
    listed.batch.listed = true;
    EXPECT_EQ(stretches(listed), "");
}

// Kernels that are compiled once for all sizes are compiled once.
TEST(SmallBatch, NeedsNoProgramsForSizes)
{
    const Variant variant = its_variants().front();
    const std::string one = plan_of(batch(8, 8, 8, 10), hopper_gpu(), variant, {}).steps.front().options;
    for (const std::size_t size : {12U, 20U, 36U})
        EXPECT_EQ(plan_of(batch(size, size, size, 1000), hopper_gpu(), variant, {}).steps.front().options, one) << size;
}

TEST(SmallBatch, ItsOutlineCountsASharedOperandOnce)
{
    const Variant variant = its_variants().front();
    const auto bytes = [&](const Problem& problem) {
        return outline_of(problem, hopper_gpu(), variant, {}).launches.front().bytes;
    };
    Problem all = batch(8, 8, 8, 1000);
    EXPECT_EQ(bytes(all), 1000 * 3 * 64 * 4);
    all.b.distance = 0;
    EXPECT_EQ(bytes(all), (1000 * 2 + 1) * 64 * 4);
}

// What was not measured: copies of single floats, and stores of short runs.
TEST(SmallBatch, ItsOutlineCountsCopiesAndStoresThatAreNotVectors)
{
    const auto steps_more = [&](const Problem& problem, const Variant& variant) {
        return outline_of(problem, hopper_gpu(), variant, {}).launches.front().steps_more;
    };
    const std::vector<Variant> variants = its_variants();
    EXPECT_EQ(steps_more(batch(32, 32, 32, 1000), variants[0]), 0);
    const double packed = steps_more(batch(31, 31, 31, 1000), variants[0]);
    EXPECT_GT(packed, 0);
    Problem with_gaps = batch(31, 31, 31, 1000);
    with_gaps.a.distance += 1;
    with_gaps.b.distance += 1;
    EXPECT_GT(steps_more(with_gaps, variants[0]), packed) << "four times as many copies";
    const auto of_trans_a = [&](std::size_t size, const Variant& variant) {
        return steps_more(batch(size, size, size, 1000, CLGEMM_TRANS), variant);
    };
    EXPECT_GT(of_trans_a(32, variants[1]), steps_more(batch(32, 32, 32, 1000), variants[1])) << "rows lie tiles apart";
    EXPECT_EQ(of_trans_a(16, variants[1]), steps_more(batch(16, 16, 16, 1000), variants[1])) << "two tiles below each other";
}

// By the library's own data: where memory limits the product, up to where kernel 13's tiles are full. (At 13 and 31, where
// nothing is aligned, `shallow` is estimated to be as fast or faster.)
TEST(SmallBatch, IsChosenOnAnH200WhereItWasFaster)
{
    const Tuning tuning = clgemm::test::tuning_of(tuning_text_of("NVIDIA H200"));
    const auto chosen = [&](const Problem& problem) {
        return std::string(select(problem, hopper_gpu(), tuning, {}).variant.kernel->name);
    };
    for (const std::size_t size : {1U, 4U, 7U, 8U, 16U, 24U, 32U})
        for (const auto trans : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            EXPECT_EQ(chosen(batch(size, size, size, 20'000, trans, trans)), "small_batch") << size;
    EXPECT_EQ(chosen(batch(4, 4, 1000, 6000)), "small_batch");
    EXPECT_EQ(chosen(batch(64, 64, 64, 5000)), "13_warp_tiled");
    EXPECT_EQ(chosen(batch(128, 1, 128, 1500)), "skinny");
    EXPECT_EQ(chosen(batch(1024, 1024, 1024, 16)), "tensor_direct");
}

// Data of a GPU that leaves it out would send such batches to kernels for large products.
TEST(SmallBatch, IsInTheDataOfEveryGpu)
{
    for (const EmbeddedText& file : tuning_texts())
        if (const DeviceProfile device = device_of(file); device.type == DeviceType::gpu) {
            const Selection chosen = select(batch(8, 8, 8, 20'000), device, clgemm::test::tuning_of(file), {});
            EXPECT_EQ(chosen.variant.kernel, &small_batch()) << device.name;
        }
}

// On a GPU that nobody measured.
TEST(SmallBatch, IsChosenForSmallProductsOfABatchAndNeverForASingleOne)
{
    const Tuning guessed = derived_tuning(large_gpu());
    const auto chosen = [&](const Problem& problem) {
        return select(problem, large_gpu(), guessed, {}).variant.kernel == &small_batch();
    };
    for (const std::size_t size : {1U, 4U, 7U, 8U, 13U, 16U, 31U, 32U}) {
        EXPECT_TRUE(chosen(batch(size, size, size, 1000))) << size;
        EXPECT_FALSE(chosen(batch(size, size, size, 1))) << size;
    }
    EXPECT_FALSE(chosen(batch(512, 512, 512, 64)));
    EXPECT_FALSE(chosen(batch(1024, 1024, 1024, 2)));
}
