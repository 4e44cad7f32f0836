// Cost model: the curve, whole waves of work-groups, parts of K, copies, traffic, each against a sum done by hand. What the
// outlines of families that are planned otherwise say is checked with their own kernels.
#include "made_up_tuning.hpp"

#include "families/wgmma_family.hpp"
#include "select/cost_model.hpp"
#include "select/fastest.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// Ten compute units, 100 ns for every call, 5 ns between two launches; enqueuing and memory cost nothing unless a test says
// so.
class CostModel : public testing::Test {
protected:
    CostModel() { device.compute_units = 10; }

    double estimate_of(const Problem& problem, const Way& way = {}) const
    {
        return estimate(outline_of(problem, device, measurement.variant, way), tuning, measurement);
    }
    // Of a problem of so many tiles.
    double tiles(std::size_t m, std::size_t n, std::size_t k, std::size_t parts = 1) const
    {
        const Tiling& tile = measurement.variant.tiling;
        return estimate_of(problem(tile.m * m, tile.n * n, tile.k * k), {.split_k = parts});
    }

    DeviceProfile device = large_gpu();
    Tuning tuning{"made up", 5, 0, 1e30, {}};
    // Tiles of 10 x 10 x 10, unless a test says so.
    const MadeUpFamily family{{10, 10, 10}}, long_tiles{{100, 4, 10}};
    KernelInfo kernel{.name = "made up", .idea = "", .family = &family, .variants = {}};
    Measurement measurement{variant_of(kernel, {}), "", {{1, 7}}, 1000, {{1, 100}}};
};

} // namespace

TEST_F(CostModel, StartAndSteps)
{
    EXPECT_DOUBLE_EQ(tiles(1, 1, 1), 100 + 7);
    EXPECT_DOUBLE_EQ(tiles(1, 1, 30), 100 + 30 * 7);
}

TEST_F(CostModel, NoCallTakesLessThanTheLeast)
{
    measurement.least_ns = 150;
    EXPECT_DOUBLE_EQ(tiles(1, 1, 1), 150);
    EXPECT_DOUBLE_EQ(tiles(1, 1, 7), 150);
    EXPECT_DOUBLE_EQ(tiles(1, 1, 8), 100 + 8 * 7);
    // A launch after it begins when it has ended.
    tuning.launch_ns = 0;
    EXPECT_DOUBLE_EQ(tiles(1, 1, 8, 2), 150) << "4 steps of each part, and nothing to add them by";
}

TEST_F(CostModel, PartOfATileCostsAWholeOne)
{
    EXPECT_DOUBLE_EQ(estimate_of(problem(1, 1, 1)), tiles(1, 1, 1));
    EXPECT_DOUBLE_EQ(estimate_of(problem(10, 10, 11)), tiles(1, 1, 2));
    measurement.step_ns = {{1, 7}, {2, 9}};
    EXPECT_DOUBLE_EQ(estimate_of(problem(11, 91, 10)), tiles(2, 10, 1));
}

TEST_F(CostModel, OneMoreWorkGroupThanUnitsIsOneMoreWave)
{
    measurement.step_ns = {{1, 7}, {2, 9}};
    EXPECT_DOUBLE_EQ(tiles(2, 5, 1), tiles(1, 1, 1));
    EXPECT_DOUBLE_EQ(tiles(10, 1, 1), 100 + 7);
    EXPECT_DOUBLE_EQ(tiles(11, 1, 1), 100 + 9);
    EXPECT_DOUBLE_EQ(tiles(20, 1, 1), 100 + 9);
}

TEST_F(CostModel, BetweenPointsTheCurveIsStraight)
{
    measurement.step_ns = {{1, 100}, {2, 150}, {4, 400}};
    EXPECT_DOUBLE_EQ(tiles(10, 1, 1), 100 + 100);
    EXPECT_DOUBLE_EQ(tiles(10, 2, 1), 100 + 150);
    EXPECT_DOUBLE_EQ(tiles(10, 3, 1), 100 + 275);
    EXPECT_DOUBLE_EQ(tiles(10, 4, 1), 100 + 400);
    measurement.step_ns = {{1, 100}, {1.5, 100}, {2.5, 200}};
    EXPECT_DOUBLE_EQ(tiles(10, 2, 1), 100 + 150) << "points need not be whole";
}

