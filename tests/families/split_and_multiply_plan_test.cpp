// Plans of kernel 14: operands are split before they are multiplied, from where they lie, into workspace that nothing else
// uses, and all of C is computed once, also in blocks and from parts of K.
#include "unit/multiply_plans.hpp"

#include "engine/explanation.hpp"
#include "select/planner.hpp"
#include "support/error.hpp"
#include "support/opencl.hpp"
#include "support/whole_numbers.hpp"
#include "tuning/derived_tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace clgemm::test {

using namespace core;

namespace {

// The steps of both kinds, read.
struct Split {
    explicit Split(const Step& step)
        : arguments(numbers_of<kernel_arguments::Splitting>(step)), a(step.buffers.at(0), arguments.A),
          b(step.buffers.at(1), arguments.B)
    {
        EXPECT_EQ(step.buffers.size(), 3u);
        EXPECT_EQ(step.buffers.back(), Memory::workspace) << "where the images will be";
    }
    kernel_arguments::Splitting arguments;
    Operand a, b;
};

struct ImageMultiplication : Multiplication {
    explicit ImageMultiplication(const Step& step)
        : ImageMultiplication(step, numbers_of<kernel_arguments::ImageMultiplication>(step))
    {
    }
    ImageMultiplication(const Step& step, const kernel_arguments::ImageMultiplication& of_step)
        : Multiplication(step, of_step.whole), groups(step.groups), image_a(of_step.imageA), image_b(of_step.imageB)
    {
        EXPECT_EQ(step.buffers.size(), 5u);
        EXPECT_EQ(step.buffers.at(3), Memory::workspace) << "where A's image is";
        EXPECT_EQ(step.buffers.at(4), Memory::workspace) << "where B's image is";
    }
    std::array<std::size_t, 3> groups;
    kernel_arguments::Image image_a, image_b;
};

bool same(const kernel_arguments::Image& one, const kernel_arguments::Image& other)
{
    return one.offset == other.offset && one.rows == other.rows && one.ranges == other.ranges;
}

Planned planned(const Arguments& arguments, const Way& way, std::size_t variant = 0)
{
    return test::planned(arguments, "14", way, variant);
}

Planned planned_in_blocks(const Arguments& arguments, const Blocks& blocks, std::size_t variant = 0)
{
    return test::planned(arguments, "14", {}, variant, blocks);
}

// Where an element of op(X) lies in its buffer.
std::uint64_t element(const Matrix& matrix, std::uint64_t row, std::uint64_t col)
{
    return matrix.offset + (matrix.transposed ? row * matrix.ld + col : col * matrix.ld + row);
}

// Where in C a block begins.
struct Place {
    Place(const Multiplication& block, const Matrix& c)
        : row((block.c.offset - c.offset) % c.ld), col((block.c.offset - c.offset) / c.ld)
    {
    }
    std::uint64_t row, col;
};

} // namespace

TEST(TensorPlan, SplitsThenMultipliesThenAddsTheParts)
{
    EXPECT_EQ(purposes(planned(uneven(300, 200, 1000), {}).plan), (Purposes{"split A and B", "multiply"}));
    EXPECT_EQ(purposes(planned(uneven(300, 200, 1000), {.split_k = 4}).plan),
              (Purposes{"split A and B", "multiply", "add the 4 parts of K"}));
    EXPECT_EQ(
        purposes(planned_in_blocks(uneven(300, 200, 1000), Blocks{256, 128}).plan),
        (Purposes{"split A and B", "multiply", "split A", "multiply", "split A and B", "multiply", "split A", "multiply"}));
}

