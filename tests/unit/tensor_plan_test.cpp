// Plans of kernel 14: operands are split before they are multiplied, from where they lie, into workspace that nothing else
// uses, and all of C is computed once, also in blocks and from parts of K.
#include "made_up.hpp"
#include "purposes.hpp"

#include "api/explanation.hpp"
#include "plan/plan.hpp"
#include "select/tensor_blocks.hpp"
#include "support/arithmetic.hpp"
#include "support/error.hpp"
#include "tuning/derived_tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// A step's arguments, read in the order of its kernel's parameters.
class Reader {
public:
    explicit Reader(const Step& step) : step_(step) {}
    ~Reader() { EXPECT_EQ(next_, step_.arguments.size()) << step_.purpose << " has more arguments than its kernel"; }

    std::uint64_t number() { return std::get<std::uint64_t>(step_.arguments.at(next_++)); }
    float scalar() { return std::get<float>(step_.arguments.at(next_++)); }
    Memory memory() { return std::get<Memory>(step_.arguments.at(next_++)); }

private:
    const Step& step_;
    std::size_t next_ = 0;
};

struct Operand {
    Memory memory;
    std::uint64_t offset, stride, stride_k;
    bool operator==(const Operand&) const = default;
};

struct Image {
    std::uint64_t offset, rows, ranges;
};

struct Split {
    explicit Split(const Step& step)
    {
        Reader reader(step);
        m = reader.number();
        n = reader.number();
        k = reader.number();
        a = {reader.memory(), reader.number(), reader.number(), reader.number()};
        b = {reader.memory(), reader.number(), reader.number(), reader.number()};
        workspace = reader.memory();
        image_a.offset = reader.number();
        image_a.rows = reader.number();
        image_b.offset = reader.number();
        image_b.rows = reader.number();
        image_a.ranges = reader.number();
        image_b.ranges = reader.number();
        groups_a = reader.number();
        groups = reader.number();
    }
    std::uint64_t m, n, k;
    Operand a{}, b{};
    Memory workspace;
    Image image_a{}, image_b{};
    std::uint64_t groups_a, groups;
};

struct Multiplication {
    explicit Multiplication(const Step& step) : groups(step.groups)
    {
        Reader reader(step);
        m = reader.number();
        n = reader.number();
        k = reader.number();
        alpha = reader.scalar();
        a = {reader.memory(), reader.number(), reader.number(), reader.number()};
        b = {reader.memory(), reader.number(), reader.number(), reader.number()};
        beta = reader.scalar();
        c = reader.memory();
        offset_c = reader.number();
        ldc = reader.number();
        part = reader.number();
        stride = reader.number();
        workspace = reader.memory();
        image_a.offset = reader.number();
        image_a.rows = reader.number();
        image_b.offset = reader.number();
        image_b.rows = reader.number();
        image_a.ranges = reader.number();
        image_b.ranges = reader.number();
    }
    std::array<std::size_t, 3> groups;
    std::uint64_t m, n, k;
    float alpha, beta;
    Operand a{}, b{};
    Memory c, workspace;
    std::uint64_t offset_c, ldc, part, stride;
    Image image_a{}, image_b{};
};

struct Planned {
    Problem problem;
    Selection selection;
    Plan plan;
};

Planned planned(const Arguments& arguments, const Way& way, std::size_t variant = 0)
{
    const KernelInfo& kernel = *find_kernel("14");
    Planned result{make_problem(arguments), selection_of(kernel, kernel.variants[variant], hopper_gpu(), ""), {}};
    result.selection.way = way;
    result.plan = plan_multiply(result.problem, hopper_gpu(), result.selection);
    return result;
}

Way in_parts(std::size_t splits)
{
    return {false, false, splits, false};
}

Way in_blocks(std::size_t m, std::size_t n)
{
    return {false, false, 1, false, m, n};
}

// Where an element of op(X) lies in its buffer: by the matrix, and by an operand.
std::uint64_t element(const Matrix& matrix, std::uint64_t row, std::uint64_t col)
{
    return matrix.offset + (matrix.transposed ? row * matrix.ld + col : col * matrix.ld + row);
}

