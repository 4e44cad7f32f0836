// Plan: helper steps where a kernel needs them and nowhere else, geometry that covers everything, workspace without overlap.
#include "made_up_tuning.hpp"
#include "multiply_plans.hpp"

#include "plan/plan_builder.hpp"
#include "support/error.hpp"
#include "support/opencl.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace clgemm::test {

using namespace core;

namespace {

Plan made_plan(const Problem& problem, const char* kernel)
{
    const DeviceProfile device = hopper_gpu();
    const Selection selection = select(problem, device, Tuning{}, {find_kernel(kernel)});
    return plan_of(problem, device, selection.variant, selection.way, selection.blocks);
}

} // namespace

TEST(Plan, WhatAKernelTakesCostsNoStep)
{
    EXPECT_EQ(purposes(made_plan(problem(100, 101, 103, CLGEMM_TRANS, CLGEMM_TRANS), "01_naive")), Purposes{"multiply"});
    EXPECT_EQ(purposes(made_plan(problem(128, 256, 64), "02_tiled")), Purposes{"multiply"});
    EXPECT_EQ(purposes(made_plan(problem(256, 512, 64, CLGEMM_NO_TRANS, CLGEMM_TRANS), "09_prefetch")),
              Purposes{"multiply"});
    EXPECT_EQ(purposes(made_plan(problem(256, 512, 64, CLGEMM_TRANS, CLGEMM_NO_TRANS), "11_vector_dot")),
              Purposes{"multiply"});
    EXPECT_EQ(made_plan(problem(128, 256, 64), "02_tiled").workspace_bytes, 0u);
}

TEST(Plan, OnlyTheOperandThatDoesNotFitIsCopied)
{
    EXPECT_EQ(purposes(made_plan(problem(256, 512, 64), "09_prefetch")), (Purposes{"transpose B", "multiply"}));
    EXPECT_EQ(purposes(made_plan(problem(256, 512, 64, CLGEMM_TRANS, CLGEMM_TRANS), "09_prefetch")),
              (Purposes{"transpose A", "multiply"}));
    // M is incomplete: A and C are affected, B is not, and kernel 9 stores incomplete tiles of C itself.
    EXPECT_EQ(purposes(made_plan(problem(257, 512, 64, CLGEMM_NO_TRANS, CLGEMM_TRANS), "09_prefetch")),
              (Purposes{"pad A", "multiply"}));
    EXPECT_EQ(purposes(made_plan(problem(257, 512, 64, CLGEMM_NO_TRANS, CLGEMM_TRANS), "10_incomplete_tiles")),
              (Purposes{"pad A", "multiply", "unpad C"}));
}

TEST(Plan, PaddingAndTransposingAreOneStep)
{
    EXPECT_EQ(purposes(made_plan(problem(100, 101, 103, CLGEMM_TRANS), "10_incomplete_tiles")),
              (Purposes{"transpose A", "transpose B", "multiply", "unpad C"}));
}

TEST(Plan, UnalignedOperandsOfVectorKernelsAreCopied)
{
    Arguments x = arguments(256, 512, 64, CLGEMM_NO_TRANS, CLGEMM_TRANS);
    x.offset_a = 2;
    EXPECT_EQ(purposes(made_plan(make_problem(x), "07_wide_loads")), (Purposes{"pad A", "multiply"}));
    EXPECT_EQ(purposes(made_plan(make_problem(x), "06_register_blocking")), Purposes{"multiply"}) << "loads single floats";
    x.offset_a = 4;
    EXPECT_EQ(purposes(made_plan(make_problem(x), "07_wide_loads")), Purposes{"multiply"});
    x.ldb = 513;
    EXPECT_EQ(purposes(made_plan(make_problem(x), "07_wide_loads")), (Purposes{"pad B", "multiply"}));
}

TEST(Plan, Kernel13IsToldWhichOperandsAreAligned)
{
    const auto options = [](const Arguments& x) { return made_plan(make_problem(x), "13_warp_tiled").steps.at(0).options; };
    Arguments x = arguments(101, 104, 52, CLGEMM_NO_TRANS, CLGEMM_TRANS);
    EXPECT_NE(options(x).find("-DTRANS_A=0 -DTRANS_B=1 -DWIDTH_A=1 -DWIDTH_B=4"), std::string::npos) << options(x);
    x.lda = 104;
    x.offset_b = 1;
    EXPECT_NE(options(x).find("-DTRANS_A=0 -DTRANS_B=1 -DWIDTH_A=1 -DWIDTH_B=1"), std::string::npos)
        << "101 rows are no whole vectors: " << options(x);
    x.m = 100;
    EXPECT_NE(options(x).find("-DTRANS_A=0 -DTRANS_B=1 -DWIDTH_A=4 -DWIDTH_B=1"), std::string::npos) << options(x);
    x = arguments(104, 104, 104, CLGEMM_TRANS, CLGEMM_NO_TRANS);
    EXPECT_NE(options(x).find("-DTRANS_A=1 -DTRANS_B=0 -DWIDTH_A=1 -DWIDTH_B=1"), std::string::npos)
        << "memory runs along K";
}