TEST_F(CostModel, BeforeTheCurveAsItsFirstPointAndPastItInProportionToItsLast)
{
    measurement.step_ns = {{3, 100}, {4, 200}};
    EXPECT_DOUBLE_EQ(tiles(1, 1, 1), 100 + 100);
    EXPECT_DOUBLE_EQ(tiles(10, 8, 1), 100 + 400);
    EXPECT_DOUBLE_EQ(tiles(10, 100, 1), 100 + 5000);
}

TEST_F(CostModel, MoreThanTwoRoundsAreRoundsAndARest)
{
    measurement.step_ns = {{1, 100}, {2, 150}, {4, 400}, {8, 10000}};
    measurement.resident = 2;
    EXPECT_DOUBLE_EQ(tiles(10, 4, 1), 100 + 400) << "two rounds are measured";
    EXPECT_DOUBLE_EQ(tiles(10, 5, 1), 100 + 2 * 150 + 100);
    EXPECT_DOUBLE_EQ(tiles(10, 6, 1), 100 + 3 * 150);
    EXPECT_DOUBLE_EQ(tiles(10, 101, 1), 100 + 50 * 150 + 100);
    measurement.resident = 3;
    EXPECT_DOUBLE_EQ(tiles(10, 11, 1), 100 + 3 * 275 + 150);
    // Of one point nothing is known but proportion.
    measurement.step_ns = {{1, 100}};
    EXPECT_DOUBLE_EQ(tiles(10, 11, 1), 100 + 1100);
}

TEST_F(CostModel, WhatACallTakesBesidesItsStepsGrowsWithItsWorkGroups)
{
    measurement.start_ns = {{1, 100}, {3, 160}};
    EXPECT_DOUBLE_EQ(tiles(1, 1, 1), 100 + 7);
    EXPECT_DOUBLE_EQ(tiles(10, 2, 1), 130 + 14);
    EXPECT_DOUBLE_EQ(tiles(10, 3, 1), 160 + 21);
    EXPECT_DOUBLE_EQ(tiles(10, 6, 1), 100 + 120 + 42) << "only what it has risen rises on";
    measurement.start_ns = {{1, 100}, {3, 80}};
    EXPECT_DOUBLE_EQ(tiles(10, 6, 1), 100 + 42) << "noise does not go on falling";
}

// A launch of 30 work-groups of three steps on each compute unit; 1 ns more start for each of the measured 10.
TEST_F(CostModel, RoundsThatOverlapStartOnceAndShallowStepsCountInPart)
{
    measurement.step_ns = {{1, 2}, {10, 20}};
    measurement.resident = 10;
    measurement.start_ns = {{1, 101}, {10, 110}};
    Outline outline{{{.load = {30, 3}}}};
    const auto estimated = [&] { return estimate(outline, tuning, measurement); };
    EXPECT_DOUBLE_EQ(estimated(), 101 + 3 * 9 + 3 * 60) << "each of three rounds of ten has a start";
    outline.launches[0].rounds_overlap = true;
    EXPECT_DOUBLE_EQ(estimated(), 110 + 3 * 60);
    outline.launches[0].steps_saved = 0.5;
    EXPECT_DOUBLE_EQ(estimated(), 110 + 2.5 * 60);
    outline.launches[0].steps_lost = 0.5;
    EXPECT_DOUBLE_EQ(estimated(), 110 + 2.5 * 60 + 0.5 * 2) << "latency is that of a work-group alone";
    outline.launches[0].steps_more = 2;
    EXPECT_DOUBLE_EQ(estimated(), 110 + 4.5 * 60 + 0.5 * 2);
}

// Where a beginning is spent moving, too, moving takes no longer for it.
TEST_F(CostModel, AStartThatMovesIsHiddenByMoving)
{
    measurement.step_ns = {{1, 2}, {10, 20}};
    measurement.resident = 10;
    measurement.start_ns = {{1, 101}, {10, 110}};
    Outline outline{{{.bytes = 500 * tuning.bytes_per_ns, .load = {10, 3}}}};
    const auto estimated = [&] { return estimate(outline, tuning, measurement); };
    EXPECT_DOUBLE_EQ(estimated(), 110 + 500);
    outline.launches[0].start_moves = true;
    EXPECT_DOUBLE_EQ(estimated(), 101 + 500);
    outline.launches[0].bytes = 0;
    EXPECT_DOUBLE_EQ(estimated(), 110 + 60) << "it is there if there is nothing to move";
}

