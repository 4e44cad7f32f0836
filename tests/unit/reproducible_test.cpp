// What CLGEMM_MATH_REPRODUCIBLE means for plans, selections, fallbacks and tiles of products on host memory.
#include "made_up_tuning.hpp"
#include "multiply_plans.hpp"

#include "host/partition.hpp"
#include "reference/reproducible.hpp"
#include "select/fallbacks.hpp"
#include "support/error.hpp"
#include "tune/targets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <sstream>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

Problem reproducible_problem(std::size_t m, std::size_t n, std::size_t k)
{
    Problem result = problem(m, n, k);
    result.arithmetic.accuracy = CLGEMM_MATH_REPRODUCIBLE;
    return result;
}

std::string text_of(const std::string& path)
{
    std::ostringstream text;
    text << std::ifstream(std::string(CLGEMM_SOURCE_DIR) + "/" + path).rdbuf();
    return text.str();
}

} // namespace

TEST(TheLoop, MakesOneZeroAndOneNan)
{
    const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
    const float tiny[] = {-0x1p-100f, 0x1p-100f}, nan = std::bit_cast<float>(0xffc12345U), one = 1;
    EXPECT_EQ(bits(clgemm::reference::reproducible(1, 1, tiny, 1, tiny + 1, 1, 0, nullptr)), 0u) << "an underflow to -0";
    EXPECT_EQ(bits(clgemm::reference::reproducible(1, 1, &nan, 1, &one, 1, 0, nullptr)), 0x7fc00000u);
    EXPECT_EQ(bits(clgemm::reference::reproducible(0, 1, nullptr, 1, nullptr, 1, 2, &nan)), 0x7fc00000u);
}

TEST(TheLoop, IsQuotedInTheDocumentation)
{
    const std::string file = text_of("reference/reproducible.hpp");
    const std::string from = "    // quoted from here\n";
    const std::size_t begin = file.find(from) + from.size();
    const std::string loop = file.substr(begin, file.find("    // to here") - begin);
    ASSERT_GT(loop.size(), 300u);
    EXPECT_NE(text_of("docs/accuracy.md").find(loop), std::string::npos);
}

TEST(ReproduciblePlans, TellEveryKernelAndOthersNone)
{
    for (const KernelInfo& kernel : kernels())
        for (const DeviceProfile& device : {hopper_gpu(), made_up_cpu()}) {
            const Problem asked = reproducible_problem(300, 200, 400);
            for (const Variant& variant : variants_for(kernel, asked, device)) {
                for (const Step& step : made_plan(asked, device, variant, {}).steps)
                    EXPECT_TRUE(has_option(step, "REPRODUCIBLE=512")) << kernel.name << ": " << step.purpose;
                for (const Step& step : made_plan(problem(300, 200, 400), device, variant, {}).steps)
                    EXPECT_EQ(step.options.find("REPRODUCIBLE"), std::string::npos) << kernel.name;
            }
        }
}

TEST(ReproduciblePlans, OfADeepProductHaveOnePartForEachBlockOfK)
{
    const Problem deep = reproducible_problem(64, 64, 5000);
    const Variant variant = first_variant("13_warp_tiled");
    std::vector<std::size_t> counts;
    for (const Way& way : variant.family().ways(deep, large_gpu(), variant))
        if (way.form == 0)
            counts.push_back(way.split_k);
    EXPECT_EQ(counts, (std::vector<std::size_t>{1, 10}));
    // Whatever number comes from an entry for this call: parts are blocks.
    for (const std::size_t parts : {2U, 3U, 10U}) {
        const Plan plan = made_plan(deep, large_gpu(), variant, {.split_k = parts});
        const auto call = plan.steps.front().arguments.as<kernel_arguments::Multiplication>();
        EXPECT_EQ(call.partK, reproducible_depth);
        EXPECT_EQ(plan.steps.front().groups[2], 10u);
    }
}

Plan of_kernel_13(const Problem& problem, const Way& way)
{
    return made_plan(problem, large_gpu(), first_variant("13_warp_tiled"), way);
}

kernel_arguments::Multiplication multiplied_in(const Step& step)
{
    return step.arguments.as<kernel_arguments::Multiplication>();
}

