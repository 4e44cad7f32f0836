// Kernel tensor_rounded: who gets it, and its plans: one launch where the copy engine can read the operands as they lie, and
// copies where it cannot.
#include "device/instructions.hpp"
#include "families/registry.hpp"
#include "select/selection.hpp"
#include "support/error.hpp"
#include "unit/made_up_tuning.hpp"
#include "unit/multiply_plans.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>

namespace clgemm::test {

using namespace core;

namespace {

constexpr const char* name = "tensor_rounded";

Problem in_tf32(const Arguments& x)
{
    Problem result = make_problem(x);
    result.arithmetic.accuracy = CLGEMM_MATH_TF32;
    return result;
}

std::vector<Way> ways_of(const Problem& problem)
{
    const Variant variant = variant_of(*find_kernel(name), find_kernel(name)->variants.front());
    return variant.family().ways(problem, hopper_gpu(), variant);
}

bool any_transposed(const std::vector<Way>& ways)
{
    return std::any_of(ways.begin(), ways.end(), [](const Way& way) { return way.transposed; });
}
bool any_plain(const std::vector<Way>& ways)
{
    return std::any_of(ways.begin(), ways.end(), [](const Way& way) { return !way.transposed; });
}

// Operands that begin with each row or column at a multiple of four floats.
Arguments aligned(clgemm_transpose trans_a, clgemm_transpose trans_b)
{
    Arguments x = arguments(201, 131, 1003, trans_a, trans_b);
    x.lda = x.ldb = x.ldc = 1004;
    return x;
}

} // namespace

TEST(Rounded, IsForThoseWhoAskForTf32)
{
    const auto chosen_for = [](clgemm_math math, const DeviceProfile& device) {
        Problem x = make_problem(arguments(2048, 2048, 2048, CLGEMM_TRANS, CLGEMM_NO_TRANS));
        x.arithmetic.accuracy = math;
        return clgemm::test::chosen(x, device);
    };
    EXPECT_EQ(chosen_for(CLGEMM_MATH_TF32, hopper_gpu()), name);
    for (const clgemm_math math : {CLGEMM_MATH_FAST, CLGEMM_MATH_DEFAULT, CLGEMM_MATH_STRICT, CLGEMM_MATH_REPRODUCIBLE})
        EXPECT_NE(chosen_for(math, hopper_gpu()), name);
    EXPECT_NE(chosen_for(CLGEMM_MATH_TF32, ampere_gpu()), name);
}

TEST(Rounded, IsOneLaunchOfOperandsAsTheyLie)
{
    const Arguments x = aligned(CLGEMM_TRANS, CLGEMM_NO_TRANS);
    const auto [problem, variant, plan] = planned(x, name, {});
    ASSERT_EQ(purposes(plan), Purposes{"multiply"});
    const Step& multiply = plan.steps[0];
    EXPECT_EQ(multiply.options, variant.parameters.options() + " -DTRANS_B=0 -DTURNED=0");
    EXPECT_EQ(multiply.groups, (std::array<std::size_t, 3>{1, 2, 1})) << "tiles of 256 x 128";
    EXPECT_EQ(multiply.group_size, (std::array<std::size_t, 2>{384, 1}));
    EXPECT_EQ(multiply.buffers, (std::vector{Memory::a, Memory::b, Memory::c, Memory::workspace}));
    EXPECT_GT(multiply.retargeted_local_bytes, 48u << 10) << "more than OpenCL gives";
    EXPECT_EQ(plan.workspace_bytes, 2u * 256) << "two maps of 128 bytes for each work-group";
    const auto numbers = numbers_of<kernel_arguments::MappedMultiplication>(multiply);
    EXPECT_EQ(numbers.maps, 0u);
    EXPECT_EQ(numbers.whole.K, 1003u);
    EXPECT_EQ(Operand(Memory::a, numbers.whole.A), Operand(Memory::a, x.offset_a, 1004, 1));
    EXPECT_EQ(Operand(Memory::b, numbers.whole.B), Operand(Memory::b, x.offset_b, 1, 1004));
}

// The tensor cores take one operand along K alone. Which of the two it is can be chosen.
TEST(Rounded, TakesOperandsInPlaceUnlessNeitherRunsAlongK)
{
    for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
        for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
            const bool a_along_k = trans_a == CLGEMM_TRANS, b_along_k = trans_b == CLGEMM_NO_TRANS;
            const Arguments x = aligned(trans_a, trans_b);
            const std::vector<Way> ways = ways_of(in_tf32(x));
            EXPECT_EQ(any_plain(ways), a_along_k || !b_along_k);
            EXPECT_EQ(any_transposed(ways), b_along_k || !a_along_k);
            for (const Way& way : ways)
                if (way.split_k == 1) {
                    EXPECT_EQ(planned(x, name, way).plan.steps.size(), a_along_k || b_along_k ? 1u : 2u);
                }
        }
}