// Where C's columns are aligned, the last tile is stored in fours, too, but for the last rows. That needs a program of its
// own.
TEST(Plan, Kernel13IsToldWhereItsLastTileIsToEndWithAFour)
{
    const DeviceProfile device = hopper_gpu();
    const KernelInfo& kernel = *find_kernel("13");
    const auto is_ragged = [&](const Arguments& x, std::size_t parts = 1, std::size_t staged = 1) {
        Variant variant = with_device_features(variant_of(kernel, kernel.variants.front()), device);
        variant.parameters = variant.parameters.with("STAGED", staged);
        return has_option(planned(make_problem(x), device, variant, {.split_k = parts}).plan.steps.front(), "RAGGED_M=1");
    };
    for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
        Arguments x = arguments(502, 104, 4000, trans_a, CLGEMM_NO_TRANS);
        x.ldc = 504;
        EXPECT_TRUE(is_ragged(x));
        EXPECT_FALSE(is_ragged(x, 1, 0)) << "on a CPU";
        x.m = 500;
        EXPECT_FALSE(is_ragged(x));
        x.m = x.ldc = 502;
        EXPECT_FALSE(is_ragged(x)) << "no column but the first is aligned";
        EXPECT_TRUE(is_ragged(x, 4)) << "those of the sums of parts are";
        x.m = 2;
        EXPECT_TRUE(is_ragged(x, 4)) << "fewer rows than a tile has";
    }
    Arguments copied = arguments(502, 104, 4000, CLGEMM_TRANS, CLGEMM_NO_TRANS);
    const Variant first = with_device_features(variant_of(kernel, kernel.variants.front()), device);
    const Plan plan = planned(make_problem(copied), device, first, {.form = 1, .split_k = 4}).plan;
    ASSERT_EQ(plan.steps.size(), 3u) << "a copy, the multiplication, and the sum of its parts";
    EXPECT_TRUE(has_option(plan.steps[1], "WIDTH_A=4")) << "A is copied by fours then";
    EXPECT_FALSE(has_option(plan.steps[1], "RAGGED_M=1"));
    Arguments padded = arguments(501, 104, 4000, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS);
    padded.lda = padded.ldc = 504;
    EXPECT_TRUE(is_ragged(padded));
}

// Places beyond the matrix have addresses, too.
TEST(Plan, KernelsThatCopyWantEvenASingleRunsLeadingDimensionAligned)
{
    for (const auto* kernel : {"13", "20"})
        for (const std::size_t ldb : {36U, 38U, 35U}) {
            Arguments x = arguments(64, 32, 1, CLGEMM_NO_TRANS, CLGEMM_TRANS);
            x.ldb = ldb;
            const std::string width = ldb % 4 == 0 ? "4" : ldb % 2 == 0 ? "2" : "1";
            const Plan plan = made_plan(make_problem(x), kernel);
            EXPECT_TRUE(has_option(plan.steps.front(), "WIDTH_B=" + width)) << kernel << ", " << plan.steps.front().options;
        }
}

// A program of its own reads several elements of C before it stores the first one. It would not pay where K is deep, and
// where parts of K are added it is the sum of them that reads C.
TEST(Plan, KernelsReadCFirstWhereBetaIsNotZeroAndKIsNotDeep)
{
    const DeviceProfile device = hopper_gpu();
    const auto reads_c = [&](const char* kernel, std::size_t k, float beta, const Way& way = {},
                             clgemm_math math = CLGEMM_MATH_STRICT, bool listed = false) {
        Arguments x = arguments(300, 300, k);
        x.beta = beta;
        x.arithmetic.accuracy = math;
        if (listed)
            x.batch = {3, true};
        const Plan plan = plan_of(make_problem(x), device, with_device_features(first_variant(kernel), device), way);
        return has_option(plan.steps.front(), "READS_C=1");
    };
    for (const char* const kernel : {"13_warp_tiled", "shallow"}) {
        EXPECT_TRUE(reads_c(kernel, 16, 1.0f)) << kernel;
        EXPECT_TRUE(reads_c(kernel, 16, -0.5f)) << kernel;
        EXPECT_FALSE(reads_c(kernel, 16, 0.0f)) << kernel;
        EXPECT_FALSE(reads_c(kernel, 16, 1.0f, {}, CLGEMM_MATH_STRICT, true)) << kernel << ": each product has a beta";
        EXPECT_FALSE(reads_c(kernel, 16, 1.0f, {}, CLGEMM_MATH_REPRODUCIBLE)) << kernel;
    }
    EXPECT_TRUE(reads_c("13_warp_tiled", 512, 1.0f));
    EXPECT_FALSE(reads_c("13_warp_tiled", 513, 1.0f));
    EXPECT_FALSE(reads_c("13_warp_tiled", 512, 1.0f, {.split_k = 2}));
}

