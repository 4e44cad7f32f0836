// Plan: helper steps where a kernel needs them and nowhere else, geometry that covers everything, workspace without overlap.
#include "multiply_plans.hpp"

#include "plan/plan.hpp"
#include "support/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

Plan plan_of(const Problem& problem, const char* kernel)
{
    const DeviceProfile device = hopper_gpu();
    return plan_multiply(problem, device, select(problem, device, Tuning{}, {find_kernel(kernel)}));
}

} // namespace

TEST(Plan, WhatAKernelTakesCostsNoStep)
{
    EXPECT_EQ(purposes(plan_of(problem(100, 101, 103, CLGEMM_TRANS, CLGEMM_TRANS), "01_naive")), Purposes{"multiply"});
    EXPECT_EQ(purposes(plan_of(problem(128, 256, 64), "02_tiled")), Purposes{"multiply"});
    EXPECT_EQ(purposes(plan_of(problem(256, 512, 64, CLGEMM_NO_TRANS, CLGEMM_TRANS), "09_prefetch")), Purposes{"multiply"});
    EXPECT_EQ(purposes(plan_of(problem(256, 512, 64, CLGEMM_TRANS, CLGEMM_NO_TRANS), "11_vector_dot")),
              Purposes{"multiply"});
    EXPECT_EQ(plan_of(problem(128, 256, 64), "02_tiled").workspace_bytes, 0u);
}

TEST(Plan, OnlyTheOperandThatDoesNotFitIsCopied)
{
    EXPECT_EQ(purposes(plan_of(problem(256, 512, 64), "09_prefetch")), (Purposes{"transpose B", "multiply"}));
    EXPECT_EQ(purposes(plan_of(problem(256, 512, 64, CLGEMM_TRANS, CLGEMM_TRANS), "09_prefetch")),
              (Purposes{"transpose A", "multiply"}));
    // M is incomplete: A and C are affected, B is not, and kernel 9 stores incomplete tiles of C itself.
    EXPECT_EQ(purposes(plan_of(problem(257, 512, 64, CLGEMM_NO_TRANS, CLGEMM_TRANS), "09_prefetch")),
              (Purposes{"pad A", "multiply"}));
    EXPECT_EQ(purposes(plan_of(problem(257, 512, 64, CLGEMM_NO_TRANS, CLGEMM_TRANS), "10_incomplete_tiles")),
              (Purposes{"pad A", "multiply", "unpad C"}));
}

TEST(Plan, PaddingAndTransposingAreOneStep)
{
    EXPECT_EQ(purposes(plan_of(problem(100, 101, 103, CLGEMM_TRANS), "10_incomplete_tiles")),
              (Purposes{"transpose A", "transpose B", "multiply", "unpad C"}));
}

TEST(Plan, UnalignedOperandsOfVectorKernelsAreCopied)
{
    Arguments x = arguments(256, 512, 64, CLGEMM_NO_TRANS, CLGEMM_TRANS);
    x.offset_a = 2;
    EXPECT_EQ(purposes(plan_of(make_problem(x), "07_wide_loads")), (Purposes{"pad A", "multiply"}));
    EXPECT_EQ(purposes(plan_of(make_problem(x), "06_register_blocking")), Purposes{"multiply"}) << "loads single floats";
    x.offset_a = 4;
    EXPECT_EQ(purposes(plan_of(make_problem(x), "07_wide_loads")), Purposes{"multiply"});
    x.ldb = 513;
    EXPECT_EQ(purposes(plan_of(make_problem(x), "07_wide_loads")), (Purposes{"pad B", "multiply"}));
}