TEST(Rounded, CopiesWhatTheCopyEngineCannotRead)
{
    const auto steps = [](const Arguments& x) { return purposes(planned(x, name, {}).plan); };
    EXPECT_EQ(steps(aligned(CLGEMM_NO_TRANS, CLGEMM_TRANS)), (Purposes{"transpose A", "multiply"}));
    Arguments x = aligned(CLGEMM_TRANS, CLGEMM_NO_TRANS);
    x.lda++;
    EXPECT_EQ(steps(x), (Purposes{"pad A", "multiply"}));
    x.offset_b = 2;
    EXPECT_EQ(steps(x), (Purposes{"pad A", "pad B", "multiply"}));
    x = aligned(CLGEMM_TRANS, CLGEMM_TRANS);
    x.ldb++;
    EXPECT_EQ(steps(x), (Purposes{"pad B", "multiply"})) << "B along N is as good as along K";
    // Copies begin with each row or column at a multiple of four floats.
    const auto plan = planned(x, name, {}).plan;
    const auto numbers = numbers_of<kernel_arguments::MappedMultiplication>(plan.steps[1]).whole;
    EXPECT_EQ(plan.steps[1].buffers, (std::vector{Memory::a, Memory::workspace, Memory::c, Memory::workspace}));
    EXPECT_EQ(numbers.B.row, 132u) << "131 columns";
    EXPECT_EQ(numbers.B.offset % 4, 0u);
}

// Each work-group has its own place for maps, also of a part of K, or of a product of a batch.
TEST(Rounded, HasAPlaceForTheMapsOfEachWorkGroup)
{
    const Arguments x = aligned(CLGEMM_TRANS, CLGEMM_NO_TRANS);
    const auto in_parts = planned(x, name, {.form = 1, .split_k = 3}).plan;
    const std::size_t sums = 3 * 204 * 131 * sizeof(float), maps = 2 * 3 * 256;
    EXPECT_EQ(in_parts.steps[0].groups[2], 3u);
    EXPECT_GE(in_parts.workspace_bytes, sums + maps);
    EXPECT_LT(in_parts.workspace_bytes, sums + maps + 256);
    EXPECT_GE(numbers_of<kernel_arguments::MappedMultiplication>(in_parts.steps[0]).maps * sizeof(float), sums);

    const auto exchanged = planned(x, name, {.form = 1, .transposed = true}).plan;
    EXPECT_EQ(exchanged.steps[0].groups, (std::array<std::size_t, 3>{1, 2, 1}));
    EXPECT_TRUE(has_option(exchanged.steps[0], "TURNED=1"));
}