TEST(Plan, BetaIsAppliedOnce)
{
    Arguments x = arguments(100, 100, 100);
    x.beta = 0.5f;
    const Plan whole = made_plan(make_problem(x), "09_prefetch");
    EXPECT_EQ(numbers_of<kernel_arguments::Multiplication>(whole.steps.back()).beta, 0.5f);
    const Plan padded = made_plan(make_problem(x), "10_incomplete_tiles");
    const auto& multiply = padded.steps[padded.steps.size() - 2];
    EXPECT_EQ(multiply.purpose, "multiply");
    EXPECT_EQ(numbers_of<kernel_arguments::Multiplication>(multiply).beta, 0.0f) << "the padded C is not initialised";
    EXPECT_EQ(numbers_of<kernel_arguments::Unpadding>(padded.steps.back()).beta, 0.5f);
}

TEST(Plan, LaunchesCoverTheWholeProblem)
{
    for (const auto& kernel : kernels()) {
        const Problem p = asked_of(kernel, problem(1000, 333, 77));
        const DeviceProfile device = large_device_for(kernel);
        const Selection selection = select(p, device, Tuning{}, {&kernel});
        const Plan plan = plan_of(p, device, selection.variant, selection.way, selection.blocks);
        const Tiling& tiling = selection.variant.tiling;
        for (const auto& step : plan.steps) {
            EXPECT_GT(step.groups[0] * step.groups[1], 0u);
            EXPECT_LE(step.group_size[0] * step.group_size[1], device.max_work_group_size);
            const bool has_blocks = // of its own, whatever its tiling
                kernel.family->probing().in_blocks || step.arguments.size() == sizeof(kernel_arguments::SmallProducts);
            if (step.purpose == "multiply" && !has_blocks) {
                EXPECT_GE(step.groups[0] * tiling.m, p.m);
                EXPECT_LT((step.groups[0] - 1) * tiling.m, p.m);
                EXPECT_GE(step.groups[1] * tiling.n, p.n);
                EXPECT_LT((step.groups[1] - 1) * tiling.n, p.n);
            }
        }
    }
}

TEST(Plan, WorkspaceMatricesDoNotOverlap)
{
    const Plan plan = made_plan(problem(100, 200, 300, CLGEMM_TRANS), "10_incomplete_tiles");
    ASSERT_EQ(plan.steps.size(), 4u);
    const Multiplication multiply(plan.steps[2]);
    EXPECT_EQ(multiply.a.memory, Memory::workspace);
    EXPECT_EQ(multiply.b.memory, Memory::workspace);
    EXPECT_EQ(multiply.c.memory, Memory::workspace);
    // A and C run along M, B along N.
    const std::uint64_t end_a = multiply.a.offset + multiply.a.column * multiply.arguments.K;
    const std::uint64_t end_b = multiply.b.offset + multiply.b.row * multiply.arguments.K;
    const std::uint64_t end_c = multiply.c.offset + multiply.c.column * multiply.arguments.N;
    EXPECT_GE(multiply.a.column, multiply.arguments.M);
    EXPECT_GE(multiply.b.row, multiply.arguments.N);
    EXPECT_GE(multiply.c.column, multiply.arguments.M);
    EXPECT_LE(end_a, multiply.b.offset);
    EXPECT_LE(end_b, multiply.c.offset);
    EXPECT_LE(end_c * sizeof(float), plan.workspace_bytes);
    EXPECT_LT(plan.workspace_bytes, end_c * sizeof(float) + 256) << "no more than the last matrix's alignment is wasted";
}