TEST(ReproduciblePlans, GoThroughAllBlocksOfKInOneLaunchWhereStepsDivideIt)
{
    const Plan plan = of_kernel_13(reproducible_problem(256, 256, 2000), {});
    ASSERT_EQ(plan.steps.size(), 1u);
    EXPECT_EQ(multiplied_in(plan.steps[0]).K, 2000u);
    EXPECT_TRUE(has_option(plan.steps[0], "SEVERAL_BLOCKS=1"));
    const Plan of_one_block = of_kernel_13(reproducible_problem(256, 256, 512), {});
    EXPECT_FALSE(has_option(of_one_block.steps[0], "SEVERAL_BLOCKS=1"));
}

TEST(ReproduciblePlans, LeaveWhatIsMoreThanWholeBlocksToASecondLaunch)
{
    const Plan plan = of_kernel_13(reproducible_problem(256, 256, 2049), {});
    ASSERT_EQ(plan.steps.size(), 2u);
    const auto whole = multiplied_in(plan.steps[0]), rest = multiplied_in(plan.steps[1]);
    EXPECT_EQ(whole.K, 2048u);
    EXPECT_EQ(rest.K, 1u);
    EXPECT_EQ(rest.B.offset, whole.B.offset + 2048);
    EXPECT_EQ(rest.beta, 1.0f);
    EXPECT_TRUE(has_option(plan.steps[0], "SEVERAL_BLOCKS=1"));
    EXPECT_FALSE(has_option(plan.steps[1], "SEVERAL_BLOCKS=1"));
}

TEST(ReproduciblePlans, HaveALaunchForEachBlockWhereCIsNotAlignedOrComputeItElsewhere)
{
    Problem asked = reproducible_problem(257, 255, 1536);
    asked.beta = 0.5f;
    EXPECT_EQ(purposes(of_kernel_13(asked, {})), (std::vector<std::string>{"multiply", "multiply", "multiply"}));
    const Plan elsewhere = of_kernel_13(asked, {.form = 4});
    EXPECT_EQ(purposes(elsewhere), (std::vector<std::string>{"pad C", "multiply", "unpad C"}));
    EXPECT_EQ(multiplied_in(elsewhere.steps[1]).beta, 0.5f);
    EXPECT_EQ(elsewhere.steps[2].arguments.as<kernel_arguments::Unpadding>().beta, 0.0f) << "C is in the sum";
    asked.beta = 0;
    EXPECT_EQ(purposes(of_kernel_13(asked, {.form = 4})), (std::vector<std::string>{"multiply", "unpad C"}));
}

TEST(ReproduciblePlans, FillKUpToStepsWhereBothOperandsAreCopied)
{
    Problem asked = problem(257, 255, 1025, CLGEMM_TRANS);
    asked.arithmetic.accuracy = CLGEMM_MATH_REPRODUCIBLE;
    const Plan plan = of_kernel_13(asked, {.form = 7});
    EXPECT_EQ(purposes(plan), (std::vector<std::string>{"transpose A", "transpose B", "multiply", "unpad C"}));
    EXPECT_EQ(multiplied_in(plan.steps[2]).K, 1040u);
    EXPECT_EQ(purposes(of_kernel_13(asked, {.form = 6})).size(), 4u) << "transpose B, two launches, unpad C";
}

// alpha * 0 is NaN where alpha is infinite, and adding it makes +0 of what was -0.
TEST(ReproduciblePlans, FillUpNoBlockOfNothingElse)
{
    Variant deep = first_variant("13_warp_tiled");
    deep.parameters = deep.parameters.with("TSM", 64).with("TSN", 32).with("WTN", 32).with("TSK", 1024);
    deep.tiling = deep.family().tiling(deep.parameters);
    ASSERT_TRUE(deep.family().is_valid(deep.parameters));
    Problem asked = problem(257, 255, 1025, CLGEMM_TRANS);
    asked.arithmetic.accuracy = CLGEMM_MATH_REPRODUCIBLE;
    for (const Way& way : {Way{.form = 3}, {.form = 3, .split_k = 3}, {.form = 7}}) {
        std::size_t k = 0;
        for (const Step& step : made_plan(asked, made_up_cpu(), deep, way).steps)
            if (step.purpose == "multiply")
                k += multiplied_in(step).K;
        EXPECT_EQ(k, 1536u) << "form " << way.form;
    }
}