TEST(TensorPlan, BothStepsReadTheOperandsWhereTheyLie)
{
    for (const auto layout : {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR})
        for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS})
            for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
                Arguments x = uneven(300, 200, 100, trans_a, trans_b);
                x.layout = layout;
                x.lda = x.ldb = x.ldc = 333; // enough for either layout
                x.ldb++;
                const Problem problem = make_problem(x);
                const DeviceProfile device = hopper_gpu();
                const Plan plan = test::planned(problem, device, variant_of("14", device), {}, {128, 128}).plan;
                const bool swapped = layout == CLGEMM_ROW_MAJOR;
                for (std::size_t i = 0; i < plan.steps.size(); i += 2) {
                    const Split split(plan.steps[i]);
                    const ImageMultiplication multiply(plan.steps[i + 1]);
                    EXPECT_EQ(multiply.a, split.a);
                    const bool splits_b = split.arguments.N > 0; // else it is the one of the block before
                    if (splits_b) {
                        EXPECT_EQ(multiply.b, split.b);
                    }
                    EXPECT_EQ(split.a.memory, swapped ? Memory::b : Memory::a);
                    EXPECT_EQ(multiply.b.memory, swapped ? Memory::a : Memory::b);
                    const Place place(multiply, problem.c);
                    for (const std::uint64_t row : {0U, 1U, 43U})
                        for (const std::uint64_t k : {0U, 1U, 99U}) {
                            EXPECT_EQ(split.a.element(row, k), element(problem.a, place.row + row, k));
                            EXPECT_EQ(multiply.b.element(k, row), element(problem.b, k, place.col + row));
                        }
                }
            }
}

TEST(TensorPlan, EachProgramIsBuiltAsItMustBe)
{
    for (std::size_t index = 0; index < find_kernel("14")->variants.size(); index++) {
        const auto [problem, variant, plan] = planned(uneven(300, 200, 1000), {.split_k = 2}, index);
        ASSERT_EQ(plan.steps.size(), 3u);
        const Step &split = plan.steps[0], &multiply = plan.steps[1], &add = plan.steps[2];
        EXPECT_EQ(split.source->name, std::string("split"));
        EXPECT_EQ(split.retargeted_local_bytes, 0u) << "it is plain OpenCL";
        EXPECT_EQ(multiply.source->name, std::string("14_tensor_cores"));
        EXPECT_EQ(multiply.options, variant.parameters.options());
        EXPECT_EQ(multiply.retargeted_local_bytes, variant.tiling.retargeted_bytes);
        EXPECT_GT(multiply.retargeted_local_bytes, 48u << 10) << "more than OpenCL gives";
        EXPECT_EQ(add.retargeted_local_bytes, 0u);
    }
}

// Every work-group of `split` takes 128 rows and 32 of K, every one of `multiply` a tile.
TEST(TensorPlan, WorkGroupsCoverImagesAndC)
{
    for (std::size_t index = 0; index < find_kernel("14")->variants.size(); index++)
        for (const std::size_t m : {1U, 128U, 129U, 1000U})
            for (const std::size_t n : {1U, 127U, 128U, 700U})
                for (const std::size_t k : {1U, 32U, 33U, 500U})
                    for (const std::size_t split_k : {1U, 3U}) {
                        const auto [problem, variant, plan] = planned(uneven(m, n, k), {.split_k = split_k}, index);
                        const kernel_arguments::Splitting split = Split(plan.steps[0]).arguments;
                        const Tiling& tile = variant.tiling;
                        EXPECT_EQ(split.imageA.rows, round_up(m, tile.m));
                        EXPECT_EQ(split.imageB.rows, round_up(n, tile.n));
                        EXPECT_EQ(split.groupsA, divide_up(split.imageA.rows, 128));
                        EXPECT_EQ(split.groups, split.groupsA + divide_up(split.imageB.rows, 128));
                        EXPECT_EQ(plan.steps[0].groups, (std::array<std::size_t, 3>{split.groups * divide_up(k, 32), 1, 1}));
                        EXPECT_EQ(plan.steps[0].group_size, (std::array<std::size_t, 2>{256, 1}));

                        const ImageMultiplication multiply(plan.steps[1]);
                        const std::uint64_t part = multiply.arguments.partK;
                        EXPECT_TRUE(same(multiply.image_a, split.imageA) && same(multiply.image_b, split.imageB));
                        EXPECT_EQ(multiply.groups[0], divide_up(m, tile.m));
                        EXPECT_EQ(multiply.groups[1], divide_up(n, tile.n));
                        EXPECT_EQ(part % tile.k, 0u) << "a part begins where a step of the image does";
                        EXPECT_GE(multiply.groups[2] * part, k);
                        EXPECT_LT((multiply.groups[2] - 1) * part, k) << "the last part has nothing to do";
                        EXPECT_EQ(plan.steps[1].group_size, (std::array<std::size_t, 2>{384, 1}));
                        EXPECT_EQ(plan.steps.size(), multiply.groups[2] > 1 ? 3u : 2u);
                    }
}

