// Plans of kernel 20: one launch from the operands as they lie, transposed or not, and parts of K that are added.
#include "families/registry.hpp"
#include "select/selection.hpp"
#include "support/embedded.hpp"
#include "support/embedded_tuning.hpp"
#include "unit/made_up.hpp"
#include "unit/multiply_plans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace clgemm::test {

using namespace core;

TEST(DirectPlan, IsOneLaunchOfTheOperandsAsTheyLie)
{
    Arguments x = uneven(CLGEMM_TRANS, CLGEMM_NO_TRANS);
    const auto [problem, variant, plan] = planned(x, "20", {});
    ASSERT_EQ(purposes(plan), Purposes{"multiply"});
    EXPECT_EQ(plan.workspace_bytes, 0u);
    const Step& multiply = plan.steps[0];
    EXPECT_EQ(multiply.source->name, std::string("tensor_direct"));
    EXPECT_EQ(multiply.function, std::string("multiply"));
    EXPECT_EQ(multiply.options,
              variant.parameters.options() + " -DTRANS_A=1 -DTRANS_B=0 -DWIDTH_A=1 -DWIDTH_B=1 -DTURNED=0");
    EXPECT_EQ(multiply.groups, (std::array<std::size_t, 3>{4, 2, 1})) << "tiles of 64 x 128";
    EXPECT_EQ(multiply.group_size, (std::array<std::size_t, 2>{384, 1}));
    EXPECT_EQ(multiply.buffers, (std::vector{Memory::a, Memory::b, Memory::c}));
    EXPECT_EQ(multiply.arguments,
              ArgumentBytes(kernel_arguments::Multiplication{.M = 202,
                                                             .N = 131,
                                                             .K = 1003,
                                                             .alpha = 2,
                                                             .beta = 0.5f,
                                                             .A = {.offset = 3, .row = x.lda, .column = 1},
                                                             .B = {.offset = 5, .row = 1, .column = x.ldb},
                                                             .C = {.offset = 7, .row = 1, .column = x.ldc},
                                                             .partK = 1024,
                                                             .nextK = 0,
                                                             .partA = 0,
                                                             .partB = 0,
                                                             .partC = 0,
                                                             .first = 0}));
}

// In the transposed problem C's memory runs along N, and so does that of the sums of parts.
TEST(DirectPlan, IsToldHowItsResultLies)
{
    const Arguments x = uneven(CLGEMM_NO_TRANS, CLGEMM_NO_TRANS);
    for (const std::size_t parts : {1U, 3U})
        for (const bool transposed : {false, true})
            EXPECT_TRUE(has_option(planned(x, "20", {.split_k = parts, .transposed = transposed}).plan.steps[0],
                                   transposed ? "TURNED=1" : "TURNED=0"));
}

TEST(DirectPlan, IsRetargetedAndWhatGoesWithItIsNot)
{
    for (std::size_t index = 0; index < find_kernel("20")->variants.size(); index++) {
        const auto [problem, variant, plan] = planned(uneven(CLGEMM_NO_TRANS, CLGEMM_NO_TRANS), "20", {.split_k = 3}, index);
        ASSERT_EQ(plan.steps.size(), 2u);
        EXPECT_EQ(plan.steps[0].retargeted_local_bytes, variant.tiling.retargeted_bytes);
        EXPECT_GT(plan.steps[0].retargeted_local_bytes, 48u << 10) << "more than OpenCL gives";
        EXPECT_EQ(plan.steps[1].retargeted_local_bytes, 0u);
    }
    for (const auto* kernel : {"13", "15"})
        EXPECT_EQ(planned(uneven(CLGEMM_NO_TRANS, CLGEMM_NO_TRANS), kernel, {}).plan.steps[0].retargeted_local_bytes, 0u);
}

