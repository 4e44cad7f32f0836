// The parts of a product: blocks of C and the products of a batch, and plans that are made of the plans of these.
#include "multiply_plans.hpp"

#include "plan/parts.hpp"
#include "support/runs.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace clgemm::test {

using namespace core;

namespace {

Problem batch_of(std::size_t count, std::size_t distance_a, std::size_t distance_b, std::size_t distance_c)
{
    Problem result = make_problem(uneven(100, 70, 50));
    result.batch.count = count;
    result.a.distance = distance_a;
    result.b.distance = distance_b;
    result.c.distance = distance_c;
    return result;
}

std::vector<Part> parts_of(const Problem& problem, const Blocks& blocks, std::size_t at_once = 1)
{
    std::vector<Part> result;
    for_each_part(problem, blocks, at_once, [&](const Part& part) { result.push_back(part); });
    return result;
}

} // namespace

TEST(Parts, CoverEveryElementOfCOnceAndNoneIsLargerThanTheFirst)
{
    for (const Blocks& blocks : {Blocks{}, {32, 32}, {100, 30}, {30, 70}, {1000, 1000}})
        for (const std::size_t count : {0U, 1U, 3U}) {
            const Problem problem = batch_of(count, 6000, 4000, 9000);
            std::vector<int> written(problem.c.extent(count));
            const Problem first = first_part(problem, blocks);
            const auto parts = parts_of(problem, blocks);
            EXPECT_EQ(parts.size(), part_count(problem, blocks));
            for (const auto& [part, ignored] : parts) {
                EXPECT_EQ(part.batch.count, 1u);
                EXPECT_LE(part.m, first.m);
                EXPECT_LE(part.n, first.n);
                for (std::size_t col = 0; col < part.n; col++)
                    for (std::size_t row = 0; row < part.m; row++)
                        written.at(part.c.offset + row * part.c.row_stride() + col * part.c.col_stride())++;
            }
            for (std::size_t i = 0; i < count; i++)
                for (std::size_t col = 0; col < problem.n; col++)
                    for (std::size_t row = 0; row < problem.m; row++)
                        EXPECT_EQ(written.at(problem.c.offset + i * 9000 + col * problem.c.ld + row), 1);
            EXPECT_EQ(std::count(written.begin(), written.end(), 1),
                      static_cast<std::ptrdiff_t>(count * problem.m * problem.n));
        }
}

TEST(Parts, SayWhereBIsTheOneOfThePartBefore)
{
    const auto b_is_as_before = [](const Problem& problem, const Blocks& blocks) {
        std::string result;
        for (const Part& part : parts_of(problem, blocks))
            result += part.b_is_as_before ? '=' : 'b';
        return result;
    };
    EXPECT_EQ(b_is_as_before(batch_of(1, 0, 0, 0), {50, 35}), "b=b=") << "blocks that lie below one another";
    EXPECT_EQ(b_is_as_before(batch_of(3, 9, 9, 9), {}), "bbb");
    EXPECT_EQ(b_is_as_before(batch_of(3, 9, 0, 9), {}), "b==") << "the products share it";
    EXPECT_EQ(b_is_as_before(batch_of(2, 9, 0, 9), {50, 70}), "b===");
    EXPECT_EQ(b_is_as_before(batch_of(2, 9, 0, 9), {50, 35}), "b=b=b=b=") << "the last block is not the first one";
}

// Or else one product of a batch would be computed in another way than the next one.
TEST(Parts, OfABatchAreAlignedAlike)
{
    for (const std::size_t distance : {0U, 4U, 6U, 7U, 8000U, 8001U}) {
        const Problem problem = batch_of(4, distance, 4000, 9000);
        for (const std::size_t width : {1U, 2U, 4U, 8U, 16U})
            for (const Part& part : parts_of(problem, {}))
                EXPECT_EQ(part.problem.a.aligned_to(width), problem.a.aligned_to(width)) << distance << ", " << width;
    }
}

TEST(Parts, HaveAsManyProductsAsAreComputedAtOnce)
{
    const Problem problem = batch_of(7, 6000, 0, 9000);
    for (const std::size_t at_once : {1U, 2U, 3U, 7U, 100U}) {
        const auto parts = parts_of(problem, {}, at_once);
        EXPECT_EQ(parts.size(), part_count(problem, {}, at_once));
        EXPECT_EQ(first_part(problem, {}, at_once).batch.count, std::min<std::size_t>(at_once, 7));
        std::size_t next = 0;
        for (const auto& [part, ignored] : parts)
            for (std::size_t i = 0; i < part.batch.count; i++, next++) {
                const Problem product = product_of(part, i), expected = product_of(problem, next);
                EXPECT_EQ(product.a.offset, expected.a.offset);
                EXPECT_EQ(product.b.offset, expected.b.offset);
                EXPECT_EQ(product.c.offset, expected.c.offset);
                for (const std::size_t width : {1U, 2U, 4U, 8U, 16U})
                    EXPECT_EQ(part.c.aligned_to(width), expected.c.aligned_to(width)) << width;
            }
        EXPECT_EQ(next, 7u);
    }
}

TEST(Parts, OfAPackedMatrixFollowOneAnother)
{
    const Problem problem = batch_of(3, 6000, 0, 9000);
    EXPECT_EQ(packed(problem.a).distance, problem.a.rows * problem.a.cols);
    EXPECT_EQ(packed(problem.b).distance, 0u) << "shared";
    EXPECT_EQ(packed(problem.a).extent(3), 3 * problem.a.rows * problem.a.cols);
}

// By this loop every family is right for batches, in the workspace of one product. What computes all of them at once has one
// launch for them.
TEST(Parts, APlanOfABatchHasTheStepsOfItsProductsOneAfterTheOther)
{
    for (const DeviceProfile& device : {hopper_gpu(), made_up_cpu()})
        for (const KernelInfo& kernel : kernels())
            for (const Variant& variant : variants_for(kernel, device)) {
                SCOPED_TRACE(std::string(kernel.name) + " " + variant.parameters.text());
                const Variant built = with_device_features(variant, device);
                const Problem problem = batch_of(3, 6000, 4000, 9000);
                const Plan all = plan_of(problem, device, built, {});
                if (kernel.family->products_at_once({}) > 1) {
                    EXPECT_EQ(all.steps.size(), 1u);
                    continue;
                }
                std::size_t next = 0;
                for (std::size_t i = 0; i < 3; i++) {
                    const Plan one = plan_of(product_of(problem, i), device, built, {});
                    EXPECT_EQ(all.workspace_bytes, one.workspace_bytes);
                    for (const Step& step : one.steps) {
                        ASSERT_LT(next, all.steps.size());
                        EXPECT_EQ(all.steps[next].purpose, step.purpose);
                        EXPECT_EQ(all.steps[next].options, step.options);
                        EXPECT_TRUE(all.steps[next].arguments == step.arguments);
                        next++;
                    }
                }
                EXPECT_EQ(next, all.steps.size());
                EXPECT_EQ(outline_of(problem, device, built, {}).workspace_bytes, all.workspace_bytes);
            }
}

} // namespace clgemm::test