// A step of its first size is 128 deep; measurements begin at four steps.
TEST_F(CostModel, SkinnyCountsWhatIsMissingOfAStepAsLatency)
{
    const Variant variant = variant_of(*find_kernel("skinny"), find_kernel("skinny")->variants.front());
    ASSERT_EQ(variant.tiling.k, 128u);
    const auto launch = [&](std::size_t k) { return outline_of(problem(5000, 1, k), device, variant, {}).launches.front(); };
    EXPECT_DOUBLE_EQ(launch(512).steps_saved, 0);
    EXPECT_DOUBLE_EQ(launch(512).steps_lost, 0);
    EXPECT_DOUBLE_EQ(launch(480).steps_saved, 0.75 * 0.25);
    EXPECT_DOUBLE_EQ(launch(480).steps_lost, 0.75 * 0.25);
    EXPECT_DOUBLE_EQ(launch(64).steps_lost, 0.75 * 0.5 + 3 * 0.36);
    EXPECT_TRUE(launch(64).rounds_overlap);
}

// Its lanes have less to do each, and take as long.
TEST_F(CostModel, SkinnySavesNothingWhereASMemoryRunsAlongK)
{
    const Variant variant = variant_of(*find_kernel("skinny"), find_kernel("skinny")->variants.front());
    Problem x = problem(5000, 1, 480);
    x.a.transposed = true;
    EXPECT_DOUBLE_EQ(outline_of(x, device, variant, {}).launches.front().steps_saved, 0);
    EXPECT_DOUBLE_EQ(outline_of(x, device, variant, {}).launches.front().steps_lost, 0);
}

// In how many more steps a tile counts whose C is not aligned for vectors. Tiles of tensor cores are 32 deep, and store 32
// rows at a time.
// 134 MB of A come from memory, 33 MB are in the cache.
TEST_F(CostModel, SkinnyTakesLongerWhereItReadsSingleFloatsFromMemory)
{
    const auto steps_more = [&](std::size_t lanes, std::size_t m, std::size_t k, clgemm_transpose trans_a,
                                std::size_t depth_of_b = 1024) {
        Variant variant = first_variant("skinny"); // for one column
        variant.parameters = variant.parameters.with("PARTS", 32).with("LANES", lanes).with("TSK", depth_of_b);
        variant.tiling = variant.family().tiling(variant.parameters);
        const Outline::Launch launch = outline_of(problem(m, 1, k, trans_a), device, variant, {}).launches.front();
        return launch.steps_more / static_cast<double>(launch.load.steps);
    };
    EXPECT_DOUBLE_EQ(steps_more(8, 8192, 4097, CLGEMM_TRANS), 0.2);
    EXPECT_DOUBLE_EQ(steps_more(32, 8192, 4097, CLGEMM_TRANS), 0.2);
    EXPECT_DOUBLE_EQ(steps_more(8, 2000, 4097, CLGEMM_TRANS), 0) << "it is in the cache";
    EXPECT_DOUBLE_EQ(steps_more(8, 8192, 4096, CLGEMM_TRANS), 0) << "vectors are loaded";
    EXPECT_DOUBLE_EQ(steps_more(8, 8193, 4096, CLGEMM_NO_TRANS), 0);
    EXPECT_DOUBLE_EQ(steps_more(32, 8192, 4097, CLGEMM_TRANS, 0), 0) << "by many small work-groups";
}