TEST(Plan, Kernel13IsToldWhichOperandsAreAligned)
{
    const auto options = [](const Arguments& x) { return plan_of(make_problem(x), "13_warp_tiled").steps.at(0).options; };
    Arguments x = arguments(101, 104, 52, CLGEMM_NO_TRANS, CLGEMM_TRANS);
    EXPECT_NE(options(x).find("-DTRANS_A=0 -DTRANS_B=1 -DWIDE_A=0 -DWIDE_B=1"), std::string::npos) << options(x);
    x.lda = 104;
    x.offset_b = 1;
    EXPECT_NE(options(x).find("-DTRANS_A=0 -DTRANS_B=1 -DWIDE_A=0 -DWIDE_B=0"), std::string::npos)
        << "101 rows are no whole vectors: " << options(x);
    x.m = 100;
    EXPECT_NE(options(x).find("-DTRANS_A=0 -DTRANS_B=1 -DWIDE_A=1 -DWIDE_B=0"), std::string::npos) << options(x);
    x = arguments(104, 104, 104, CLGEMM_TRANS, CLGEMM_NO_TRANS);
    EXPECT_NE(options(x).find("-DTRANS_A=1 -DTRANS_B=0 -DWIDE_A=0 -DWIDE_B=0"), std::string::npos) << "memory runs along K";
}

TEST(Plan, OnlyTheLastStepWritesC)
{
    for (const auto& kernel : kernels())
        for (const auto m : {64, 100})
            for (const auto trans : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
                const Plan plan = plan_of(problem(static_cast<std::size_t>(m), 99, 77, trans, trans), kernel.name.data());
                for (std::size_t i = 0; i < plan.steps.size(); i++) {
                    const auto& arguments = plan.steps[i].arguments;
                    const bool has_c = std::count(arguments.begin(), arguments.end(), StepArgument(Memory::c)) > 0;
                    EXPECT_EQ(has_c, i + 1 == plan.steps.size()) << kernel.name << ", " << plan.steps[i].purpose;
                }
            }
}

TEST(Plan, BetaIsAppliedOnce)
{
    Arguments x = arguments(100, 100, 100);
    x.beta = 0.5f;
    const Plan whole = plan_of(make_problem(x), "09_prefetch");
    EXPECT_EQ(std::get<float>(whole.steps.back().arguments[arg_beta]), 0.5f);
    const Plan padded = plan_of(make_problem(x), "10_incomplete_tiles");
    const auto& multiply = padded.steps[padded.steps.size() - 2];
    EXPECT_EQ(multiply.purpose, "multiply");
    EXPECT_EQ(std::get<float>(multiply.arguments[arg_beta]), 0.0f) << "the padded C is not initialised";
    EXPECT_EQ(std::get<float>(padded.steps.back().arguments[5]), 0.5f);
}

TEST(Plan, LaunchesCoverTheWholeProblem)
{
    for (const auto& kernel : kernels()) {
        const Problem p = problem(1000, 333, 77);
        const DeviceProfile device = hopper_gpu();
        const Selection selection = select(p, device, Tuning{}, {&kernel});
        const Plan plan = plan_multiply(p, device, selection);
        for (const auto& step : plan.steps) {
            EXPECT_GT(step.groups[0] * step.groups[1], 0u);
            EXPECT_LE(step.group_size[0] * step.group_size[1], device.max_work_group_size);
            if (step.purpose == "multiply" && !is_for_cpus(kernel.scheme)) {
                EXPECT_GE(step.groups[0] * selection.tiling.m, p.m);
                EXPECT_LT((step.groups[0] - 1) * selection.tiling.m, p.m);
                EXPECT_GE(step.groups[1] * selection.tiling.n, p.n);
                EXPECT_LT((step.groups[1] - 1) * selection.tiling.n, p.n);
            }
        }
    }
}

