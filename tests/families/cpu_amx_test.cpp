// The family cpu_amx: when it is chosen, what its plans are made of, and that parts of K are whole blocks.
#include "unit/multiply_plans.hpp"

#include "support/whole_numbers.hpp"
#include "tuning/derived_tuning.hpp"
#include "unit/made_up_tuning.hpp"

#include <gtest/gtest.h>

namespace clgemm::test {

using namespace core;

namespace {

constexpr unsigned b_passes = 0, packed_before = 1, a_passes = 2; // Way::form

Selection guessed(const Problem& problem, const DeviceProfile& device)
{
    return select(problem, device, derived_tuning(device), {});
}

Plan plan_of(const Problem& problem, const DeviceProfile& device, const Way& way = {})
{
    return planned(problem, device, variant_of("cpu_amx", device), way).plan;
}

} // namespace

TEST(CpuAmxFamily, IsGuessedToBeTheFastestForLargeProductsOnCpusWithTiles)
{
    for (const std::size_t n : {512U, 1024U, 4096U}) {
        const Selection chosen = guessed(problem(n, n, n), cpu_with_tiles());
        EXPECT_EQ(chosen.variant.kernel->name, "cpu_amx") << n;
        EXPECT_TRUE(chosen.is_unproven) << "it is compared with the loop before it is believed";
        EXPECT_NE(guessed(problem(n, n, n), made_up_cpu()).variant.kernel->name, "cpu_amx") << n;
    }
    Problem strict = problem(1024, 1024, 1024);
    strict.arithmetic.accuracy = CLGEMM_MATH_STRICT;
    EXPECT_NE(guessed(strict, cpu_with_tiles()).variant.kernel->name, "cpu_amx");
    EXPECT_NE(guessed(problem(4096, 1, 4096), cpu_with_tiles()).variant.kernel->name, "cpu_amx") << "memory is all";
}

TEST(CpuAmxFamily, ProgramsAreToldWhereTilesComeFrom)
{
    DeviceProfile device = cpu_with_tiles();
    for (const auto& [tiles, option] : {std::pair{Tiles::amx, "TILES=1"}, {Tiles::model, "TILES=2"}}) {
        device.tiles = tiles;
        const Variant variant = with_device_features(variant_of("cpu_amx", device), device);
        EXPECT_NE(variant.parameters.options().find(option), std::string::npos) << variant.parameters.text();
    }
}

TEST(CpuAmxFamily, PartsOfKAreWholeBlocks)
{
    const Problem deep = problem(64, 64, 5000);
    const std::size_t block = 512; // 5000 in ten blocks of multiples of 32
    for (const Way& way : variant_of("cpu_amx", cpu_with_tiles())
                              .family()
                              .ways(deep, cpu_with_tiles(), variant_of("cpu_amx", cpu_with_tiles()))) {
        const Plan plan = plan_of(deep, cpu_with_tiles(), way);
        const std::size_t packings = way.form == packed_before ? 1 : 0;
        const Step& multiply = plan.steps.at(packings);
        const auto told = way.form == packed_before ? numbers_of<kernel_arguments::ImageBlockMultiplication>(multiply).whole
                                                    : numbers_of<kernel_arguments::BlockMultiplication>(multiply).whole;
        EXPECT_EQ(multiply.groups[2], divide_up(5000, told.partK));
        if (way.split_k > 1) {
            EXPECT_EQ(told.partK % block, 0u) << way.split_k;
            EXPECT_EQ(plan.steps.size(), packings + 2) << "the parts are added";
        }
    }
}

TEST(CpuAmxFamily, OperandsInPiecesDoNotOverlapAndFitTheWorkspace)
{
    const Plan plan = plan_of(problem(100, 333, 777, CLGEMM_TRANS), cpu_with_tiles(), {.form = packed_before});
    ASSERT_EQ(plan.steps.size(), 2u);
    const auto split = numbers_of<kernel_arguments::Splitting>(plan.steps[0]);
    EXPECT_EQ(plan.steps[0].buffers, (std::vector{Memory::a, Memory::b, Memory::workspace}));
    EXPECT_EQ(plan.steps[0].groups, (std::array<std::size_t, 3>{4 + 11, 2, 1}));
    EXPECT_EQ(split.groupsA, 4u);
    EXPECT_EQ(split.groups, 15u);
    const std::size_t steps = 25, floats = 32 * 32 * 3 / 2, of_a = 4 * steps * floats, of_b = 11 * steps * floats;
    EXPECT_GE(split.imageA.ranges, split.imageA.offset + of_a);
    EXPECT_GE(split.imageB.offset, split.imageA.ranges + 4 * 2 * 2);
    EXPECT_GE(split.imageB.ranges, split.imageB.offset + of_b);
    EXPECT_GE(plan.workspace_bytes, (split.imageB.ranges + 11 * 2 * 2) * sizeof(float));
    const auto told = numbers_of<kernel_arguments::ImageBlockMultiplication>(plan.steps[1]);
    EXPECT_EQ(told.imageA.offset, split.imageA.offset);
    EXPECT_EQ(told.imageB.ranges, split.imageB.ranges);
    EXPECT_TRUE(has_option(plan.steps[1], "TRANS_A=1"));
    EXPECT_TRUE(has_option(plan.steps[1], "TRANS_B=0"));
}

TEST(CpuAmxFamily, BlocksOfCAreWholePanelsAndKeepAllUnitsBusy)
{
    DeviceProfile cpu = cpu_with_tiles();
    for (const unsigned form : {b_passes, a_passes})
        for (const std::size_t units : {1U, 2U, 16U}) {
            cpu.compute_units = units;
            for (const std::size_t m : {1U, 33U, 256U, 1000U})
                for (const std::size_t n : {1U, 64U, 256U, 1001U}) {
                    const Plan plan = plan_of(problem(m, n, 256), cpu, {.form = form});
                    ASSERT_EQ(plan.steps.size(), 1u);
                    EXPECT_EQ(has_option(plan.steps[0], "A_PASSES=1"), form == a_passes);
                    EXPECT_EQ(plan.workspace_bytes, 0u);
                    const auto told = numbers_of<kernel_arguments::BlockMultiplication>(plan.steps[0]);
                    EXPECT_EQ(told.blockM % 32, 0u);
                    EXPECT_EQ(told.blockN % 32, 0u);
                    EXPECT_EQ(plan.steps[0].groups[0], divide_up(m, told.blockM));
                    EXPECT_EQ(plan.steps[0].groups[1], divide_up(n, told.blockN));
                    const std::size_t tiles = divide_up(m, 32) * divide_up(n, 32);
                    EXPECT_GE(plan.steps[0].groups[0] * plan.steps[0].groups[1], std::min(units, tiles) / 2);
                }
        }
}

// Local memory has panels of 32 rows in six bytes for each number: those that are kept, one that passes and the next one.
TEST(CpuAmxFamily, LocalMemoryHasThePanelsThatABlockKeeps)
{
    const KernelInfo& kernel = *find_kernel("cpu_amx");
    const DeviceProfile cpu = cpu_with_tiles();
    for (const std::size_t deep : {96U, 512U, 544U, 1024U, 1056U, 2048U, 4096U}) {
        const Variant variant = with_device_features(core::variant_of(kernel, {{"TSK", deep}}), cpu);
        const std::size_t panels = variant.tiling.local_bytes / (32 * 6 * deep);
        EXPECT_EQ(panels - 2, deep <= 512 ? 8 : 4096 / deep) << deep;
        for (const unsigned form : {b_passes, a_passes}) {
            const Plan plan = planned(problem(4000, 4000, 5000), cpu, variant, {.form = form}).plan;
            const auto told = numbers_of<kernel_arguments::BlockMultiplication>(plan.steps.at(0));
            EXPECT_LE(form == a_passes ? told.blockN : told.blockM, 32 * (panels - 2)) << deep;
        }
    }
}

TEST(CpuAmxFamily, TheOperandOfManyPanelsPasses)
{
    const auto load = [](const Problem& problem, unsigned form) {
        return outline_of(problem, cpu_with_tiles(), first_variant("cpu_amx"), {.form = form}).busiest_unit();
    };
    for (const auto trans : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
        const Problem few_columns = problem(4096, 64, 4096, trans, trans), few_rows = problem(64, 4096, 4096, trans, trans);
        EXPECT_LT(load(few_columns, a_passes), load(few_columns, b_passes));
        EXPECT_LT(load(few_rows, b_passes), load(few_rows, a_passes));
    }
    const Problem square = problem(1024, 1024, 1024);
    EXPECT_LT(load(square, b_passes), load(square, a_passes)) << "B's memory runs along K";
    Problem turned = problem(2048, 2048, 2048, CLGEMM_NO_TRANS, CLGEMM_TRANS);
    EXPECT_LT(load(turned, a_passes), load(turned, b_passes)) << "B's lines, of one k each, share a set of the cache";
    const double in_one_set = load(turned, b_passes);
    turned.b.ld += 16;
    EXPECT_LT(load(turned, b_passes), in_one_set);
}

TEST(CpuAmxFamily, BlocksOfKAreMultiplesOf32)
{
    const KernelInfo& kernel = *find_kernel("cpu_amx");
    for (const std::size_t good : {96U, 256U, 4096U})
        EXPECT_TRUE(is_valid(kernel, {{"TSK", good}})) << good;
    for (const std::size_t bad : {0U, 16U, 64U, 112U, 8192U})
        EXPECT_FALSE(is_valid(kernel, {{"TSK", bad}})) << bad;
}

TEST(CpuAmxFamily, PackingBeforehandCountsWhatIsFetchedToBeOverwritten)
{
    DeviceProfile device = cpu_with_tiles();
    device.cache = 0;
    const Outline outline = outline_of(problem(1000, 300, 700), device, first_variant("cpu_amx"), {.form = packed_before});
    ASSERT_EQ(outline.launches.size(), 2u);
    EXPECT_EQ(outline.launches.front().bytes, 4 * sizeof(float) * (1000 * 700 + 700 * 300))
        << "reads the operands, and fetches and writes pieces of one and a half times their size";
}

} // namespace clgemm::test