// Vectors along K as well as along M and N: of each operand whole ones, which start at multiples of as many floats.
TEST(DirectPlan, IsToldHowManyFloatsOfEachOperandAreCopiedAtATime)
{
    using Widths = std::array<unsigned, 2>; // of A and of B
    const auto widths = [](const Arguments& x) {
        const Step step = planned(x, "20", {}).plan.steps[0];
        EXPECT_TRUE(has_option(step, x.trans_a == CLGEMM_TRANS ? "TRANS_A=1" : "TRANS_A=0"));
        EXPECT_TRUE(has_option(step, x.trans_b == CLGEMM_TRANS ? "TRANS_B=1" : "TRANS_B=0"));
        Widths result = {};
        for (const unsigned width : {1U, 2U, 4U}) {
            if (has_option(step, "WIDTH_A=" + std::to_string(width)))
                result[0] = width;
            if (has_option(step, "WIDTH_B=" + std::to_string(width)))
                result[1] = width;
        }
        return result;
    };
    for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
        for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
            Arguments aligned = arguments(100, 104, 52, trans_a, trans_b);
            EXPECT_EQ(widths(aligned), (Widths{4, 4}));
            for (const std::size_t offset : {1U, 2U, 3U, 5U, 6U}) {
                const unsigned width = offset % 2 == 0 ? 2 : 1;
                Arguments x = aligned;
                x.offset_a = offset;
                EXPECT_EQ(widths(x), (Widths{width, 4}));
                x.offset_b = offset;
                EXPECT_EQ(widths(x), (Widths{width, width}));
                x.offset_a = 8;
                EXPECT_EQ(widths(x), (Widths{4, width}));
            }
            Arguments x = aligned;
            x.lda += 2;
            EXPECT_EQ(widths(x), (Widths{2, 4}));
            x.lda += 2;
            x.ldb += 3;
            EXPECT_EQ(widths(x), (Widths{4, 1}));
            // Sizes that are no whole vectors matter where memory runs along them.
            aligned.lda = aligned.ldb = aligned.ldc = 112;
            x = aligned;
            x.m = 101;
            EXPECT_EQ(widths(x), (Widths{trans_a == CLGEMM_NO_TRANS ? 1U : 4U, 4}));
            x = aligned;
            x.n = 102;
            EXPECT_EQ(widths(x), (Widths{4, trans_b == CLGEMM_TRANS ? 2U : 4U}));
            x = aligned;
            x.k = 51;
            EXPECT_EQ(widths(x), (Widths{trans_a == CLGEMM_TRANS ? 1U : 4U, trans_b == CLGEMM_NO_TRANS ? 1U : 4U}));
        }
}

TEST(DirectPlan, InPartsOfKWritesSumsThatAreAdded)
{
    const Arguments x = uneven(CLGEMM_NO_TRANS, CLGEMM_TRANS);
    for (const bool is_transposed : {false, true}) {
        const auto [problem, variant, plan] = planned(x, "20", {.split_k = 3, .transposed = is_transposed});
        ASSERT_EQ(purposes(plan), (Purposes{"multiply", "add the 3 parts of K"}));
        const Step& reduce = plan.steps[1];
        EXPECT_EQ(plan.steps[0].groups,
                  is_transposed ? (std::array<std::size_t, 3>{3, 2, 3}) : (std::array<std::size_t, 3>{4, 2, 3}));
        const Multiplication multiply(plan.steps[0]);
        EXPECT_EQ(multiply.arguments.K, 1003u);
        EXPECT_EQ(multiply.arguments.alpha, 1.0f) << "applied once, at the end";
        EXPECT_EQ(multiply.arguments.beta, 0.0f) << "the sums are not initialised";
        // However C is computed, its sums lie as C does: 202 rows, as columns of 204 floats.
        const std::uint64_t offset = multiply.c.offset, distance = 204 * 131;
        EXPECT_EQ(multiply.c,
                  is_transposed ? Operand(Memory::workspace, offset, 204, 1) : Operand(Memory::workspace, offset, 1, 204));
        EXPECT_EQ(multiply.arguments.partK, 352u) << "a third of 1003, in whole steps of 32";
        EXPECT_EQ(multiply.arguments.partC, distance) << "from part to part";
        EXPECT_GE(plan.workspace_bytes, 3 * distance * sizeof(float));
        EXPECT_LT(plan.workspace_bytes, 3 * distance * sizeof(float) + 256) << "and nothing else";
        EXPECT_EQ(reduce.buffers, (std::vector{Memory::workspace, Memory::c}));
        EXPECT_EQ(reduce.arguments, ArgumentBytes(kernel_arguments::Reducing{.rows = 202,
                                                                             .columns = 131,
                                                                             .parts = 3,
                                                                             .alpha = 2,
                                                                             .beta = 0.5f,
                                                                             .offsetSums = offset,
                                                                             .ldSums = 204,
                                                                             .partC = distance,
                                                                             .offsetC = 7,
                                                                             .ldc = x.ldc}));
    }
}