// A failure before the last step leaves C as it was, and the call is made in another way.
TEST(ReproduciblePlans, WriteCAtTheEndWhereItIsComputedElsewhere)
{
    Problem asked = reproducible_problem(257, 255, 1536);
    asked.beta = 0.5f;
    std::vector<bool> writing;
    for (const Step& step : of_kernel_13(asked, {.form = 4}).steps)
        writing.push_back(step.writes_c());
    EXPECT_EQ(writing, (std::vector<bool>{false, false, true}));
}

// What is selected is remembered for all factors, and so is the workspace that goes with it.
TEST(ReproduciblePlans, AreEstimatedAlikeForAllFactors)
{
    const Variant variant = first_variant("13_warp_tiled");
    Problem asked = reproducible_problem(257, 255, 1536);
    for (const Way& way : variant.family().ways(asked, large_gpu(), variant)) {
        std::vector<std::size_t> launches;
        for (const float beta : {0.0f, 0.5f}) {
            asked.beta = beta;
            launches.push_back(variant.family().outline(asked, large_gpu(), variant, way).launches.size());
        }
        EXPECT_EQ(launches.front(), launches.back()) << "form " << way.form;
    }
}

TEST(ReproduciblePlans, CountStoringByFloatsWhereCIsStoredSo)
{
    const Variant variant = first_variant("13_warp_tiled");
    const auto more = [&](std::size_t m, const Way& way) {
        for (const Outline::Launch& launch :
             variant.family().outline(reproducible_problem(m, 256, 1024), large_gpu(), variant, way).launches)
            if (launch.load.steps > 0)
                return launch.steps_more / static_cast<double>(launch.load.steps);
        return -1.0;
    };
    EXPECT_GT(more(255, {}), more(256, {}));
    EXPECT_EQ(more(255, {.form = 4}), more(256, {})) << "the copy of C is aligned";
}

// Its estimate must not be that of a whole block.
TEST(ReproduciblePlans, CountALastPartOfKThatHasNextToNothing)
{
    const Variant variant = first_variant("13_warp_tiled");
    const auto load_of = [&](std::size_t k) {
        const Outline outline =
            variant.family().outline(reproducible_problem(2048, 2048, k), large_gpu(), variant, {.split_k = 3});
        return outline.launches.front().load.per_unit;
    };
    EXPECT_LT(load_of(1025), 1.01 * load_of(1024));
    EXPECT_GT(load_of(1536), 1.3 * load_of(1024));
}

TEST(ReproducibleKernels, AreTheseAndNoOther)
{
    std::string names;
    for (const KernelInfo& kernel : kernels())
        if (is_reproducible(kernel.family->computes({.accuracy = CLGEMM_MATH_REPRODUCIBLE})))
            names += std::string(kernel.name) + " ";
    EXPECT_EQ(names, "01_naive 13_warp_tiled skinny cpu_packed cpu_fused cpu_vector small_batch shallow ");
}

TEST(ReproducibleKernels, HaveNoSlicesAndBlocksOfTheGivenDepth)
{
    const Problem asked = reproducible_problem(500, 500, 2000);
    for (const KernelInfo& kernel : kernels())
        for (const Variant& variant : variants_for(kernel, asked, large_gpu()))
            for (const Step& step : made_plan(asked, large_gpu(), variant, {}).steps) {
                EXPECT_EQ(step.options.find("SLICES=2"), std::string::npos);
                EXPECT_EQ(step.options.find("SLICES=4"), std::string::npos);
            }
    for (const char* const name : {"cpu_packed", "cpu_fused", "cpu_vector"})
        for (const Step& step : made_plan(asked, made_up_cpu(), first_variant(name), {}).steps)
            EXPECT_TRUE(has_option(step, "TSK=512")) << name << ": " << step.options;
}