TEST(Plan, WorkspaceMatricesDoNotOverlap)
{
    const Plan plan = plan_of(problem(100, 200, 300, CLGEMM_TRANS), "10_incomplete_tiles");
    ASSERT_EQ(plan.steps.size(), 4u);
    const Step& multiply = plan.steps[2];
    EXPECT_EQ(memory(multiply, arg_a), Memory::workspace);
    EXPECT_EQ(memory(multiply, arg_b), Memory::workspace);
    EXPECT_EQ(memory(multiply, arg_c), Memory::workspace);
    struct Range {
        std::uint64_t begin, end;
    };
    const Range a{number(multiply, arg_offset_a),
                  number(multiply, arg_offset_a) + number(multiply, arg_lda) * number(multiply, arg_k)};
    const Range b{number(multiply, arg_offset_b),
                  number(multiply, arg_offset_b) + number(multiply, arg_ldb) * number(multiply, arg_k)};
    const std::uint64_t offset_c = number(multiply, arg_c + 1), ldc = number(multiply, arg_c + 2);
    const Range c{offset_c, offset_c + ldc * number(multiply, arg_n)};
    EXPECT_LE(a.end, b.begin);
    EXPECT_LE(b.end, c.begin);
    EXPECT_LE(c.end * sizeof(float), plan.workspace_bytes);
    EXPECT_LT(plan.workspace_bytes, c.end * sizeof(float) + 256) << "no more than the last matrix's alignment is wasted";
}

TEST(Plan, PartsOfKAreWorkGroupsOfDimension2AndAreAdded)
{
    const auto [problem, selection, plan] = planned(uneven(CLGEMM_NO_TRANS, CLGEMM_TRANS), "13", {false, false, 3, false});
    ASSERT_EQ(purposes(plan), (Purposes{"multiply", "add the 3 parts of K"}));
    const Step &multiply = plan.steps[0], &reduce = plan.steps[1];

    EXPECT_EQ(multiply.groups, (std::array<std::size_t, 3>{2, 2, 3}));
    EXPECT_EQ(number(multiply, arg_k), 1003u);
    const std::uint64_t part = number(multiply, arg_ldc + 1), stride = number(multiply, arg_ldc + 2);
    EXPECT_EQ(part, 336u) << "a third of 1003, in whole steps of 16";
    EXPECT_EQ(scalar(multiply, arg_alpha), 1.0f) << "applied once, at the end";
    EXPECT_EQ(scalar(multiply, arg_beta), 0.0f) << "the sums are not initialised";
    EXPECT_EQ(memory(multiply, arg_c), Memory::workspace);
    const std::uint64_t ld = number(multiply, arg_ldc);
    EXPECT_EQ(ld, 204u) << "columns at multiples of a vector";
    EXPECT_EQ(stride, ld * 131) << "one sum after the other";
    EXPECT_GE(plan.workspace_bytes, 3 * stride * sizeof(float));
    EXPECT_FALSE(writes_c(multiply));

    EXPECT_EQ(reduce.function, std::string("reduce"));
    const std::vector<StepArgument> expected{std::uint64_t{202},
                                             std::uint64_t{131},
                                             std::uint64_t{3},
                                             2.0f,
                                             Memory::workspace,
                                             number(multiply, arg_offset_c),
                                             ld,
                                             stride,
                                             0.5f,
                                             Memory::c,
                                             std::uint64_t{7},
                                             std::uint64_t{206}};
    EXPECT_EQ(reduce.arguments, expected);
    EXPECT_GE(reduce.groups[0] * reduce.group_size[0], 202u);
    EXPECT_GE(reduce.groups[1] * reduce.group_size[1], 131u);
    EXPECT_EQ(reduce.groups[2], 1u);
}

TEST(Plan, ManyPartsAreAddedBySeveralWorkItemsForEachElement)
{
    for (const auto& [parts, slices] :
         {std::pair<std::size_t, std::size_t>{2, 1}, {15, 1}, {16, 2}, {32, 4}, {64, 8}, {128, 8}}) {
        const auto plan = planned(arguments(202, 131, 16 * parts), "13", {false, false, parts, false}).plan;
        ASSERT_EQ(plan.steps.size(), 2u);
        const Step &multiply = plan.steps[0], &reduce = plan.steps[1];
        EXPECT_EQ(multiply.groups[2], parts);
        EXPECT_TRUE(has_option(reduce, "SLICES=" + std::to_string(slices))) << reduce.options;
        EXPECT_EQ(reduce.group_size[1] % slices, 0u);
        EXPECT_GE(reduce.groups[1] * reduce.group_size[1] / slices, 131u) << "columns of C";
        EXPECT_LT((reduce.groups[1] - 1) * reduce.group_size[1] / slices, 131u);
    }
}