TEST(DirectPlan, TransposedHasItsOperandsAndStridesExchanged)
{
    const auto n = CLGEMM_NO_TRANS, t = CLGEMM_TRANS;
    for (const auto trans_a : {n, t})
        for (const auto trans_b : {n, t}) {
            Arguments x = uneven(trans_a, trans_b);
            x.offset_b = 8; // the caller's B is aligned
            x.n = 132;
            x.k = 1004;
            x.ldb = 1008;
            const Plan plan = planned(x, "20", {.transposed = true}).plan;
            ASSERT_EQ(purposes(plan), Purposes{"multiply"});
            EXPECT_EQ(plan.workspace_bytes, 0u);
            const Step& multiply = plan.steps[0];
            EXPECT_EQ(multiply.groups, (std::array<std::size_t, 3>{3, 2, 1})) << "132 x 202 in tiles of 64 x 128";
            EXPECT_EQ(multiply.buffers, (std::vector{Memory::b, Memory::a, Memory::c}));
            const kernel_arguments::Strided b{8, trans_b == n ? x.ldb : 1, trans_b == n ? 1 : x.ldb};
            const kernel_arguments::Strided a{3, trans_a == n ? x.lda : 1, trans_a == n ? 1 : x.lda};
            EXPECT_EQ(multiply.arguments,
                      ArgumentBytes(kernel_arguments::Multiplication{.M = 132,
                                                                     .N = 202,
                                                                     .K = 1004,
                                                                     .alpha = 2,
                                                                     .beta = 0.5f,
                                                                     .A = b,
                                                                     .B = a,
                                                                     .C = {.offset = 7, .row = x.ldc, .column = 1},
                                                                     .partK = 1024,
                                                                     .nextK = 0,
                                                                     .partA = 0,
                                                                     .partB = 0,
                                                                     .partC = 0,
                                                                     .first = 0}));
            EXPECT_TRUE(has_option(multiply, trans_b == t ? "TRANS_A=0" : "TRANS_A=1"));
            EXPECT_TRUE(has_option(multiply, trans_a == t ? "TRANS_B=0" : "TRANS_B=1"));
            EXPECT_TRUE(has_option(multiply, "WIDTH_A=4"));
            EXPECT_TRUE(has_option(multiply, "WIDTH_B=1"));
        }
}

// The launch that multiplies.
Outline::Launch multiplication_of(const Problem& problem, const Way& way)
{
    const Variant variant = variant_of(*find_kernel("20"), find_kernel("20")->variants.front()); // tiles of 64 x 128
    const Outline outline = variant.family().outline(problem, hopper_gpu(), variant, way);
    return outline.launches.front();
}

// What it waits for is a part of what it reads in any case: the first 192 of K, but two thirds at most.
TEST(DirectOutline, WaitsForMemoryWhereNoOtherTileReadsTheSame)
{
    constexpr double share = 192.0 / 4096;
    const double of_a = 4.0 * 4096 * 4096, of_b = 4.0 * 32 * 4096, of_c = 4.0 * 4096 * 32;
    const Problem few_columns = problem(4096, 32, 4096);
    for (const bool is_transposed : {false, true}) {
        const auto launch = multiplication_of(few_columns, {.transposed = is_transposed});
        EXPECT_DOUBLE_EQ(launch.bytes_first, share * of_a);
        EXPECT_DOUBLE_EQ(launch.bytes_first + launch.bytes, of_a + of_b + of_c);
    }
    EXPECT_DOUBLE_EQ(multiplication_of(problem(32, 4096, 4096), {}).bytes_first, share * of_a);
    EXPECT_DOUBLE_EQ(multiplication_of(few_columns, {.split_k = 8}).bytes_first, 8 * share * of_a);
    EXPECT_DOUBLE_EQ(multiplication_of(few_columns, {.split_k = 32}).bytes_first, 2.0 / 3 * of_a);
    EXPECT_DOUBLE_EQ(multiplication_of(problem(64, 128, 200000), {}).bytes_first, 192 * 4 * (64 + 128))
        << "a single tile reads both";
    EXPECT_EQ(multiplication_of(problem(65, 129, 200000), {}).bytes_first, 0) << "tiles share what they read";
    EXPECT_EQ(multiplication_of(problem(64, 64, 65536), {}).bytes_first, 0) << "it is in the cache from the call before";
}

