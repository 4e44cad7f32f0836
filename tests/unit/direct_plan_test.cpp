// Plans of kernel 20: one launch from the operands as they lie, exchanged or not, and parts of K that are added.
#include "multiply_plans.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;
using namespace clgemm::test;

TEST(DirectPlan, IsOneLaunchOfTheOperandsAsTheyLie)
{
    Arguments x = uneven(CLGEMM_TRANS, CLGEMM_NO_TRANS);
    const auto [problem, selection, plan] = planned(x, "20", {});
    ASSERT_EQ(purposes(plan), Purposes{"multiply"});
    EXPECT_EQ(plan.workspace_bytes, 0u);
    const Step& multiply = plan.steps[0];
    EXPECT_EQ(multiply.source->name, std::string("20_tensor_direct"));
    EXPECT_EQ(multiply.function, std::string("multiply"));
    EXPECT_EQ(multiply.options,
              selection.parameters.options() + " -DTRANS_A=1 -DTRANS_B=0 -DWIDE_A=0 -DWIDE_B=0 -DSMALL_M=0 -DSMALL_N=0");
    EXPECT_EQ(multiply.groups, (std::array<std::size_t, 3>{4, 2, 1})) << "tiles of 64 x 128";
    EXPECT_EQ(multiply.group_size, (std::array<std::size_t, 2>{384, 1}));
    const std::vector<StepArgument> expected{std::uint64_t{202},
                                             std::uint64_t{131},
                                             std::uint64_t{1003},
                                             2.0f,
                                             Memory::a,
                                             std::uint64_t{3},
                                             x.lda,
                                             Memory::b,
                                             std::uint64_t{5},
                                             x.ldb,
                                             0.5f,
                                             Memory::c,
                                             std::uint64_t{7},
                                             std::uint64_t{1}, // from row to row
                                             x.ldc,            // from column to column
                                             std::uint64_t{1024},
                                             std::uint64_t{0}};
    EXPECT_EQ(multiply.arguments, expected);
}

TEST(DirectPlan, IsRetargetedAndWhatGoesWithItIsNot)
{
    for (const auto& variant : find_kernel("20")->variants) {
        const Problem p = make_problem(uneven(CLGEMM_NO_TRANS, CLGEMM_NO_TRANS));
        Selection selection = selection_of(*find_kernel("20"), variant, hopper_gpu(), "");
        selection.way.splits = 3;
        const Plan plan = plan_multiply(p, hopper_gpu(), selection);
        ASSERT_EQ(plan.steps.size(), 2u);
        EXPECT_EQ(plan.steps[0].retargeted_local_bytes, selection.tiling.retargeted_bytes);
        EXPECT_GT(plan.steps[0].retargeted_local_bytes, 48u << 10) << "more than OpenCL gives";
        EXPECT_EQ(plan.steps[1].retargeted_local_bytes, 0u);
    }
    for (const auto* kernel : {"13", "15"})
        EXPECT_EQ(planned(uneven(CLGEMM_NO_TRANS, CLGEMM_NO_TRANS), kernel, {}).plan.steps[0].retargeted_local_bytes, 0u);
}

// Vectors along K as well as along M and N: of each operand whole ones, which start at multiples of four floats.
TEST(DirectPlan, IsToldWhichOperandsAreAlignedInBothDirections)
{
    const auto wide = [](const Arguments& x) {
        const Step step = planned(x, "20", {}).plan.steps[0];
        EXPECT_TRUE(has_option(step, x.trans_a == CLGEMM_TRANS ? "TRANS_A=1" : "TRANS_A=0"));
        EXPECT_TRUE(has_option(step, x.trans_b == CLGEMM_TRANS ? "TRANS_B=1" : "TRANS_B=0"));
        EXPECT_NE(has_option(step, "WIDE_A=1"), has_option(step, "WIDE_A=0"));
        EXPECT_NE(has_option(step, "WIDE_B=1"), has_option(step, "WIDE_B=0"));
        return std::string(has_option(step, "WIDE_A=1") ? "A" : "") + (has_option(step, "WIDE_B=1") ? "B" : "");
    };
    for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
        for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
            Arguments aligned = arguments(100, 104, 52, trans_a, trans_b);
            EXPECT_EQ(wide(aligned), "AB");
            for (const std::size_t offset : {1, 2, 3, 5}) {
                Arguments x = aligned;
                x.offset_a = offset;
                EXPECT_EQ(wide(x), "B");
                x.offset_b = offset;
                EXPECT_EQ(wide(x), "");
                x.offset_a = 8;
                EXPECT_EQ(wide(x), "A");
            }
            Arguments x = aligned;
            x.lda += 2;
            EXPECT_EQ(wide(x), "B");
            x.lda += 2;
            x.ldb += 3;
            EXPECT_EQ(wide(x), "A");
            // Sizes that are no whole vectors matter where memory runs along them.
            aligned.lda = aligned.ldb = aligned.ldc = 112;
            x = aligned;
            x.m = 101;
            EXPECT_EQ(wide(x), trans_a == CLGEMM_NO_TRANS ? "B" : "AB");
            x = aligned;
            x.n = 102;
            EXPECT_EQ(wide(x), trans_b == CLGEMM_TRANS ? "A" : "AB");
            x = aligned;
            x.k = 51;
            EXPECT_EQ(wide(x), std::string(trans_a == CLGEMM_TRANS ? "" : "A") + (trans_b == CLGEMM_NO_TRANS ? "" : "B"));
        }
}