TEST(Plan, OnePartOfKWritesCItself)
{
    for (const auto* kernel : {"13", "15", "20"}) {
        const auto [problem, selection, plan] = planned(uneven(CLGEMM_TRANS, CLGEMM_NO_TRANS), kernel, {});
        ASSERT_EQ(purposes(plan), Purposes{"multiply"}) << kernel;
        const Step& multiply = plan.steps[0];
        EXPECT_EQ(multiply.groups[2], 1u);
        EXPECT_EQ(scalar(multiply, arg_alpha), 2.0f);
        EXPECT_EQ(scalar(multiply, arg_beta), 0.5f);
        EXPECT_EQ(memory(multiply, arg_c), Memory::c);
        EXPECT_EQ(number(multiply, arg_offset_c), 7u);
        EXPECT_GE(number(multiply, multiply.arguments.size() - 2), problem.k) << "the one part is all of K";
        EXPECT_EQ(plan.workspace_bytes, 0u);
    }
}

TEST(Plan, PartsOfKCoverItAndNoneIsEmpty)
{
    for (const auto* kernel : {"13", "15", "20"})
        for (const std::size_t k : {1, 15, 16, 17, 31, 33, 100, 1003, 5000})
            for (const std::size_t splits : {1, 2, 3, 7, 128}) {
                Arguments x = arguments(100, 1, k, CLGEMM_NO_TRANS, CLGEMM_TRANS);
                const auto [problem, selection, plan] = planned(x, kernel, {false, false, splits, false});
                const Step& multiply = plan.steps[0];
                const std::uint64_t part = number(multiply, multiply.arguments.size() - 2);
                const std::size_t parts = multiply.groups[2];
                EXPECT_EQ(part % selection.tiling.k, 0u);
                EXPECT_LE(parts, splits);
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
    for (const auto& [trans_a, trans_b, way, expected] :
         {Case{t, n, {true, false, 1, false}, {"transpose A", "multiply"}},
          Case{n, n, {true, false, 1, false}, {"pad A", "multiply"}},
          Case{t, n, {false, true, 1, false}, {"transpose B", "multiply"}},
          Case{t, t, {false, true, 1, false}, {"pad B", "multiply"}},
          Case{t, t, {true, true, 1, false}, {"transpose A", "pad B", "multiply"}},
          Case{n, n, {true, true, 2, false}, {"pad A", "transpose B", "multiply", "add the 2 parts of K"}}}) {
        const auto [problem, selection, plan] = planned(uneven(trans_a, trans_b), "13", way);
        ASSERT_EQ(purposes(plan), expected);
        const std::size_t position = static_cast<std::size_t>(way.copy_a) + static_cast<std::size_t>(way.copy_b);
        const Step& multiply = plan.steps[position];
        SCOPED_TRACE(multiply.options);
        // 202 rows of op(A) and 131 columns of op(B) become 204 and 132.
        const auto check_copy = [&](const Step& step, bool turned, const Matrix& matrix, Memory from, std::uint64_t rows,
                                    std::size_t arg_operand) {
            const std::uint64_t offset = number(multiply, arg_operand + 1);
            const std::vector<StepArgument> arguments{matrix.rows,
                                                      matrix.cols,
                                                      from,
                                                      matrix.offset,
                                                      matrix.ld,
                                                      turned ? std::uint64_t{1003} : rows,
                                                      turned ? rows : std::uint64_t{1003},
                                                      Memory::workspace,
                                                      offset,
                                                      rows};
            EXPECT_EQ(step.arguments, arguments);
            EXPECT_EQ(step.function, std::string(turned ? "transpose" : "pad"));
            EXPECT_EQ(memory(multiply, arg_operand), Memory::workspace);
            EXPECT_EQ(number(multiply, arg_operand + 2), rows) << "its leading dimension";
            EXPECT_EQ(offset % 4, 0u);
        };
        if (way.copy_a)
            check_copy(plan.steps[0], trans_a == t, problem.a, Memory::a, 204, arg_a);
        else
            EXPECT_EQ(memory(multiply, arg_a), Memory::a);
        if (way.copy_b)
            check_copy(plan.steps[position - 1], trans_b == n, problem.b, Memory::b, 132, arg_b);
        else
            EXPECT_EQ(memory(multiply, arg_b), Memory::b);
        EXPECT_TRUE(has_option(multiply, way.copy_a || trans_a == n ? "TRANS_A=0" : "TRANS_A=1"));
        EXPECT_TRUE(has_option(multiply, way.copy_b || trans_b == t ? "TRANS_B=1" : "TRANS_B=0"));
        EXPECT_TRUE(has_option(multiply, way.copy_a ? "WIDE_A=1" : "WIDE_A=0"));
        EXPECT_TRUE(has_option(multiply, way.copy_b ? "WIDE_B=1" : "WIDE_B=0"));
        EXPECT_EQ(number(multiply, arg_m), 202u) << "the padding is no part of the product";
        EXPECT_EQ(number(multiply, arg_n), 131u);
    }
}

TEST(Plan, CopiesAndSumsDoNotOverlap)
{
    const auto [problem, selection, plan] = planned(uneven(CLGEMM_TRANS, CLGEMM_NO_TRANS), "13", {true, true, 5, false});
    ASSERT_EQ(plan.steps.size(), 4u);
    const Step& multiply = plan.steps[2];
    const std::uint64_t begin_a = number(multiply, arg_offset_a), end_a = begin_a + number(multiply, arg_lda) * problem.k;
    const std::uint64_t begin_b = number(multiply, arg_offset_b), end_b = begin_b + number(multiply, arg_ldb) * problem.k;
    const std::uint64_t begin_c = number(multiply, arg_offset_c), end_c = begin_c + 5 * number(multiply, arg_ldc + 2);
    EXPECT_LE(end_a, begin_b);
    EXPECT_LE(end_b, begin_c);
    EXPECT_LE(end_c * sizeof(float), plan.workspace_bytes);
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
    const auto copied = planned(arguments(127, 127, 100, t, n), "13", {true, true, 1, false}).plan.steps[2];
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
    }
    EXPECT_NE(planned(arguments(1, 1, 4), "20", {}).plan.steps[0].options.find(" -DSMALL_M=0 -DSMALL_N=0"),
              std::string::npos);
}