// The work-groups of a shallow batch bring each other's operands to the cache.
TEST(DirectOutline, WaitsForNothingInShallowBatches)
{
    const auto waits_for = [](std::size_t count, std::size_t k) {
        Problem batch = problem(64, 64, k);
        batch.batch.count = count;
        batch.a.distance = batch.b.distance = 64 * k;
        batch.c.distance = 64 * 64;
        return multiplication_of(batch, {}).bytes_first;
    };
    EXPECT_EQ(waits_for(2000, 256), 0);
    EXPECT_DOUBLE_EQ(waits_for(2000, 257), 2.0 / 3 * 2000 * 4 * (64 + 64) * 257);
    EXPECT_GT(waits_for(1, 200000), 0) << "no other product follows";
}

// What runs along K takes longer to copy by pairs, and longer still by single floats; in parts of K more than that.
TEST(DirectOutline, CountsNarrowCopiesAlongK)
{
    const auto more = [](const Arguments& x, std::size_t parts = 1) {
        return multiplication_of(make_problem(x), {.split_k = parts}).steps_more;
    };
    const auto with_offsets = [](Arguments x, std::size_t a, std::size_t b) {
        x.offset_a = a;
        x.offset_b = b;
        return x;
    };
    const auto n = CLGEMM_NO_TRANS, t = CLGEMM_TRANS;
    const Arguments along_k = arguments(512, 512, 2048, t, n), elsewhere = arguments(512, 512, 2048, n, t);
    EXPECT_EQ(more(along_k), 0);
    EXPECT_EQ(more(with_offsets(elsewhere, 1, 1)), 0) << "measured as it is";
    for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{1, 0}, {0, 1}, {1, 1}}) {
        const double singles = more(with_offsets(along_k, a, b)), pairs = more(with_offsets(along_k, 2 * a, 2 * b));
        EXPECT_GT(pairs, 0);
        EXPECT_GT(singles, pairs);
        // Two parts have half of the steps each.
        EXPECT_GT(more(with_offsets(along_k, a, b), 2), singles / 2);
        EXPECT_GT(more(with_offsets(along_k, 2 * a, 2 * b), 2), pairs / 2);
    }
    EXPECT_GT(more(with_offsets(along_k, 1, 1)), more(with_offsets(along_k, 1, 0)));
    EXPECT_GT(more(with_offsets(along_k, 1, 1)), more(with_offsets(along_k, 0, 1)));
}

// On an H200 FP32 was faster at 4096x16x4096 TN, by 15 % (docs/notes/tuning.md), and kernel 20 is at those below
// (docs/notes/kernels.md).
TEST(DirectSelection, LeavesFewRowsAndColumnsAlongKToFP32OnAnH200)
{
    const EmbeddedText& h200 = tuning_text_of("NVIDIA H200");
    const DeviceProfile device = device_of(h200);
    const Tuning tuning = tuning_of(h200);
    const auto n = CLGEMM_NO_TRANS, t = CLGEMM_TRANS;
    for (const Problem& by_default : {problem(16, 4096, 4096, t, n), problem(4096, 16, 4096, t, n)}) {
        Problem strict = by_default;
        strict.arithmetic.accuracy = CLGEMM_MATH_STRICT;
        const Selection chosen = select(by_default, device, tuning, {}), in_fp32 = select(strict, device, tuning, {});
        EXPECT_EQ(chosen.variant.kernel->name, in_fp32.variant.kernel->name) << describe(by_default);
        EXPECT_EQ(chosen.variant.parameters.text(), in_fp32.variant.parameters.text()) << describe(by_default);
        EXPECT_EQ(chosen.way, in_fp32.way) << describe(by_default);
    }
    // What it was faster at it keeps.
    for (const Problem& kept : {problem(16, 4096, 4096), problem(4096, 32, 4096, t, n), problem(64, 8192, 8192),
                                problem(64, 64, 65536), problem(128, 128, 16384)})
        EXPECT_EQ(select(kept, device, tuning, {}).variant.kernel->name, "tensor_direct") << describe(kept);
}

} // namespace clgemm::test