TEST(ReproducibleKernels, OfFewColumnsHaveAsManyBlocksAtATimeAsThereAre)
{
    const Variant variant =
        variant_of(*find_kernel("skinny"), find_kernel("skinny")->variants[1]); // 32 rows, 512 work-items
    const auto built = [&](const Problem& asked, const Way& way) {
        return made_plan(asked, large_gpu(), variant, way).steps.front();
    };
    const auto rows = [](std::size_t k) { return reproducible_problem(4096, 1, k); };
    EXPECT_TRUE(has_option(built(rows(400), {}), "BLOCKS=1"));
    EXPECT_TRUE(has_option(built(rows(1024), {}), "BLOCKS=2"));
    EXPECT_TRUE(has_option(built(rows(1025), {}), "BLOCKS=4"));
    EXPECT_TRUE(has_option(built(rows(100000), {}), "BLOCKS=16")) << "a chain for each work-item";
    EXPECT_TRUE(has_option(built(rows(100000), {.split_k = 196}), "BLOCKS=1")) << "parts of K are blocks";
    // Where memory runs along K, 64 floats of a row are read together: 16 times 512 floats, in 4 blocks of 32 rows.
    Problem turned = problem(4096, 1, 100000, CLGEMM_TRANS);
    turned.arithmetic.accuracy = CLGEMM_MATH_REPRODUCIBLE;
    EXPECT_TRUE(has_option(built(turned, {}), "BLOCKS=4"));
    EXPECT_TRUE(has_option(built(turned, {}), "EACH=16"));
}

TEST(ReproducibleKernels, OfFewColumnsAreRefusedWithoutTheLocalMemoryThatTheyNeed)
{
    const Variant variant = variant_of(*find_kernel("skinny"), find_kernel("skinny")->variants[1]);
    DeviceProfile device = large_gpu();
    device.local_memory = 33000;
    EXPECT_TRUE(takes(problem(4096, 1, 8192), variant, device));
    const Answer answer = takes(reproducible_problem(4096, 1, 8192), variant, device);
    ASSERT_FALSE(answer);
    EXPECT_NE(answer.reason().find("local memory to add products in a given order"), std::string::npos) << answer.reason();
    // One row for each of four work-items leaves none for a chain.
    const Variant narrow = variant_of(*find_kernel("skinny"), variant.parameters.with("PARTS", 2).with("LANES", 2));
    EXPECT_FALSE(takes(reproducible_problem(4096, 1, 8192), narrow, large_gpu()));
}

// Blocks of K are deeper than a small variant's own: kernel 17 takes more local memory then, if the device has it.
TEST(ReproducibleKernels, OfCpusPackOnePanelAtLeast)
{
    const KernelInfo& kernel = *find_kernel("cpu_fused");
    const Problem asked = reproducible_problem(500, 500, 2000);
    DeviceProfile cpu = made_up_cpu();
    cpu.local_memory = 256 * 1024; // Intel's runtime: too little for the first variant's own blocks
    cpu.vector_width = 16;
    const std::vector<Variant> variants = variants_for(kernel, asked, cpu);
    ASSERT_EQ(variants.size(), 1u);
    EXPECT_EQ(variants[0].parameters["TSM"], 64u);
    EXPECT_EQ(variants[0].parameters["TSK"], 128u);
    const Step step = made_plan(asked, cpu, variants[0], {}).steps.front();
    EXPECT_TRUE(has_option(step, "TSM=64")) << step.options;
    EXPECT_TRUE(has_option(step, "TSK=512")) << step.options;
    cpu.local_memory = 64 * 512 * sizeof(float);
    EXPECT_TRUE(takes(asked, variants[0], cpu));
    cpu.local_memory -= 1;
    const Answer answer = takes(asked, variants[0], cpu);
    ASSERT_FALSE(answer);
    EXPECT_NE(answer.reason().find("needs 131072 bytes of local memory to sum up 512 products"), std::string::npos)
        << answer.reason();
    EXPECT_TRUE(takes(problem(500, 500, 2000), variants[0], cpu)) << "its own blocks fit";
}