TEST(Plan, ExchangedProblemsHaveTheirOperandsAndStridesSwapped)
{
    Arguments x = uneven(CLGEMM_NO_TRANS, CLGEMM_NO_TRANS);
    x.m = 1;
    const auto [problem, selection, plan] = planned(x, "15", {false, false, 1, true});
    ASSERT_EQ(purposes(plan), Purposes{"multiply"});
    const Step& multiply = plan.steps[0];
    EXPECT_EQ(number(multiply, arg_m), 131u);
    EXPECT_EQ(number(multiply, arg_n), 1u);
    EXPECT_EQ(multiply.groups, (std::array<std::size_t, 3>{2, 1, 1})) << "tiles of 128 x 1";
    EXPECT_EQ(memory(multiply, arg_a), Memory::b) << "the first operand is the caller's second";
    EXPECT_EQ(number(multiply, arg_offset_a), 5u);
    EXPECT_EQ(number(multiply, arg_lda), x.ldb);
    EXPECT_TRUE(has_option(multiply, "TRANS_A=1"));
    EXPECT_EQ(memory(multiply, arg_b), Memory::a);
    EXPECT_EQ(number(multiply, arg_offset_b), 3u);
    EXPECT_EQ(number(multiply, arg_ldb), x.lda);
    EXPECT_TRUE(has_option(multiply, "TRANS_B=1"));
    EXPECT_EQ(memory(multiply, arg_c), Memory::c);
    EXPECT_EQ(number(multiply, arg_offset_c), 7u);
    EXPECT_EQ(number(multiply, arg_ldc), x.ldc) << "from row to row";
    EXPECT_EQ(number(multiply, arg_ldc + 1), 1u) << "from column to column";

    x.m = 202;
    x.n = 1;
    const auto plain = planned(x, "15", {}).plan.steps[0];
    EXPECT_EQ(memory(plain, arg_a), Memory::a);
    EXPECT_EQ(number(plain, arg_ldc), 1u);
    EXPECT_EQ(number(plain, arg_ldc + 1), x.ldc);
}