TEST(DirectPlan, InPartsOfKWritesSumsThatAreAdded)
{
    const Arguments x = uneven(CLGEMM_NO_TRANS, CLGEMM_TRANS);
    for (const bool is_exchanged : {false, true}) {
        const auto [problem, selection, plan] = planned(x, "20", {false, false, 3, is_exchanged});
        ASSERT_EQ(purposes(plan), (Purposes{"multiply", "add the 3 parts of K"}));
        const Step &multiply = plan.steps[0], &reduce = plan.steps[1];
        EXPECT_EQ(multiply.groups,
                  is_exchanged ? (std::array<std::size_t, 3>{3, 2, 3}) : (std::array<std::size_t, 3>{4, 2, 3}));
        EXPECT_EQ(number(multiply, arg_k), 1003u);
        EXPECT_EQ(scalar(multiply, arg_alpha), 1.0f) << "applied once, at the end";
        EXPECT_EQ(scalar(multiply, arg_beta), 0.0f) << "the sums are not initialised";
        EXPECT_EQ(memory(multiply, arg_c), Memory::workspace);
        // However C is computed, its sums lie as C does: 202 rows, as columns of 204 floats.
        const std::uint64_t offset = number(multiply, arg_offset_c), stride = 204 * 131;
        EXPECT_EQ(number(multiply, arg_ldc), is_exchanged ? 204u : 1u);
        EXPECT_EQ(number(multiply, arg_ldc + 1), is_exchanged ? 1u : 204u);
        EXPECT_EQ(number(multiply, arg_ldc + 2), 352u) << "a third of 1003, in whole steps of 32";
        EXPECT_EQ(number(multiply, arg_ldc + 3), stride) << "from part to part";
        EXPECT_EQ(multiply.arguments.size(), arg_ldc + 4u);
        EXPECT_GE(plan.workspace_bytes, 3 * stride * sizeof(float));
        EXPECT_LT(plan.workspace_bytes, 3 * stride * sizeof(float) + 256) << "and nothing else";
        const std::vector<StepArgument> expected{std::uint64_t{202},
                                                 std::uint64_t{131},
                                                 std::uint64_t{3},
                                                 2.0f,
                                                 Memory::workspace,
                                                 offset,
                                                 std::uint64_t{204},
                                                 stride,
                                                 0.5f,
                                                 Memory::c,
                                                 std::uint64_t{7},
                                                 x.ldc};
        EXPECT_EQ(reduce.arguments, expected);
    }
}

TEST(DirectPlan, ExchangedHasItsOperandsAndStridesSwapped)
{
    const auto n = CLGEMM_NO_TRANS, t = CLGEMM_TRANS;
    for (const auto trans_a : {n, t})
        for (const auto trans_b : {n, t}) {
            Arguments x = uneven(trans_a, trans_b);
            x.offset_b = 8; // the caller's B is aligned
            x.n = 132;
            x.k = 1004;
            x.ldb = 1008;
            const Plan plan = planned(x, "20", {false, false, 1, true}).plan;
            ASSERT_EQ(purposes(plan), Purposes{"multiply"});
            EXPECT_EQ(plan.workspace_bytes, 0u);
            const Step& multiply = plan.steps[0];
            EXPECT_EQ(multiply.groups, (std::array<std::size_t, 3>{3, 2, 1})) << "132 x 202 in tiles of 64 x 128";
            const std::vector<StepArgument> expected{std::uint64_t{132},
                                                     std::uint64_t{202},
                                                     std::uint64_t{1004},
                                                     2.0f,
                                                     Memory::b,
                                                     std::uint64_t{8},
                                                     x.ldb,
                                                     Memory::a,
                                                     std::uint64_t{3},
                                                     x.lda,
                                                     0.5f,
                                                     Memory::c,
                                                     std::uint64_t{7},
                                                     x.ldc, // from row to row
                                                     std::uint64_t{1},
                                                     std::uint64_t{1024},
                                                     std::uint64_t{0}};
            EXPECT_EQ(multiply.arguments, expected);
            EXPECT_TRUE(has_option(multiply, trans_b == t ? "TRANS_A=0" : "TRANS_A=1"));
            EXPECT_TRUE(has_option(multiply, trans_a == t ? "TRANS_B=0" : "TRANS_B=1"));
            EXPECT_TRUE(has_option(multiply, "WIDE_A=1"));
            EXPECT_TRUE(has_option(multiply, "WIDE_B=0"));
        }
}