TEST(TensorPlan, TheWorkspaceHoldsImagesRangesAndSumsSideBySide)
{
    for (std::size_t index = 0; index < find_kernel("14")->variants.size(); index++)
        for (const auto& [way, blocks] :
             {std::pair{Way{}, Blocks{}}, {Way{.split_k = 3}, Blocks{}}, {Way{}, Blocks{320, 256}}})
            for (const std::size_t k : {1U, 33U, 500U}) {
                const Plan plan = test::planned(uneven(1001, 700, k), "14", way, index, blocks).plan;
                const Split split(plan.steps[0]);
                const ImageMultiplication multiply(plan.steps[1]);
                std::map<std::uint64_t, std::uint64_t> areas; // from, to, in floats
                const auto add = [&](std::uint64_t from, std::uint64_t length) {
                    EXPECT_EQ(from % 64, 0u) << "starts at 256 bytes";
                    EXPECT_TRUE(areas.emplace(from, from + length).second) << "two start at the same place";
                };
                for (const kernel_arguments::Image& image : {split.arguments.imageA, split.arguments.imageB}) {
                    add(image.offset, image.rows * divide_up(k, 32) * 32 * 6 / 4);
                    add(image.ranges, divide_up(image.rows, 128) * divide_up(k, 32));
                }
                if (multiply.c.memory == Memory::workspace)
                    add(multiply.c.offset, multiply.groups[2] * multiply.arguments.partC);
                std::uint64_t end = 0;
                for (const auto& [from, to] : areas) {
                    EXPECT_GE(from, end);
                    end = to;
                }
                EXPECT_LE(4 * end, plan.workspace_bytes);
                EXPECT_LT(plan.workspace_bytes, 4 * end + 256);
            }
}

TEST(TensorPlan, OnePartWritesCItselfAndSeveralAreAdded)
{
    const ImageMultiplication alone(planned(uneven(300, 200, 1000), {}).plan.steps.at(1));
    EXPECT_EQ(alone.arguments.alpha, 2.0f);
    EXPECT_EQ(alone.arguments.beta, 0.5f);
    EXPECT_EQ(alone.c, Operand(Memory::c, 7, 1, 304));
    EXPECT_GE(alone.arguments.partK, 1000u);

    const Plan plan = planned(uneven(301, 200, 1000), {.split_k = 4}).plan;
    const ImageMultiplication part(plan.steps.at(1));
    const Step& reduce = plan.steps.at(2);
    EXPECT_EQ(part.arguments.alpha, 1.0f) << "applied once, at the end";
    EXPECT_EQ(part.arguments.beta, 0.0f) << "the sums are not initialised";
    EXPECT_EQ(part.c, Operand(Memory::workspace, part.c.offset, 1, 304)) << "columns at multiples of a vector";
    EXPECT_EQ(part.arguments.partC, 304u * 200);
    EXPECT_EQ(part.arguments.partK, 256u);
    EXPECT_EQ(reduce.buffers, (std::vector{Memory::workspace, Memory::c}));
    EXPECT_EQ(reduce.arguments, ArgumentBytes(kernel_arguments::Reducing{.rows = 301,
                                                                         .columns = 200,
                                                                         .parts = 4,
                                                                         .alpha = 2,
                                                                         .beta = 0.5f,
                                                                         .offsetSums = part.c.offset,
                                                                         .ldSums = 304,
                                                                         .partC = part.arguments.partC,
                                                                         .offsetC = 7,
                                                                         .ldc = 305}));
}