TEST(Plan, PartsOfAnExchangedProblemAreAddedAsCLies)
{
    Arguments x = uneven(CLGEMM_TRANS, CLGEMM_TRANS);
    x.m = 3;
    const auto [problem, selection, plan] = planned(x, "15", {false, false, 4, true});
    ASSERT_EQ(purposes(plan), (Purposes{"multiply", "add the 4 parts of K"}));
    const Step &multiply = plan.steps[0], &reduce = plan.steps[1];
    EXPECT_EQ(multiply.groups[2], 4u);
    EXPECT_EQ(number(multiply, arg_ldc), 4u) << "three rows, as columns of four floats";
    EXPECT_EQ(number(multiply, arg_ldc + 1), 1u);
    EXPECT_EQ(number(multiply, arg_ldc + 3), 4u * 131) << "from part to part";
    const std::vector<StepArgument> expected{std::uint64_t{3},
                                             std::uint64_t{131},
                                             std::uint64_t{4},
                                             2.0f,
                                             Memory::workspace,
                                             std::uint64_t{0},
                                             std::uint64_t{4},
                                             std::uint64_t{4 * 131},
                                             0.5f,
                                             Memory::c,
                                             std::uint64_t{7},
                                             x.ldc};
    EXPECT_EQ(reduce.arguments, expected);
}

TEST(Plan, OnlyTheLastStepWritesCInEveryWay)
{
    for (const auto* kernel : {"13", "15", "20"})
        for (const bool copies : {false, true})
            for (const std::size_t splits : {1, 2})
                for (const bool is_exchanged : {false, true}) {
                    const KernelInfo& info = *find_kernel(kernel);
                    if ((copies && !info.copies_may_pay) || (is_exchanged && number_of(info) == 13))
                        continue;
                    Arguments x =
                        arguments(is_exchanged ? 1 : 99, is_exchanged ? 99 : 1, 1001, CLGEMM_TRANS, CLGEMM_NO_TRANS);
                    const auto plan = planned(x, kernel, {copies, copies, splits, is_exchanged}).plan;
                    for (std::size_t i = 0; i < plan.steps.size(); i++)
                        EXPECT_EQ(writes_c(plan.steps[i]), i + 1 == plan.steps.size())
                            << kernel << ", " << plan.steps[i].purpose;
                }
}

TEST(Plan, ScalingIsOneStepWithoutWorkspace)
{
    const Plan plan = plan_scale(problem(100, 200, 0), large_gpu());
    EXPECT_EQ(purposes(plan), Purposes{"scale C"});
    EXPECT_EQ(plan.workspace_bytes, 0u);
}

TEST(Plan, HelpersFitATinyDevice)
{
    const DeviceProfile device = tiny_gpu();
    const Problem p = problem(100, 200, 300, CLGEMM_TRANS);
    const Plan plan = plan_multiply(p, device, select(p, device, Tuning{}, {find_kernel("02_tiled")}));
    for (const auto& step : plan.steps)
        EXPECT_EQ(step.group_size[0] * step.group_size[1], 1u) << step.purpose;
}

TEST(Plan, WorkspaceTooLargeToCountIsAnAllocationFailure)
{
    // A is one column of 2^60 elements: whole tiles of it would be 2^60 x 16.
    const Problem p = problem(std::size_t{1} << 60, 1, 1);
    try {
        plan_of(p, "09_prefetch");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
}