TEST(ReproducibleKernels, HaveSmallerTilesForEachWorkItemInPlaceOfSlices)
{
    const auto built = [](std::size_t number) {
        const KernelInfo& kernel = *find_kernel("13_warp_tiled");
        return made_plan(reproducible_problem(500, 500, 500), large_gpu(), variant_of(kernel, kernel.variants[number]), {})
            .steps.front();
    };
    EXPECT_TRUE(has_option(built(2), "WPTM=4")) << "64 x 32 in four slices";
    EXPECT_TRUE(has_option(built(2), "WTM=32"));
    EXPECT_EQ(built(2).group_size[0], 128u) << "as many work-items as with slices";
    EXPECT_TRUE(has_option(built(1), "WPTM=8")) << "64 x 64 without slices";
}

TEST(ReproduciblePlans, AddPartsInVectorsOnCpus)
{
    const Problem deep = reproducible_problem(100, 10, 5000);
    const Step on_cpu = made_plan(deep, made_up_cpu(), first_variant("cpu_fused"), {.split_k = 10}).steps.back();
    const auto width = std::max<std::size_t>(4, made_up_cpu().vector_width);
    EXPECT_TRUE(has_option(on_cpu, "WIDTH=" + std::to_string(width))) << on_cpu.options;
    EXPECT_EQ(on_cpu.function, std::string("cpu_reduce"));
    const Step on_gpu = made_plan(deep, large_gpu(), first_variant("13_warp_tiled"), {.split_k = 10}).steps.back();
    EXPECT_EQ(on_gpu.function, std::string("reduce"));
}

TEST(ReproducibleSelections, AreCheckedAtTheirFirstUseOnEveryDevice)
{
    for (const DeviceProfile& device : {large_gpu(), made_up_cpu()}) {
        const Tuning known = tuning_of({measured("13", "NN", 1000)});
        EXPECT_TRUE(select(reproducible_problem(1000, 1000, 1000), device, known, {}).is_unproven);
        EXPECT_FALSE(select(problem(1000, 1000, 1000), device, known, {}).is_unproven);
    }
}

TEST(ReproducibleSelections, ThereAreNoneWithoutSubnormalNumbers)
{
    DeviceProfile device = large_gpu();
    device.has_ieee_floats = false;
    EXPECT_NO_THROW(clgemm::test::select(problem(10, 10, 10), device, nullptr));
    try {
        clgemm::test::select(reproducible_problem(10, 10, 10), device, nullptr);
        FAIL();
    } catch (const clgemm::core::Error& error) {
        EXPECT_EQ(error.status(), CLGEMM_KERNEL_NOT_SUPPORTED);
        EXPECT_NE(std::string(error.what()).find("subnormal numbers"), std::string::npos) << error.what();
    }
}

TEST(ReproducibleFallbacks, StayReproducible)
{
    std::optional<Attempt> next = Attempt{CLGEMM_MATH_REPRODUCIBLE, {}};
    int attempts = 0;
    for (; next; next = attempt_after(*next, 0), attempts++)
        EXPECT_EQ(next->accuracy, CLGEMM_MATH_REPRODUCIBLE);
    EXPECT_EQ(attempts, 3) << "as asked, without temporaries, and the last resort";
}

TEST(ReproducibleTiles, CutKAtTheEdgesOfBlocks)
{
    constexpr std::size_t kilobyte = std::size_t{1} << 10;
    for (const std::size_t room : {64 * kilobyte, 256 * kilobyte, 65536 * kilobyte}) {
        const auto partition = choose_partition(reproducible_problem(1000, 1100, 100000), {room, room / 4});
        EXPECT_GT(partition.k.count(), 1u);
        EXPECT_EQ(partition.k.size % reproducible_depth, 0u);
        const std::size_t widest = std::max(partition.m.size, partition.n.size);
        EXPECT_LE(widest * partition.k.size * sizeof(float), room / 4);
    }
}

TEST(ReproducibleTuning, IsThatOfStrictMode)
{
    const auto accuracies = clgemm::tune::accuracies_for(hopper_gpu());
    EXPECT_EQ(std::count(accuracies.begin(), accuracies.end(), CLGEMM_MATH_REPRODUCIBLE), 0);
    EXPECT_EQ(measured_as({.accuracy = CLGEMM_MATH_REPRODUCIBLE}).accuracy, CLGEMM_MATH_STRICT);
    EXPECT_EQ(measured_as({}), Arithmetic{});
}