// What the images hold is followed through the steps: each multiplication finds its own operands in them.
TEST(TensorPlan, BlocksCoverCOnceFromImagesOfTheirOwnOperands)
{
    for (const auto& [block_m, block_n] :
         {std::pair<std::size_t, std::size_t>{128, 128}, {256, 384}, {512, 128}, {128, 640}})
        for (const auto trans : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
            const std::size_t m = 500, n = 600;
            const auto [problem, variant, plan] =
                planned_in_blocks(uneven(m, n, 70, trans, trans), {std::min(block_m, m), std::min(block_n, n)});
            std::vector<int> computed(m * n);
            Operand in_image_a(Memory::a, 0, 0, 0), in_image_b = in_image_a;
            std::uint64_t rows_in_image_a = 0, rows_in_image_b = 0;
            kernel_arguments::Image image_a{}, image_b{};
            std::size_t images_of_b = 0;
            for (const auto& step : plan.steps)
                if (step.source->name == std::string("split")) {
                    const Split split(step);
                    in_image_a = split.a;
                    rows_in_image_a = split.arguments.M;
                    image_a = split.arguments.imageA;
                    EXPECT_LE(split.arguments.M, split.arguments.imageA.rows);
                    if (split.arguments.groups == split.arguments.groupsA)
                        continue;
                    images_of_b++;
                    in_image_b = split.b;
                    rows_in_image_b = split.arguments.N;
                    image_b = split.arguments.imageB;
                    EXPECT_LE(split.arguments.N, split.arguments.imageB.rows);
                } else {
                    const ImageMultiplication block(step);
                    EXPECT_EQ(block.a, in_image_a);
                    EXPECT_EQ(block.b, in_image_b);
                    EXPECT_TRUE(same(block.image_a, image_a));
                    EXPECT_TRUE(same(block.image_b, image_b)) << "where it was written, also for the last block";
                    EXPECT_EQ(block.arguments.M, rows_in_image_a);
                    EXPECT_EQ(block.arguments.N, rows_in_image_b);
                    EXPECT_EQ(block.c, Operand(Memory::c, block.c.offset, 1, problem.c.ld));
                    EXPECT_EQ(block.arguments.alpha, 2.0f);
                    EXPECT_EQ(block.arguments.beta, 0.5f);
                    const Place place(block, problem.c);
                    ASSERT_LE(place.row + block.arguments.M, m);
                    ASSERT_LE(place.col + block.arguments.N, n);
                    EXPECT_EQ(block.a.element(0, 0), element(problem.a, place.row, 0));
                    EXPECT_EQ(block.b.element(0, 0), element(problem.b, 0, place.col));
                    for (std::uint64_t i = 0; i < block.arguments.M; i++)
                        for (std::uint64_t j = 0; j < block.arguments.N; j++)
                            computed[(place.col + j) * m + place.row + i]++;
                }
            EXPECT_EQ(std::count(computed.begin(), computed.end(), 1), static_cast<std::ptrdiff_t>(m * n));
            EXPECT_EQ(images_of_b, divide_up(n, block_n)) << "one for each column of blocks";
        }
}

TEST(TensorPlan, OfBlocksTakesTheWorkspaceOfOne)
{
    const auto bytes = [](std::size_t m, std::size_t n, const Blocks& blocks) {
        return planned_in_blocks(uneven(m, n, 1000), blocks).plan.workspace_bytes;
    };
    EXPECT_EQ(bytes(4000, 4000, {1024, 512}), bytes(1024, 512, {}));
    EXPECT_LT(bytes(4000, 4000, {1024, 512}), bytes(4000, 4000, {}) / 4);
}

TEST(TensorPlan, ImagesTooLargeToCountAreAnAllocationFailure)
{
    try {
        planned(arguments(std::size_t{1} << 60, 1, 1), {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
}

TEST(TensorPlan, OfManyBlocksIsExplainedByItsFirstSteps)
{
    const DeviceProfile device = hopper_gpu();
    Planner planner(device, derived_tuning(device));
    const Problem p = problem(4096, 4096, 64);
    const PlannedCall call = planner.plan(p, {.kernel = find_kernel("14"), .workspace_limit = 300'000});
    const std::size_t steps = call.plan.steps.size();
    ASSERT_GT(steps, 100u);
    const std::string more = std::to_string(steps - 8) + " more";
    for (const std::string& text : {explain(p, device, planner.tuning(), call), explain_in_one_line(p, device, call)}) {
        EXPECT_NE(text.find(more), std::string::npos) << text;
        EXPECT_LT(text.size(), 2000u) << text;
    }
}

} // namespace clgemm::test