std::uint64_t element(const Operand& operand, std::uint64_t row, std::uint64_t k)
{
    return operand.offset + row * operand.stride + k * operand.stride_k;
}

} // namespace

TEST(TensorPlan, SplitsThenMultipliesThenAddsTheParts)
{
    EXPECT_EQ(purposes(planned(uneven(300, 200, 1000), {}).plan), (Purposes{"split A and B", "multiply"}));
    EXPECT_EQ(purposes(planned(uneven(300, 200, 1000), in_parts(4)).plan),
              (Purposes{"split A and B", "multiply", "add the 4 parts of K"}));
    EXPECT_EQ(
        purposes(planned(uneven(300, 200, 1000), in_blocks(256, 128)).plan),
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
                const auto [problem, selection, plan] = planned(x, in_blocks(128, 128));
                for (std::size_t i = 0; i < plan.steps.size(); i += 2) {
                    const Split split(plan.steps[i]);
                    const Multiplication multiply(plan.steps[i + 1]);
                    EXPECT_EQ(multiply.a, split.a);
                    EXPECT_EQ(multiply.b, split.b);
                    EXPECT_EQ(split.a.memory, Memory::a);
                    EXPECT_EQ(split.b.memory, Memory::b);
                    const std::uint64_t m0 = (multiply.offset_c - problem.c.offset) % problem.c.ld;
                    const std::uint64_t n0 = (multiply.offset_c - problem.c.offset) / problem.c.ld;
                    for (const std::uint64_t row : {0, 1, 43})
                        for (const std::uint64_t k : {0, 1, 99}) {
                            EXPECT_EQ(element(split.a, row, k), element(problem.a, m0 + row, k));
                            EXPECT_EQ(element(split.b, row, k), element(problem.b, k, n0 + row));
                        }
                }
            }
}

TEST(TensorPlan, EachProgramIsBuiltAsItMustBe)
{
    for (std::size_t variant = 0; variant < find_kernel("14")->variants.size(); variant++) {
        const auto [problem, selection, plan] = planned(uneven(300, 200, 1000), in_parts(2), variant);
        ASSERT_EQ(plan.steps.size(), 3u);
        const Step &split = plan.steps[0], &multiply = plan.steps[1], &add = plan.steps[2];
        EXPECT_EQ(split.source->name, std::string("split"));
        EXPECT_EQ(split.retargeted_local_bytes, 0u) << "it is plain OpenCL";
        EXPECT_EQ(multiply.source->name, std::string("14_tensor_cores"));
        EXPECT_EQ(multiply.options, selection.parameters.options());
        EXPECT_EQ(multiply.retargeted_local_bytes, selection.tiling.retargeted_bytes);
        EXPECT_GT(multiply.retargeted_local_bytes, 48u << 10) << "more than OpenCL gives";
        EXPECT_EQ(add.retargeted_local_bytes, 0u);
    }
}

// Every work-group of `split` takes 128 rows and 32 of K, every one of `multiply` a tile.
TEST(TensorPlan, WorkGroupsCoverImagesAndC)
{
    for (std::size_t variant = 0; variant < find_kernel("14")->variants.size(); variant++)
        for (const std::size_t m : {1, 128, 129, 1000})
            for (const std::size_t n : {1, 127, 128, 700})
                for (const std::size_t k : {1, 32, 33, 500})
                    for (const std::size_t splits : {1, 3}) {
                        const auto [problem, selection, plan] = planned(uneven(m, n, k), in_parts(splits), variant);
                        const Split split(plan.steps[0]);
                        const Tiling& tile = selection.tiling;
                        EXPECT_EQ(split.image_a.rows, round_up(m, tile.m));
                        EXPECT_EQ(split.image_b.rows, round_up(n, tile.n));
                        EXPECT_EQ(split.groups_a, divide_up(split.image_a.rows, 128));
                        EXPECT_EQ(split.groups, split.groups_a + divide_up(split.image_b.rows, 128));
                        EXPECT_EQ(plan.steps[0].groups, (std::array<std::size_t, 3>{split.groups * divide_up(k, 32), 1, 1}));
                        EXPECT_EQ(plan.steps[0].group_size, (std::array<std::size_t, 2>{256, 1}));

                        const Multiplication multiply(plan.steps[1]);
                        EXPECT_EQ(multiply.groups[0], divide_up(m, tile.m));
                        EXPECT_EQ(multiply.groups[1], divide_up(n, tile.n));
                        EXPECT_EQ(multiply.part % tile.k, 0u) << "a part begins where a step of the image does";
                        EXPECT_GE(multiply.groups[2] * multiply.part, k);
                        EXPECT_LT((multiply.groups[2] - 1) * multiply.part, k) << "the last part has nothing to do";
                        EXPECT_EQ(plan.steps[1].group_size, (std::array<std::size_t, 2>{384, 1}));
                        EXPECT_EQ(plan.steps.size(), multiply.groups[2] > 1 ? 3u : 2u);
                    }
}