TEST_F(CostModel, SkinnyWaitsForFewChainsWhereProductsAreAddedInAGivenOrder)
{
    const auto steps_more = [&](std::size_t size, clgemm_math math, std::size_t parts) {
        const Variant variant = variant_of(*find_kernel("skinny"), find_kernel("skinny")->variants[size]);
        Problem deep = problem(4096, 1, 100'000);
        deep.arithmetic.accuracy = math;
        const Outline::Launch launch = outline_of(deep, device, variant, {.split_k = parts}).launches.front();
        return launch.steps_more / static_cast<double>(launch.load.steps);
    };
    EXPECT_DOUBLE_EQ(steps_more(0, CLGEMM_MATH_REPRODUCIBLE, 1), 8.0 / 256) << "128 rows of two blocks of K";
    EXPECT_DOUBLE_EQ(steps_more(0, CLGEMM_MATH_REPRODUCIBLE, 196), 8.0 / 128);
    EXPECT_DOUBLE_EQ(steps_more(2, CLGEMM_MATH_REPRODUCIBLE, 1), 8.0 / 256) << "16 rows of 16 blocks";
    EXPECT_DOUBLE_EQ(steps_more(2, CLGEMM_MATH_REPRODUCIBLE, 196), 8.0 / 16);
    EXPECT_DOUBLE_EQ(steps_more(2, CLGEMM_MATH_STRICT, 196), 0);
}

TEST_F(CostModel, SkinnyWithoutBInLocalMemoryTakesStepsFasterFromTheCache)
{
    const auto steps_saved = [&](std::size_t m, std::size_t depth_of_b) {
        const Variant variant = variant_of(
            *find_kernel("skinny"),
            Parameters{
                {"NR", 1}, {"TSM", 8}, {"ROWS", 4}, {"PARTS", 64}, {"LANES", 32}, {"UNROLL", 2}, {"TSK", depth_of_b}});
        const Outline::Launch launch = outline_of(problem(m, 1, 4096, CLGEMM_TRANS), device, variant, {}).launches.front();
        return launch.steps_saved / static_cast<double>(launch.load.steps);
    };
    EXPECT_DOUBLE_EQ(steps_saved(2000, 0), 0.15);
    EXPECT_DOUBLE_EQ(steps_saved(8192, 0), 0);
    EXPECT_DOUBLE_EQ(steps_saved(2000, 1024), 0);
}

TEST_F(CostModel, Kernel13WaitsForMemoryWhereATileOfFewRowsHasFewLoadsUnderWay)
{
    const auto share_waited_for = [&](std::size_t tile_m, std::size_t tile_n, std::size_t depth, const Problem& problem,
                                      const Way& way = {}) {
        Variant variant = first_variant("13");
        variant.tiling.m = tile_m;
        variant.tiling.n = tile_n;
        variant.parameters = variant.parameters.with("TSK", depth);
        return outline_of(problem, device, variant, way).launches.front().bytes_first /
               (4.0 * static_cast<double>(problem.n * problem.k));
    };
    const Problem few_rows = problem(20, 100'000, 400);
    EXPECT_DOUBLE_EQ(share_waited_for(32, 64, 16, few_rows), 0.1);
    EXPECT_DOUBLE_EQ(share_waited_for(32, 64, 16, few_rows, {.split_k = 2}), 0.2);
    EXPECT_DOUBLE_EQ(share_waited_for(32, 64, 16, few_rows, {.split_k = 4}), 0.25);
    EXPECT_DOUBLE_EQ(share_waited_for(32, 64, 32, few_rows), 0) << "more is under way";
    EXPECT_DOUBLE_EQ(share_waited_for(128, 128, 16, few_rows), 0) << "more is under way";
    EXPECT_DOUBLE_EQ(share_waited_for(16, 64, 16, few_rows), 0) << "tiles share what they read";
    EXPECT_DOUBLE_EQ(share_waited_for(32, 64, 16, problem(20, 10'000, 400)), 0) << "it is in the cache";
}

TEST_F(CostModel, AnUnalignedCTakesLongerToStore)
{
    Arithmetic arithmetic;
    const auto steps_more = [&](const char* name, const Parameters& parameters, bool aligned, const Way& way = {}) {
        Problem x = problem(1000, 1000, 500);
        x.arithmetic = arithmetic;
        x.c.offset = aligned ? 4 : 1;
        const auto launches = outline_of(x, device, variant_of(*find_kernel(name), parameters), way).launches;
        double steps = 0;
        for (const Outline::Launch& launch : launches)
            steps += launch.steps_more;
        return steps;
    };
    const Parameters deep_16 = first_variant("13").parameters;
    EXPECT_DOUBLE_EQ(steps_more("13", deep_16, true), 0);
    EXPECT_DOUBLE_EQ(steps_more("13", deep_16, false), 22.0 / 16);
    EXPECT_DOUBLE_EQ(steps_more("13", deep_16, false, {.split_k = 4}), 0) << "sums of parts are aligned";
    EXPECT_DOUBLE_EQ(steps_more("13", deep_16.with("SLICES", 2), false), 35.0 / 16);
    arithmetic = {.accuracy = CLGEMM_MATH_REPRODUCIBLE};
    EXPECT_DOUBLE_EQ(steps_more("13", deep_16, false), 45.0 / 16);
    arithmetic = {};
    EXPECT_DOUBLE_EQ(steps_more("14", wgmma_tile(128, 4), false), 12.0 / 32);
    EXPECT_DOUBLE_EQ(steps_more("14", wgmma_tile(96, 4), false), 12.0 / 32);
    EXPECT_DOUBLE_EQ(steps_more("14", wgmma_tile(112, 4), false), 20.0 / 32);
    EXPECT_DOUBLE_EQ(steps_more("14", wgmma_tile(160, 3), false), 20.0 / 32) << "two halves of 80";
    EXPECT_DOUBLE_EQ(steps_more("14", wgmma_tile(128, 4), true), 0);
    EXPECT_DOUBLE_EQ(steps_more("tensor_fast", wgmma_tile(128, 4), false), 24.0 / 32) << "half as many products";
    EXPECT_DOUBLE_EQ(steps_more("tensor_direct", first_variant("tensor_direct").parameters, false), 13.0 / 32);
    device = made_up_cpu();
    EXPECT_DOUBLE_EQ(steps_more("13", deep_16, false), 0) << "a CPU stores floats as well";
}

// Where the device is behind with launches, and where it waits for them to be enqueued.
TEST_F(CostModel, ManyLikeLaunchesTakeAsLongAsOneAfterTheOther)
{
    for (const double enqueue : {0.0, 3.0, 14.0, 40.0, 200.0})
        for (const std::size_t times : {1, 2, 5}) {
            tuning.enqueue_ns = enqueue;
            Outline one_by_one = outline_of(problem(10, 10, 20), device, measurement.variant, {});
            Outline together = one_by_one;
            one_by_one.launches.insert(one_by_one.launches.begin(), {100, 30});
            together.launches.insert(together.launches.begin(), {100, 30});
            together.launches[1].times = times;
            one_by_one.launches.resize(1 + times, one_by_one.launches[1]);
            EXPECT_DOUBLE_EQ(estimate(together, tuning, measurement), estimate(one_by_one, tuning, measurement))
                << enqueue << " ns, " << times << " times";
        }
}

// 32768 launches, and one of what is left over.
TEST_F(CostModel, AnOutlineOfADeepKHasFewLaunches)
{
    Problem x = problem(100, 100, (std::size_t{1} << 24) + 1);
    x.arithmetic = {.accuracy = CLGEMM_MATH_REPRODUCIBLE};
    x.c.offset = 1;
    const auto launches = outline_of(x, device, first_variant("13"), {}).launches;
    ASSERT_EQ(launches.size(), 2);
    EXPECT_EQ(launches[0].times, 32768);
    EXPECT_EQ(launches[0].load.steps, 512 / 16);
    EXPECT_EQ(launches[1].times, 1);
    EXPECT_EQ(launches[1].load.steps, 1);
}

// Kernel 13, whose first size has tiles of 128 x 128 x 16.
TEST_F(CostModel, LaunchesFollowOneAnotherOnTheDevice)
{
    measurement.variant = first_variant("13");
    EXPECT_DOUBLE_EQ(estimate_of(problem(128, 128, 16), {.form = copy_of_a}), 100 + 5 + 7);
    EXPECT_DOUBLE_EQ(estimate_of(problem(128, 128, 16), {.form = copy_of_b}), 100 + 5 + 7);
    EXPECT_DOUBLE_EQ(estimate_of(problem(128, 128, 16), {.form = copy_of_both}), 100 + 2 * 5 + 7);
    EXPECT_DOUBLE_EQ(estimate_of(problem(128, 128, 64), {.form = copy_of_both, .split_k = 2}), 100 + 3 * 5 + 2 * 7);
    // What every call takes counts once, what grows with the multiplication's work-groups with it.
    measurement.start_ns = {{1, 100}, {2, 120}};
    EXPECT_DOUBLE_EQ(estimate_of(problem(1280, 256, 16), {.form = copy_of_a}), 120 + 5 + 14);
}

TEST_F(CostModel, ALaunchWaitsUntilTheHostHasEnqueuedIt)
{
    tuning.enqueue_ns = 1000;
    measurement.variant = first_variant("13");
    EXPECT_DOUBLE_EQ(tiles(1, 1, 1), 100 + 7) << "of a single launch it is part of what every call takes";
    EXPECT_DOUBLE_EQ(estimate_of(problem(128, 128, 16), {.form = copy_of_a}), 100 + 1000 + 7);
    EXPECT_DOUBLE_EQ(estimate_of(problem(128, 128, 64), {.form = copy_of_both, .split_k = 2}), 100 + 3 * 1000);
    // While the device is busy, the host is ahead of it.
    measurement.step_ns = {{1, 2500}};
    EXPECT_DOUBLE_EQ(tiles(1, 1, 40, 2), 100 + 20 * 2500 + 5);
}

TEST_F(CostModel, PartsOfKRunAtOnceAndCostALaunch)
{
    EXPECT_DOUBLE_EQ(tiles(1, 1, 30, 2), 100 + 15 * 7 + 5);
    EXPECT_DOUBLE_EQ(tiles(1, 1, 30, 10), 100 + 3 * 7 + 5);
    EXPECT_DOUBLE_EQ(tiles(1, 1, 31, 10), 100 + 4 * 7 + 5) << "the longest part counts";
    measurement.step_ns = {{1, 7}, {2, 9}};
    EXPECT_DOUBLE_EQ(tiles(5, 1, 30, 3), 100 + 10 * 9 + 5) << "parts are work-groups, and fill waves as they do";
}

TEST_F(CostModel, PartsOfKCostTheirTraffic)
{
    tuning.bytes_per_ns = 0.5;
    const double a = 4 * 10 * 300, b = 4 * 300 * 20, c = 4 * 10 * 20;
    EXPECT_DOUBLE_EQ(tiles(1, 2, 30), 100 + (a + b + c) / 0.5);
    // Three sums are written instead of C; then they are read, and C is written.
    EXPECT_DOUBLE_EQ(tiles(1, 2, 30, 3), 100 + (a + b + 3 * c) / 0.5 + 5 + (3 * c + c) / 0.5);
}

TEST_F(CostModel, TheLongerOfComputingAndTrafficCounts)
{
    const double bytes = 3 * 4 * 10 * 10;
    tuning.bytes_per_ns = bytes / 7;
    EXPECT_DOUBLE_EQ(tiles(1, 1, 1), 100 + 7);
    tuning.bytes_per_ns = bytes / 8;
    EXPECT_DOUBLE_EQ(tiles(1, 1, 1), 100 + 8);
    tuning.bytes_per_ns = bytes / 6;
    EXPECT_DOUBLE_EQ(tiles(1, 1, 1), 100 + 7);
}

TEST_F(CostModel, ACopyCostsALaunchAndTheBytesThatItReadsAndWrites)
{
    tuning.bytes_per_ns = 8;
    measurement.variant = first_variant("13");
    measurement.step_ns = {{1, 1e6}};
    const Problem p = problem(10, 20, 30);
    const double plain = estimate_of(p);
    // The copy of A has 12 rows, whole vectors.
    const double a = 4 * (10 + 12) * 30, b = 2 * 4 * 30 * 20;
    EXPECT_DOUBLE_EQ(estimate_of(p, {.form = copy_of_a}), plain + 5 + a / 8);
    EXPECT_DOUBLE_EQ(estimate_of(p, {.form = copy_of_b}), plain + 5 + b / 8);
    EXPECT_DOUBLE_EQ(estimate_of(p, {.form = copy_of_both}), plain + 2 * 5 + (a + b) / 8);
}

// Kernels 2 to 12 copy what they need, filled up to whole tiles: kernel 9's are 128 x 128 x 16, and it wants B transposed.
TEST_F(CostModel, ACopyIsAsLargeAsWhatItFillsUp)
{
    tuning.bytes_per_ns = 8;
    measurement.variant = first_variant("9");
    measurement.step_ns = {{1, 1e6}};
    const double a = 4 * 100 * 30, b = 4 * 30 * 120, padded = 4 * 128 * 32;
    EXPECT_DOUBLE_EQ(estimate_of(problem(100, 120, 30, CLGEMM_NO_TRANS, CLGEMM_TRANS)),
                     100 + (a + padded) / 8 + 5 + (b + padded) / 8 + 5 + 2e6);
    EXPECT_DOUBLE_EQ(estimate_of(problem(128, 128, 32, CLGEMM_NO_TRANS, CLGEMM_TRANS)), 100 + 2e6) << "no copy";
    EXPECT_DOUBLE_EQ(estimate_of(problem(128, 128, 32)), 100 + 2 * padded / 8 + 5 + 2e6) << "B is transposed";
}

// Kernel 14, whose first size has tiles of 128 x 128 x 32, and kernel 19: 128 x 64 x 32.
TEST_F(CostModel, SplittingIsALaunchThatWritesThreePiecesOfHalfTheLength)
{
    for (const auto* name : {"14", "19"}) {
        tuning.bytes_per_ns = 1e30;
        measurement.variant = first_variant(name);
        measurement.step_ns = {{1, 7}};
        EXPECT_DOUBLE_EQ(tiles(1, 1, 1), 100 + 5 + 7);
        EXPECT_DOUBLE_EQ(tiles(1, 1, 30, 2), 100 + 2 * 5 + 15 * 7);
        tuning.bytes_per_ns = 8;
        measurement.step_ns = {{1, 1e6}};
        const double a = 4 * 100 * 90, b = 4 * 90 * 50;
        const double filled_up = 4 * 90 * static_cast<double>(measurement.variant.tiling.m + measurement.variant.tiling.n);
        EXPECT_DOUBLE_EQ(estimate_of(problem(100, 50, 90)), 100 + (a + b + 1.5 * filled_up) / 8 + 5 + 3e6) << name;
    }
}

TEST_F(CostModel, BlocksOfCCostAsManyCallsOfOne)
{
    device = hopper_gpu();
    device.compute_units = 10;
    measurement.variant = first_variant("14");
    tuning.bytes_per_ns = 8;
    tuning.enqueue_ns = 3;
    measurement.step_ns = {{1, 7}, {4, 30}};
    tuning.measurements = {measurement};
    const auto in_blocks = [&](const Problem& p) {
        const auto best = fastest(p, device, tuning, {.workspace_limit = 800'000});
        EXPECT_EQ(best->blocks, (Blocks{256, 512}));
        return best->ns;
    };
    const double block = estimate_of(problem(256, 512, 160));
    EXPECT_DOUBLE_EQ(in_blocks(problem(1024, 512, 160)), 4 * block);
    EXPECT_DOUBLE_EQ(in_blocks(problem(1020, 512, 160)), 4 * block) << "part of one costs it all";
    const double one = estimate_of(problem(512, 256, 160));
    Problem batch = problem(512, 256, 160);
    batch.batch.count = 7;
    EXPECT_DOUBLE_EQ(fastest(batch, device, tuning, {})->ns, 7 * one) << "so does each product of a batch";
}

TEST_F(CostModel, ATransposedProblemHasItsTilesTurned)
{
    kernel.family = &long_tiles;
    measurement.variant = variant_of(kernel, {});
    measurement.step_ns = {{1, 7}, {2, 9}, {4, 20}};
    for (const double bytes_per_ns : {1e30, 1.0}) {
        tuning.bytes_per_ns = bytes_per_ns;
        const Problem p = problem(4, 2000, 50);
        EXPECT_DOUBLE_EQ(estimate_of(p, {.transposed = true}), estimate_of(transposed(p)));
        EXPECT_DOUBLE_EQ(estimate_of(p, {.split_k = 5, .transposed = true}), estimate_of(transposed(p), {.split_k = 5}));
    }
    tuning.bytes_per_ns = 1e30;
    EXPECT_DOUBLE_EQ(estimate_of(problem(4, 2000, 50), {.transposed = true}), 100 + 5 * 9) << "20 tiles";
    EXPECT_GT(estimate_of(problem(4, 2000, 50)), 100 + 5 * 20) << "500 tiles";
}

// Before it multiplies, kernel 16 packs both operands and kernel 17 packs A: that traffic does not hide behind arithmetic,
// and on a CPU some of the rest does not, either. Columns of B that come from memory come late to kernel 17.
TEST_F(CostModel, WhatIsPackedIsFetchedFirst)
{
    const Problem p = problem(480, 240, 160);
    const double a = 4 * 480 * 160, b = 4 * 160 * 240, c = 4 * 480 * 240, late = 800 * 240, seen = 0.15;
    const auto fetched_first = [&](const char* name) {
        measurement.variant = first_variant(name);
        measurement.step_ns = {{1, 1e6}}; // all else hides behind it
        tuning.bytes_per_ns = 1e30;
        const double computing = estimate_of(p);
        tuning.bytes_per_ns = 0.25;
        return (estimate_of(p) - computing) * 0.25;
    };
    EXPECT_NEAR(fetched_first("16"), a + b + seen * c, 1e-3);
    EXPECT_NEAR(fetched_first("17"), a + seen * (b + late + c), 1e-3);
    EXPECT_NEAR(fetched_first("18"), seen * (a + b + c), 1e-3);
    EXPECT_DOUBLE_EQ(fetched_first("13"), 0);
}

// What fits a CPU's cache is there from the call before. A GPU's kernels were measured so.
TEST_F(CostModel, OnACpuWhatFitsTheCacheComesFaster)
{
    const Problem p = problem(480, 240, 160);
    measurement.variant = first_variant("18");
    device.type = DeviceType::cpu;
    tuning.bytes_per_ns = 1e-6; // memory sets the pace
    const double from_memory = estimate_of(p);
    device.cache = 4 * (480 * 160 + 160 * 240 + 480 * 240);
    EXPECT_NEAR(estimate_of(p), from_memory / 4, 1e-3 * from_memory);
    device.cache--;
    EXPECT_DOUBLE_EQ(estimate_of(p), from_memory);
    device.cache = std::size_t{1} << 40;
    device.type = DeviceType::gpu;
    EXPECT_DOUBLE_EQ(estimate_of(p), from_memory);
}

// The last blocks seldom end together: two for each unit that are half as large end sooner. With many for each unit, parts
// of K are not offered.
TEST_F(CostModel, OnACpuSmallerGroupsAreWaitedForLess)
{
    device.compute_units = 2;
    tuning.launch_ns = 0;
    tuning.bytes_per_ns = 1e30;
    measurement.variant = first_variant("18");
    measurement.start_ns = {{1, 1}};
    measurement.step_ns = {{1, 1}, {1000, 1000}};
    const double two = estimate_of(problem(16, 1, 80'000), {.split_k = 2});
    const double eight = estimate_of(problem(16, 1, 80'000), {.split_k = 8});
    EXPECT_NEAR(eight / two, 4.5 / 4 / 1.5, 0.01);
    const Family& vectors = measurement.variant.family();
    EXPECT_GT(vectors.ways(problem(2048, 1, 10'000), device, measurement.variant).size(), 1u);
    EXPECT_EQ(vectors.ways(problem(100'000, 1, 10'000), device, measurement.variant).size(), 1u);
}

// Where memory sets the pace: a unit that has no work does not fetch any, either.
TEST_F(CostModel, OnACpuAUnitAloneHasItsShareOfTheMemorysSpeed)
{
    device.compute_units = 2;
    tuning.launch_ns = 0;
    tuning.bytes_per_ns = 1e-6;
    measurement.variant = first_variant("18");
    const double alone = estimate_of(problem(16, 1, 100'000));
    EXPECT_NEAR(estimate_of(problem(16, 1, 100'000), {.split_k = 2}), alone / 2, 1e-3 * alone);
    EXPECT_NEAR(estimate_of(problem(16, 1, 100'000), {.split_k = 3}), alone * 2 / 3, 1e-3 * alone);
    device.compute_units = 16; // of which four take all
    const double of_sixteen = estimate_of(problem(16, 1, 100'000));
    EXPECT_NEAR(estimate_of(problem(16, 1, 100'000), {.split_k = 4}), of_sixteen / 4, 1e-3 * of_sixteen);
    EXPECT_NEAR(estimate_of(problem(16, 1, 100'000), {.split_k = 16}), of_sixteen / 4, 1e-3 * of_sixteen);
}

TEST_F(CostModel, ColumnsThatDoNotExistAreNotFreeOnACpu)
{
    tuning.bytes_per_ns = 1e-6;
    const KernelInfo& kernel_18 = *find_kernel("18");
    double before = 0;
    for (const Parameters& parameters : kernel_18.variants)
        if (parameters["WIDTH"] == 16) {
            measurement.variant = variant_of(kernel_18, parameters);
            const double ns = estimate_of(problem(4096, 1, 512));
            EXPECT_GT(ns, before) << parameters.text();
            before = ns;
        }
}

TEST_F(CostModel, AsManyTilesAs64BitsIndexAreNoProblem)
{
    const std::size_t large = std::size_t{1} << 30;
    const double side = static_cast<double>(large) / 10; // in tiles
    EXPECT_NEAR(estimate_of(problem(large, large, large)) / (side * side / 10 * side * 7), 1, 1e-6);
}