TEST(Plan, ProductsOfABatchAreWorkGroupsOfDimension2WhereNothingIsCopiedAndKIsWhole)
{
    Problem batch = make_problem(uneven(CLGEMM_NO_TRANS, CLGEMM_TRANS));
    batch.batch.count = 70'000;
    batch.a.distance = 1'000'000;
    batch.b.distance = 0;
    batch.c.distance = 2'000'000;
    const Variant variant =
        with_device_features(variant_of(*find_kernel("13"), find_kernel("13")->variants.front()), hopper_gpu());
    const Plan plan = plan_of(batch, hopper_gpu(), variant, {});
    ASSERT_EQ(purposes(plan), (Purposes{"multiply", "multiply"})) << "no more than 65535 at once";
    const auto arguments = plan.steps[0].arguments.as<kernel_arguments::Multiplication>();
    EXPECT_EQ(plan.steps[0].groups[2], 65535u);
    EXPECT_EQ(plan.steps[1].groups[2], 70'000u - 65535);
    EXPECT_GE(arguments.partK, batch.k);
    EXPECT_EQ(arguments.nextK, 0u);
    EXPECT_EQ(arguments.partA, 1'000'000u);
    EXPECT_EQ(arguments.partB, 0u);
    EXPECT_EQ(arguments.partC, 2'000'000u);
    EXPECT_EQ(arguments.alpha, batch.alpha);
    EXPECT_EQ(plan.steps[1].arguments.as<kernel_arguments::Multiplication>().C.offset,
              batch.c.offset + 65535 * 2'000'000ULL);

    batch.batch.count = 3;
    EXPECT_EQ(plan_of(batch, hopper_gpu(), variant, {.split_k = 3}).steps.size(), 6u) << "parts of K take that dimension";
}

TEST(Plan, PartsOfKAreWorkGroupsOfDimension2AndAreAdded)
{
    const auto [problem, variant, plan] = planned(uneven(CLGEMM_NO_TRANS, CLGEMM_TRANS), "13", {.split_k = 3});
    ASSERT_EQ(purposes(plan), (Purposes{"multiply", "add the 3 parts of K"}));
    const Step &step = plan.steps[0], &reduce = plan.steps[1];
    const Multiplication multiply(step);

    EXPECT_EQ(step.groups, (std::array<std::size_t, 3>{2, 2, 3}));
    EXPECT_EQ(multiply.arguments.K, 1003u);
    EXPECT_EQ(multiply.arguments.partK, 336u) << "a third of 1003, in whole steps of 16";
    EXPECT_EQ(multiply.arguments.nextK, 336u);
    EXPECT_EQ(multiply.arguments.partA, 336 * problem.a.col_stride());
    EXPECT_EQ(multiply.arguments.partB, 336 * problem.b.row_stride());
    EXPECT_EQ(multiply.arguments.alpha, 1.0f) << "applied once, at the end";
    EXPECT_EQ(multiply.arguments.beta, 0.0f) << "the sums are not initialised";
    EXPECT_EQ(multiply.c.memory, Memory::workspace);
    EXPECT_EQ(multiply.c.row, 1u);
    EXPECT_EQ(multiply.c.column, 204u) << "columns at multiples of a vector";
    EXPECT_EQ(multiply.arguments.partC, 204u * 131) << "one sum after the other";
    EXPECT_GE(plan.workspace_bytes, 3 * multiply.arguments.partC * sizeof(float));
    EXPECT_FALSE(step.writes_c());

    EXPECT_EQ(reduce.function, std::string("reduce"));
    EXPECT_EQ(reduce.buffers, (std::vector{Memory::workspace, Memory::c}));
    EXPECT_EQ(reduce.arguments, ArgumentBytes(kernel_arguments::Reducing{.rows = 202,
                                                                         .columns = 131,
                                                                         .parts = 3,
                                                                         .alpha = 2,
                                                                         .beta = 0.5f,
                                                                         .offsetSums = multiply.c.offset,
                                                                         .ldSums = multiply.c.column,
                                                                         .partC = multiply.arguments.partC,
                                                                         .offsetC = 7,
                                                                         .ldc = 206}));
    EXPECT_GE(reduce.groups[0] * reduce.group_size[0], 202u);
    EXPECT_GE(reduce.groups[1] * reduce.group_size[1] * 4, 131u) << "four columns for each work-item";
    EXPECT_EQ(reduce.groups[2], 1u);
}

TEST(Plan, ManyPartsAreAddedBySeveralWorkItemsForEachElement)
{
    for (const auto& [parts, sharers] :
         {std::pair<std::size_t, std::size_t>{5, 1}, {15, 1}, {16, 2}, {32, 4}, {64, 8}, {128, 8}}) {
        const auto plan = planned(arguments(202, 131, 16 * parts), "13", {.split_k = parts}).plan;
        ASSERT_EQ(plan.steps.size(), 2u);
        const Step &multiply = plan.steps[0], &reduce = plan.steps[1];
        EXPECT_EQ(multiply.groups[2], parts);
        EXPECT_TRUE(has_option(reduce, "SHARERS=" + std::to_string(sharers))) << reduce.options;
        EXPECT_EQ(reduce.group_size[1] % sharers, 0u);
        EXPECT_GE(reduce.groups[1] * reduce.group_size[1] / sharers, 131u) << "columns of C";
        EXPECT_LT((reduce.groups[1] - 1) * reduce.group_size[1] / sharers, 131u);
    }
}

TEST(Plan, FewPartsAreAddedForSeveralElementsByEachWorkItem)
{
    struct Case {
        std::size_t parts, at_once, each;
    };
    for (const Case& c : {Case{2, 2, 4}, {3, 4, 4}, {4, 4, 4}, {5, 8, 1}, {15, 8, 1}}) {
        const auto plan = planned(arguments(202, 131, 16 * c.parts), "13", {.split_k = c.parts}).plan;
        const Step& reduce = plan.steps[1];
        EXPECT_TRUE(has_option(reduce, "AT_ONCE=" + std::to_string(c.at_once))) << c.parts << reduce.options;
        EXPECT_TRUE(has_option(reduce, "EACH=" + std::to_string(c.each))) << c.parts << reduce.options;
        EXPECT_GE(reduce.groups[1] * reduce.group_size[1] * c.each, 131u) << "columns of C";
        EXPECT_LT((reduce.groups[1] - 1) * reduce.group_size[1] * c.each, 131u);
    }
}

TEST(Plan, OnePartOfKWritesCItself)
{
    for (const auto* kernel : {"13", "15", "20"}) {
        const auto [problem, variant, plan] = planned(uneven(CLGEMM_TRANS, CLGEMM_NO_TRANS), kernel, {});
        ASSERT_EQ(purposes(plan), Purposes{"multiply"}) << kernel;
        EXPECT_EQ(plan.steps[0].groups[2], 1u);
        const Multiplication multiply(plan.steps[0]);
        EXPECT_EQ(multiply.arguments.alpha, 2.0f);
        EXPECT_EQ(multiply.arguments.beta, 0.5f);
        EXPECT_EQ(multiply.c, Operand(Memory::c, 7, 1, 206));
        EXPECT_GE(multiply.arguments.partK, problem.k) << "the one part is all of K";
        EXPECT_EQ(multiply.arguments.partC, 0u);
        EXPECT_EQ(plan.workspace_bytes, 0u);
    }
}

TEST(Plan, PartsOfKCoverItAndNoneIsEmpty)
{
    for (const auto* kernel : {"13", "15", "20"})
        for (const std::size_t k : {1U, 15U, 16U, 17U, 31U, 33U, 100U, 1003U, 5000U})
            for (const std::size_t split_k : {1U, 2U, 3U, 7U, 128U}) {
                const Arguments x = arguments(100, 1, k, CLGEMM_NO_TRANS, CLGEMM_TRANS);
                const auto [problem, variant, plan] = planned(x, kernel, {.split_k = split_k});
                const std::uint64_t part = Multiplication(plan.steps[0]).arguments.partK;
                const std::size_t parts = plan.steps[0].groups[2];
                EXPECT_EQ(part % variant.tiling.k, 0u);
                EXPECT_LE(parts, split_k);
                EXPECT_GE(parts * part, k);
                EXPECT_LT((parts - 1) * part, k) << "the last part has nothing to do";
                EXPECT_EQ(plan.steps.size(), parts > 1 ? 2u : 1u);
            }
}

TEST(Plan, CopiesRunAlongColumnsPaddedToVectors)
{
    struct Case {
        clgemm_transpose trans_a, trans_b;
        Way way;
        Purposes expected;
    };
    const auto n = CLGEMM_NO_TRANS, t = CLGEMM_TRANS;
    const Way copy_a{.form = copy_of_a}, copy_b{.form = copy_of_b}, copy_both{.form = copy_of_both};
    Way in_two_parts = copy_both;
    in_two_parts.split_k = 2;
    for (const auto& [trans_a, trans_b, way, expected] :
         {Case{t, n, copy_a, {"transpose A", "multiply"}}, Case{n, n, copy_a, {"pad A", "multiply"}},
          Case{t, n, copy_b, {"transpose B", "multiply"}}, Case{t, t, copy_b, {"pad B", "multiply"}},
          Case{t, t, copy_both, {"transpose A", "pad B", "multiply"}},
          Case{n, n, in_two_parts, {"pad A", "transpose B", "multiply", "add the 2 parts of K"}}}) {
        const auto [problem, variant, plan] = planned(uneven(trans_a, trans_b), "13", way);
        ASSERT_EQ(purposes(plan), expected);
        const std::size_t position = static_cast<std::size_t>(copies_a(way)) + static_cast<std::size_t>(copies_b(way));
        const Step& step = plan.steps[position];
        SCOPED_TRACE(step.options);
        const Multiplication multiply(step);
        // 202 rows of op(A) and 131 columns of op(B) become 204 and 132, which run along memory.
        const auto check_copy = [&](const Step& copy, bool turned, const Matrix& matrix, std::uint64_t rows,
                                    std::uint64_t offset) {
            EXPECT_EQ(copy.function, std::string(turned ? "transpose" : "pad"));
            EXPECT_EQ(copy.buffers, (std::vector{matrix.memory, Memory::workspace}));
            EXPECT_EQ(copy.arguments, ArgumentBytes(kernel_arguments::Copying{.rows = matrix.stored_rows(),
                                                                              .columns = matrix.stored_cols(),
                                                                              .offsetIn = matrix.offset,
                                                                              .ldIn = matrix.ld,
                                                                              .paddedRows = turned ? 1003 : rows,
                                                                              .paddedColumns = turned ? rows : 1003,
                                                                              .offsetOut = offset,
                                                                              .ldOut = rows,
                                                                              .nextIn = 0,
                                                                              .nextOut = 0}));
            EXPECT_EQ(offset % 4, 0u);
        };
        if (copies_a(way)) {
            check_copy(plan.steps[0], trans_a == t, problem.a, 204, multiply.a.offset);
            EXPECT_EQ(multiply.a, Operand(Memory::workspace, multiply.a.offset, 1, 204));
        } else {
            EXPECT_EQ(multiply.a.memory, Memory::a);
        }
        if (copies_b(way)) {
            check_copy(plan.steps[position - 1], trans_b == n, problem.b, 132, multiply.b.offset);
            EXPECT_EQ(multiply.b, Operand(Memory::workspace, multiply.b.offset, 132, 1));
        } else {
            EXPECT_EQ(multiply.b.memory, Memory::b);
        }
        EXPECT_TRUE(has_option(step, copies_a(way) || trans_a == n ? "TRANS_A=0" : "TRANS_A=1"));
        EXPECT_TRUE(has_option(step, copies_b(way) || trans_b == t ? "TRANS_B=1" : "TRANS_B=0"));
        EXPECT_TRUE(has_option(step, copies_a(way) ? "WIDTH_A=4" : "WIDTH_A=1"));
        EXPECT_TRUE(has_option(step, copies_b(way) ? "WIDTH_B=4" : "WIDTH_B=1"));
        EXPECT_EQ(multiply.arguments.M, 202u) << "the padding is no part of the product";
        EXPECT_EQ(multiply.arguments.N, 131u);
    }
}

TEST(Plan, CopiesAndSumsDoNotOverlap)
{
    const auto [problem, variant, plan] =
        planned(uneven(CLGEMM_TRANS, CLGEMM_NO_TRANS), "13", {.form = copy_of_both, .split_k = 5});
    ASSERT_EQ(plan.steps.size(), 4u);
    const Multiplication multiply(plan.steps[2]);
    EXPECT_LE(multiply.a.offset + multiply.a.column * problem.k, multiply.b.offset);
    EXPECT_LE(multiply.b.offset + multiply.b.row * problem.k, multiply.c.offset);
    EXPECT_LE((multiply.c.offset + 5 * multiply.arguments.partC) * sizeof(float), plan.workspace_bytes);
}

TEST(Plan, SmallSizesAreToldToKernel13)
{
    const auto multiply = [](std::size_t m, std::size_t n, clgemm_transpose trans_a, clgemm_transpose trans_b) {
        return planned(arguments(m, n, 100, trans_a, trans_b), "13", {}).plan.steps[0]; // tiles of 128 x 128
    };
    const auto n = CLGEMM_NO_TRANS, t = CLGEMM_TRANS;
    EXPECT_TRUE(has_option(multiply(128, 127, t, n), "SMALL_M=0"));
    EXPECT_TRUE(has_option(multiply(128, 127, t, n), "SMALL_N=1"));
    EXPECT_TRUE(has_option(multiply(127, 128, t, n), "SMALL_M=1"));
    EXPECT_TRUE(has_option(multiply(127, 128, t, n), "SMALL_N=0"));
    EXPECT_TRUE(has_option(multiply(124, 124, n, t), "SMALL_M=1"));
    EXPECT_TRUE(has_option(multiply(124, 124, n, t), "SMALL_N=1"));
    // A copy of 127 rows has 128.
    const auto copied = planned(arguments(127, 127, 100, t, n), "13", {.form = copy_of_both}).plan.steps[2];
    EXPECT_TRUE(has_option(copied, "SMALL_M=0"));
    EXPECT_TRUE(has_option(copied, "SMALL_N=0"));
}

// One program for all sizes: it needs not be compiled again.
TEST(Plan, SmallSizesMakeNoOtherProgramOfKernels15And20)
{
    for (const auto* kernel : {"15", "20"}) {
        const auto options = [&](std::size_t m, std::size_t n) {
            return planned(arguments(m, n, 100, CLGEMM_TRANS, CLGEMM_NO_TRANS), kernel, {}).plan.steps[0].options;
        };
        EXPECT_EQ(options(1, 1), options(1000, 1)) << kernel;
        EXPECT_EQ(options(1, 1).find("SMALL_"), std::string::npos) << kernel;
    }
}

// Kernel 15 with no B in local memory: a column without gaps runs along K, however it is called.
TEST(Plan, AColumnWithoutGapsIsReadAlongK)
{
    const DeviceProfile device = hopper_gpu();
    const KernelInfo& kernel = *find_kernel("skinny");
    const Variant variant = variant_of(
        kernel, Parameters{{"NR", 1}, {"TSM", 8}, {"ROWS", 4}, {"PARTS", 64}, {"LANES", 32}, {"UNROLL", 2}, {"TSK", 0}});
    const auto is_read_along_k = [&](const Arguments& x, const Way& way) {
        const Step step = planned(make_problem(x), device, variant, way).plan.steps.front();
        return has_option(step, "TRANS_A=1") && has_option(step, "TRANS_B=0") && has_option(step, "WIDTH_B=4");
    };
    const auto ways = [&](const Arguments& x) { return kernel.family->ways(make_problem(x), device, variant); };

    EXPECT_TRUE(is_read_along_k(arguments(1000, 1, 4000, CLGEMM_TRANS, CLGEMM_NO_TRANS), {}));
    Arguments column = arguments(1000, 1, 4000, CLGEMM_TRANS, CLGEMM_TRANS);
    EXPECT_TRUE(is_read_along_k(column, {})) << "ldb is 1";
    EXPECT_FALSE(ways(column).empty());
    column.ldb = 5;
    EXPECT_FALSE(is_read_along_k(column, {}));
    EXPECT_TRUE(ways(column).empty()) << "not worth taking";

    const Arguments row = arguments(1, 1000, 4000, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS);
    EXPECT_TRUE(is_read_along_k(row, {.transposed = true})) << "lda is 1";
    EXPECT_FALSE(ways(row).empty());
    EXPECT_TRUE(ways(arguments(1000, 1, 4000, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS)).empty()) << "A runs along M";
}

TEST(Plan, TransposedProblemsHaveTheirOperandsAndStridesExchanged)
{
    Arguments x = uneven(CLGEMM_NO_TRANS, CLGEMM_NO_TRANS);
    x.m = 1;
    const auto [problem, variant, plan] = planned(x, "15", {.transposed = true});
    ASSERT_EQ(purposes(plan), Purposes{"multiply"});
    const Step& step = plan.steps[0];
    const Multiplication multiply(step);
    EXPECT_EQ(multiply.arguments.M, 131u);
    EXPECT_EQ(multiply.arguments.N, 1u);
    EXPECT_EQ(step.groups, (std::array<std::size_t, 3>{2, 1, 1})) << "tiles of 128 x 1";
    EXPECT_EQ(multiply.a, Operand(Memory::b, 5, x.ldb, 1)) << "the first operand is the caller's second";
    EXPECT_TRUE(has_option(step, "TRANS_A=1"));
    EXPECT_EQ(multiply.b, Operand(Memory::a, 3, x.lda, 1));
    EXPECT_TRUE(has_option(step, "TRANS_B=1"));
    EXPECT_EQ(multiply.c, Operand(Memory::c, 7, x.ldc, 1)) << "its rows are the caller's columns";

    x.m = 202;
    x.n = 1;
    const Multiplication plain(planned(x, "15", {}).plan.steps[0]);
    EXPECT_EQ(plain.a.memory, Memory::a);
    EXPECT_EQ(plain.c, Operand(Memory::c, 7, 1, x.ldc));
}

TEST(Plan, PartsOfATransposedProblemAreAddedAsCLies)
{
    Arguments x = uneven(CLGEMM_TRANS, CLGEMM_TRANS);
    x.m = 3;
    const auto [problem, variant, plan] = planned(x, "15", {.split_k = 4, .transposed = true});
    ASSERT_EQ(purposes(plan), (Purposes{"multiply", "add the 4 parts of K"}));
    const Step& reduce = plan.steps[1];
    EXPECT_EQ(plan.steps[0].groups[2], 4u);
    const Multiplication multiply(plan.steps[0]);
    EXPECT_EQ(multiply.c, Operand(Memory::workspace, 0, 4, 1)) << "three rows, as columns of four floats";
    EXPECT_EQ(multiply.arguments.partC, 4u * 131) << "from part to part";
    EXPECT_EQ(reduce.buffers, (std::vector{Memory::workspace, Memory::c}));
    EXPECT_EQ(reduce.arguments, ArgumentBytes(kernel_arguments::Reducing{.rows = 3,
                                                                         .columns = 131,
                                                                         .parts = 4,
                                                                         .alpha = 2,
                                                                         .beta = 0.5f,
                                                                         .offsetSums = 0,
                                                                         .ldSums = 4,
                                                                         .partC = std::uint64_t{4} * 131,
                                                                         .offsetC = 7,
                                                                         .ldc = x.ldc}));
}

TEST(Plan, ScalingIsOneStepWithoutWorkspace)
{
    PlanBuilder builder(large_gpu());
    builder.add_scaling(problem(100, 200, 0));
    const Plan plan = builder.finish();
    EXPECT_EQ(purposes(plan), Purposes{"scale C"});
    EXPECT_EQ(plan.workspace_bytes, 0u);
}

// A helper's groups are as large as the device takes them, in powers of two: more of them at a time wait for memory.
TEST(Plan, HelpersHaveTheLargestGroupsThatFit)
{
    DeviceProfile device = tiny_gpu();
    device.max_work_item_sizes = {1024, 1024, 64};
    for (const std::size_t most : {2, 4, 16, 32, 64, 128, 256, 1024}) {
        device.max_work_group_size = most;
        PlanBuilder builder(device);
        builder.add_scaling(problem(10, 10, 1));
        const auto [rows, cols] = builder.finish().steps.front().group_size;
        EXPECT_EQ(rows * cols, std::min<std::size_t>(most, 256));
    }
}

TEST(Plan, HelpersFitADeviceWithoutASecondDimension)
{
    DeviceProfile device = large_gpu();
    device.max_work_item_sizes = {1024, 1, 1};
    PlanBuilder builder(device);
    builder.add_scaling(problem(10, 10, 1));
    EXPECT_EQ(builder.finish().steps.front().group_size[1], 1u);
}

TEST(Plan, HelpersFitATinyDevice)
{
    const DeviceProfile device = tiny_gpu();
    const Problem p = problem(100, 200, 300, CLGEMM_TRANS);
    const Selection selection = select(p, device, Tuning{}, {find_kernel("02_tiled")});
    const Plan plan = planned(p, device, selection.variant, selection.way).plan;
    EXPECT_GT(plan.steps.size(), 1u);
    for (const auto& step : plan.steps)
        EXPECT_EQ(step.group_size[0] * step.group_size[1], 1u) << step.purpose;
}

// And all that the library takes by itself there has the text that asks, but for kernel 1, whose work-items have few values.
TEST(Plan, KernelsAskForSubGroupsWhereTheDeviceWantsThem)
{
    DeviceProfile device = large_gpu();
    const Variant variant =
        with_device_features(variant_of(*find_kernel("13"), find_kernel("13")->variants.front()), device);
    const auto options = [&] { return plan_of(problem(128, 128, 128), device, variant, {}).steps.front().options; };
    EXPECT_EQ(options().find("SUB_GROUP"), std::string::npos);
    device.sub_group = 16;
    EXPECT_NE(options().find(" -DSUB_GROUP=16"), std::string::npos);
    for (const Measurement& taken : derived_tuning(device).measurements) {
        const KernelInfo& kernel = *taken.variant.kernel;
        EXPECT_EQ(kernel.source().text().find("intel_reqd_sub_group_size(SUB_GROUP)") == std::string::npos,
                  kernel.name == std::string_view("01_naive"))
            << kernel.name;
    }
}

TEST(Plan, WorkspaceTooLargeToCountIsAnAllocationFailure)
{
    // A is one column of 2^60 elements: whole tiles of it would be 2^60 x 16.
    const Problem p = problem(std::size_t{1} << 60, 1, 1);
    try {
        made_plan(p, "09_prefetch");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
}

} // namespace clgemm::test