TEST(TensorPlan, TheWorkspaceHoldsImagesRangesAndSumsSideBySide)
{
    for (std::size_t variant = 0; variant < find_kernel("14")->variants.size(); variant++)
        for (const auto& way : {Way{}, in_parts(3), in_blocks(320, 256)})
            for (const std::size_t k : {1, 33, 500}) {
                const auto [problem, selection, plan] = planned(uneven(1001, 700, k), way, variant);
                const Split split(plan.steps[0]);
                const Multiplication multiply(plan.steps[1]);
                std::map<std::uint64_t, std::uint64_t> areas; // from, to, in floats
                const auto add = [&](std::uint64_t from, std::uint64_t length) {
                    EXPECT_EQ(from % 64, 0u) << "starts at 256 bytes";
                    EXPECT_TRUE(areas.emplace(from, from + length).second) << "two start at the same place";
                };
                for (const Image& image : {split.image_a, split.image_b}) {
                    add(image.offset, image.rows * divide_up(k, 32) * 32 * 6 / 4);
                    add(image.ranges, divide_up(image.rows, 128) * divide_up(k, 32));
                }
                if (multiply.c == Memory::workspace)
                    add(multiply.offset_c, multiply.groups[2] * multiply.stride);
                std::uint64_t end = 0;
                for (const auto& [from, to] : areas) {
                    EXPECT_GE(from, end);
                    end = to;
                }
                EXPECT_LE(4 * end, plan.workspace_bytes);
                EXPECT_LT(plan.workspace_bytes, 4 * end + 256);
                EXPECT_EQ(split.workspace, Memory::workspace);
                EXPECT_EQ(multiply.workspace, Memory::workspace);
            }
}

TEST(TensorPlan, OnePartWritesCItselfAndSeveralAreAdded)
{
    const Multiplication alone(planned(uneven(300, 200, 1000), {}).plan.steps.at(1));
    EXPECT_EQ(alone.alpha, 2.0f);
    EXPECT_EQ(alone.beta, 0.5f);
    EXPECT_EQ(alone.c, Memory::c);
    EXPECT_EQ(alone.offset_c, 7u);
    EXPECT_EQ(alone.ldc, 304u);
    EXPECT_GE(alone.part, 1000u);

    const Plan plan = planned(uneven(301, 200, 1000), in_parts(4)).plan;
    const Multiplication part(plan.steps.at(1));
    EXPECT_EQ(part.alpha, 1.0f) << "applied once, at the end";
    EXPECT_EQ(part.beta, 0.0f) << "the sums are not initialised";
    EXPECT_EQ(part.c, Memory::workspace);
    EXPECT_EQ(part.ldc, 304u) << "columns at multiples of a vector";
    EXPECT_EQ(part.stride, 304u * 200);
    EXPECT_EQ(part.part, 256u);
    const std::vector<StepArgument> expected{
        std::uint64_t{301}, std::uint64_t{200}, std::uint64_t{4}, 2.0f, Memory::workspace,
        part.offset_c,      part.ldc,           part.stride,      0.5f, Memory::c,
        std::uint64_t{7},   std::uint64_t{305}};
    EXPECT_EQ(plan.steps.at(2).arguments, expected);
}