// A shallow K, and more tiles than compute units: as many work-groups as these compute all tiles.
TEST(Rounded, ComputesTilesInTurnWhereKIsShallow)
{
    const auto in_turn = [](std::size_t m, std::size_t n, std::size_t k) {
        Arguments x = arguments(m, n, k, CLGEMM_TRANS, CLGEMM_NO_TRANS);
        x.lda = x.ldb = x.ldc = 16384;
        for (const Way& way : ways_of(in_tf32(x)))
            if ((way.form & 2) != 0)
                return std::optional(planned(x, name, way).plan);
        return std::optional<Plan>();
    };
    const std::optional<Plan> plan = in_turn(16000, 8000, 64);
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->steps.size(), 1u);
    const std::size_t units = hopper_gpu().compute_units;
    EXPECT_EQ(plan->steps[0].groups, (std::array<std::size_t, 3>{units, 1, 1}));
    EXPECT_TRUE(has_option(plan->steps[0], "SEVERAL_TILES=1"));
    EXPECT_TRUE(has_option(plan->steps[0], "STAGES=3")) << "sums have local memory of their own";
    EXPECT_LE(plan->steps[0].retargeted_local_bytes, hopper_gpu().retargeted_local_memory);
    EXPECT_FALSE(in_turn(16000, 8000, 1000)) << "K is deep";
    EXPECT_FALSE(in_turn(1000, 1000, 64)) << "no unit has several tiles";
}

// Older drivers refuse its tensor maps, or take them for something else.
TEST(Rounded, IsForDriversThatTakeItsMaps)
{
    for (const auto& [version, is_taken] :
         {std::pair{"535.104.05", false}, {"560.35.03", false}, {"570.86.10", true}, {"580.159.04", true}, {"", false}}) {
        DeviceProfile device = hopper_gpu();
        device.driver_version = version;
        device.instructions = find_instructions(device);
        EXPECT_EQ(device.instructions.has(Instructions::nvidia_tensor_maps), is_taken) << version;
        EXPECT_TRUE(device.instructions.has(Instructions::nvidia_wgmma)) << version;
    }
}

// A single row may have any leading dimension. But a copy is made where others of its kind would need one.
TEST(Rounded, LooksAtTheLeadingDimensionOfASingleRow)
{
    Arguments x = arguments(1, 131, 1003, CLGEMM_TRANS, CLGEMM_NO_TRANS);
    x.lda = 1005;
    x.ldb = 1004;
    EXPECT_EQ(purposes(planned(x, name, {}).plan), (Purposes{"pad A", "multiply"}));
}

// The copy engine counts along K in 31 bits.
TEST(Rounded, RefusesADeeperK)
{
    constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
    const Variant variant = variant_of(*find_kernel(name), find_kernel(name)->variants.front());
    Problem x = in_tf32(arguments(1, 1, most, CLGEMM_TRANS, CLGEMM_NO_TRANS));
    EXPECT_TRUE(takes(x, variant, hopper_gpu()));
    x.k++;
    const Answer answer = takes(x, variant, hopper_gpu());
    EXPECT_FALSE(answer);
    EXPECT_NE(answer.reason().find("31 bits"), std::string::npos);
}

TEST(Rounded, KnowsWhichSizesFitTogether)
{
    const KernelInfo& kernel = *find_kernel(name);
    const Parameters& first = kernel.variants.front();
    for (const auto& [parameter, value] : {std::pair{"TSM", std::size_t{72}},
                                           {"TSM", 48},
                                           {"TSM", 144},
                                           {"TSM", 288},
                                           {"TSN", 96},
                                           {"TSN", 64},
                                           {"TSK", 16},
                                           {"STAGES", 1},
                                           {"GROUP", 0}})
        EXPECT_FALSE(is_valid(kernel, first.with(parameter, value))) << parameter << " = " << value;
    const Parameters few = first.with("TSM", 128).with("TSN", 64);
    EXPECT_TRUE(is_valid(kernel, few));
    EXPECT_FALSE(is_valid(kernel, few.with("STAGES", 5))) << "two warpgroups take turns";
}

} // namespace clgemm::test
