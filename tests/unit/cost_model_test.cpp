// Cost model: the curve, whole waves of work-groups, parts of K, copies, traffic, each against a sum done by hand.
#include "made_up.hpp"

#include "select/cost_model.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// Ten compute units, tiles of 10 x 10 x 10, 100 ns for every call, 5 ns between two launches; enqueuing and memory cost
// nothing unless a test says so.
class CostModel : public testing::Test {
protected:
    CostModel() { device.compute_units = 10; }

    double estimate(const Problem& problem, const Way& way = {}) const
    {
        return clgemm::core::estimate(problem, device, tuning, measurement,
                                      measurement.kernel->tiling(measurement.parameters), way);
    }
    // Of a problem of so many tiles.
    double tiles(std::size_t m, std::size_t n, std::size_t k, std::size_t splits = 1) const
    {
        return estimate(problem(10 * m, 10 * n, 10 * k), {false, false, splits, false});
    }

    DeviceProfile device = large_gpu();
    Tuning tuning{"made up", 5, 0, 1e30, {}};
    KernelInfo kernel{.name = "made up",
                      .idea = "",
                      .a = Storage::either,
                      .b = Storage::either,
                      .whole_tiles_in = false,
                      .whole_tiles_out = false,
                      .variants = {},
                      .first_on_cpu = 0,
                      .tiling = [](const Parameters&) {
                          return Tiling{10, 10, 10};
                      }};
    Measurement measurement{&kernel, {}, "", {{1, 7}}, 1000, {{1, 100}}};
};

} // namespace

TEST_F(CostModel, StartAndSteps)
{
    EXPECT_DOUBLE_EQ(tiles(1, 1, 1), 100 + 7);
    EXPECT_DOUBLE_EQ(tiles(1, 1, 30), 100 + 30 * 7);
}

TEST_F(CostModel, PartOfATileCostsAWholeOne)
{
    EXPECT_DOUBLE_EQ(estimate(problem(1, 1, 1)), tiles(1, 1, 1));
    EXPECT_DOUBLE_EQ(estimate(problem(10, 10, 11)), tiles(1, 1, 2));
    measurement.step_ns = {{1, 7}, {2, 9}};
    EXPECT_DOUBLE_EQ(estimate(problem(11, 91, 10)), tiles(2, 10, 1));
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

TEST_F(CostModel, LaunchesFollowOneAnotherOnTheDevice)
{
    EXPECT_DOUBLE_EQ(estimate(problem(10, 10, 10), {true, false, 1, false}), 100 + 5 + 7);
    EXPECT_DOUBLE_EQ(estimate(problem(10, 10, 10), {true, true, 1, false}), 100 + 2 * 5 + 7);
    EXPECT_DOUBLE_EQ(estimate(problem(10, 10, 40), {true, true, 2, false}), 100 + 3 * 5 + 2 * 7);
    // What every call takes counts once, what grows with the multiplication's work-groups with it.
    measurement.start_ns = {{1, 100}, {2, 120}};
    EXPECT_DOUBLE_EQ(estimate(problem(100, 20, 10), {true, false, 1, false}), 120 + 5 + 14);
}

TEST_F(CostModel, ALaunchWaitsUntilTheHostHasEnqueuedIt)
{
    tuning.enqueue_ns = 1000;
    EXPECT_DOUBLE_EQ(tiles(1, 1, 1), 100 + 7) << "of a single launch it is part of what every call takes";
    EXPECT_DOUBLE_EQ(estimate(problem(10, 10, 10), {true, false, 1, false}), 100 + 1000 + 7);
    EXPECT_DOUBLE_EQ(estimate(problem(10, 10, 40), {true, true, 2, false}), 100 + 3 * 1000);
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

TEST_F(CostModel, ACopyCostsALaunchAndItsBytesTwice)
{
    tuning.bytes_per_ns = 8;
    measurement.step_ns = {{1, 1e6}};
    const Problem p = problem(10, 20, 30);
    const double plain = estimate(p);
    const double a = 4 * 10 * 30, b = 4 * 30 * 20;
    EXPECT_DOUBLE_EQ(estimate(p, {true, false, 1, false}), plain + 5 + 2 * a / 8);
    EXPECT_DOUBLE_EQ(estimate(p, {false, true, 1, false}), plain + 5 + 2 * b / 8);
    EXPECT_DOUBLE_EQ(estimate(p, {true, true, 1, false}), plain + 2 * 5 + 2 * (a + b) / 8);
}

TEST_F(CostModel, SplittingIsALaunchThatWritesThreePiecesOfHalfTheLength)
{
    kernel.scheme = Scheme::tensor;
    EXPECT_DOUBLE_EQ(tiles(1, 1, 1), 100 + 5 + 7);
    EXPECT_DOUBLE_EQ(tiles(1, 1, 30, 2), 100 + 2 * 5 + 15 * 7);
    tuning.bytes_per_ns = 8;
    measurement.step_ns = {{1, 1e6}};
    const double a = 4 * 10 * 30, b = 4 * 30 * 20;
    EXPECT_DOUBLE_EQ(estimate(problem(10, 20, 30)), 100 + 2.5 * (a + b) / 8 + 5 + 3e6);
}

TEST_F(CostModel, BlocksOfCCostAsManyCallsOfOne)
{
    kernel.scheme = Scheme::tensor;
    tuning.bytes_per_ns = 8;
    tuning.enqueue_ns = 3;
    measurement.step_ns = {{1, 7}, {4, 30}};
    const double one = estimate(problem(40, 20, 50));
    EXPECT_DOUBLE_EQ(estimate(problem(80, 60, 50), {false, false, 1, false, 40, 20}), 6 * one);
    EXPECT_DOUBLE_EQ(estimate(problem(81, 60, 50), {false, false, 1, false, 40, 20}), 9 * one) << "part of one costs it all";
    EXPECT_DOUBLE_EQ(estimate(problem(40, 20, 50), {false, false, 1, false, 40, 20}), one);
}

TEST_F(CostModel, AnExchangedProblemHasItsTilesTurned)
{
    kernel.tiling = [](const Parameters&) { return Tiling{100, 4, 10}; };
    measurement.step_ns = {{1, 7}, {2, 9}, {4, 20}};
    for (const double bytes_per_ns : {1e30, 1.0}) {
        tuning.bytes_per_ns = bytes_per_ns;
        const Problem p = problem(4, 2000, 50);
        EXPECT_DOUBLE_EQ(estimate(p, {false, false, 1, true}), estimate(exchanged(p)));
        EXPECT_DOUBLE_EQ(estimate(p, {false, false, 5, true}), estimate(exchanged(p), {false, false, 5, false}));
    }
    tuning.bytes_per_ns = 1e30;
    EXPECT_DOUBLE_EQ(estimate(problem(4, 2000, 50), {false, false, 1, true}), 100 + 5 * 9) << "20 tiles";
    EXPECT_GT(estimate(problem(4, 2000, 50)), 100 + 5 * 20) << "500 tiles";
}

TEST_F(CostModel, AsManyTilesAs64BitsIndexAreNoProblem)
{
    const std::size_t large = std::size_t{1} << 30;
    const double side = static_cast<double>(large) / 10; // in tiles
    EXPECT_NEAR(estimate(problem(large, large, large)) / (side * side / 10 * side * 7), 1, 1e-6);
}