// What the images hold is followed through the steps: each multiplication finds its own operands in them.
TEST(TensorPlan, BlocksCoverCOnceFromImagesOfTheirOwnOperands)
{
    for (const auto& [block_m, block_n] :
         {std::pair<std::size_t, std::size_t>{128, 128}, {256, 384}, {512, 128}, {128, 640}})
        for (const auto trans : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
            const std::size_t m = 500, n = 600;
            const auto [problem, selection, plan] =
                planned(uneven(m, n, 70, trans, trans), in_blocks(std::min(block_m, m), std::min(block_n, n)));
            std::vector<int> computed(m * n);
            Operand in_image_a{}, in_image_b{};
            std::uint64_t rows_in_image_a = 0, rows_in_image_b = 0;
            std::size_t images_of_b = 0;
            for (const auto& step : plan.steps)
                if (step.source->name == std::string("split")) {
                    const Split split(step);
                    in_image_a = split.a;
                    rows_in_image_a = split.m;
                    EXPECT_LE(split.m, split.image_a.rows);
                    if (split.groups == split.groups_a)
                        continue;
                    images_of_b++;
                    in_image_b = split.b;
                    rows_in_image_b = split.n;
                    EXPECT_LE(split.n, split.image_b.rows);
                } else {
                    const Multiplication block(step);
                    EXPECT_EQ(block.a, in_image_a);
                    EXPECT_EQ(block.b, in_image_b);
                    EXPECT_EQ(block.m, rows_in_image_a);
                    EXPECT_EQ(block.n, rows_in_image_b);
                    EXPECT_EQ(block.c, Memory::c);
                    EXPECT_EQ(block.alpha, 2.0f);
                    EXPECT_EQ(block.beta, 0.5f);
                    const std::uint64_t at = block.offset_c - problem.c.offset;
                    const std::uint64_t m0 = at % problem.c.ld, n0 = at / problem.c.ld;
                    ASSERT_LE(m0 + block.m, m);
                    ASSERT_LE(n0 + block.n, n);
                    EXPECT_EQ(element(block.a, 0, 0), element(problem.a, m0, 0));
                    EXPECT_EQ(element(block.b, 0, 0), element(problem.b, 0, n0));
                    for (std::uint64_t i = 0; i < block.m; i++)
                        for (std::uint64_t j = 0; j < block.n; j++)
                            computed[(n0 + j) * m + m0 + i]++;
                }
            EXPECT_EQ(std::count(computed.begin(), computed.end(), 1), static_cast<std::ptrdiff_t>(m * n));
            EXPECT_EQ(images_of_b, divide_up(n, block_n)) << "one for each column of blocks";
        }
}

TEST(TensorPlan, OfBlocksTakesTheWorkspaceOfOne)
{
    const Tiling tile = find_kernel("14")->tiling(find_kernel("14")->variants[0]);
    const auto bytes = [&](const Way& way) { return planned(uneven(4000, 4000, 1000), way).plan.workspace_bytes; };
    EXPECT_LE(static_cast<double>(bytes(in_blocks(1024, 512))), tensor_bytes({1024, 512}, 1000, tile));
    EXPECT_LT(bytes(in_blocks(1024, 512)), bytes({}) / 4);
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
    Decider decider(device, derived_tuning(device));
    const Problem p = problem(4096, 4096, 64);
    const Decision decision = *decider.decide(p, {find_kernel("14"), false, 300'000});
    const std::size_t steps = decision.plan.steps.size();
    ASSERT_GT(steps, 100u);
    const std::string more = std::to_string(steps - 8) + " more";
    for (const std::string& text : {explain(p, device, decision), explain_in_one_line(p, device, decision)}) {
        EXPECT_NE(text.find(more), std::string::npos) << text;
        EXPECT_LT(text.size(), 2000u) << text;
    }
}
