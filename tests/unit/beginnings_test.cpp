// How the tuner compares the beginnings of calls, on times that are made up.
#include "made_up_tuning.hpp"

#include "tools/tune/beginnings.hpp"
#include "tools/tune/call_of_tiles.hpp"

#include "families/registry.hpp"
#include "select/fastest.hpp"
#include "select/plan_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace clgemm::core;
using namespace clgemm::tune;
using namespace clgemm::test;

namespace {

Measurement measurement_of(const char* kernel, const char* operands)
{
    const KernelInfo& info = *find_kernel(kernel);
    return {variant_of(info, info.variants.front()), operands, {{1, 100}, {10, 900}}, 1, {{1, 5000}, {10, 6000}}};
}

class Beginnings : public testing::Test {
protected:
    Beginnings()
    {
        tuning.bytes_per_ns = 1e9;
        tuning.measurements = {measurement_of("1", "NN"), measurement_of("13", "NT"), measurement_of("shallow", "")};
    }

    const Measurement& first_of(const Variant& variant) const
    {
        return *std::find_if(tuning.measurements.begin(), tuning.measurements.end(),
                             [&](const Measurement& each) { return each.variant.kernel == variant.kernel; });
    }
    // Calls of some steps take `late` more than is estimated, and those of one step take `least`.
    TimesInTurn times(double late, double least) const
    {
        return [=, this](const std::vector<PlainCall>& calls) {
            std::vector<double> result;
            for (const auto& [variant, problem] : calls)
                result.push_back(problem.k <= variant.tiling.k
                                     ? least
                                     : late + estimate_of(problem, outline_of(problem, device, variant, {}), tuning,
                                                          first_of(variant), {}));
            return result;
        };
    }

    const DeviceProfile device = large_gpu();
    Tuning tuning;
    static Beginning all(const Measurement&) { return Beginning::put_right; }
};

} // namespace

TEST_F(Beginnings, AreMovedByWhatTheEstimateMissed)
{
    Tuning levelled = tuning;
    level_beginnings(levelled, device, all, times(-700, 4321));
    for (std::size_t i = 0; i < tuning.measurements.size(); i++) {
        const Measurement &now = levelled.measurements[i], &before = tuning.measurements[i];
        ASSERT_EQ(now.start_ns.size(), 2u);
        EXPECT_NEAR(now.start_ns[0].second, 4300, 1e-6) << now.variant.kernel->name;
        EXPECT_NEAR(now.start_ns[1].second, 5300, 1e-6) << now.variant.kernel->name;
        EXPECT_EQ(now.step_ns, before.step_ns);
        EXPECT_DOUBLE_EQ(now.least_ns, 4321);
    }
}

// What was known of the smallest call says nothing of the curves.
TEST_F(Beginnings, AreFoundAgainWhereTheyWereLevelledBefore)
{
    Tuning levelled = tuning;
    for (Measurement& each : levelled.measurements)
        each.least_ns = 1e6;
    level_beginnings(levelled, device, all, times(-700, 4321));
    for (const Measurement& each : levelled.measurements) {
        EXPECT_NEAR(each.start_ns.front().second, 4300, 1e-6) << each.variant.kernel->name;
        EXPECT_DOUBLE_EQ(each.least_ns, 4321);
    }
}

TEST_F(Beginnings, AreAtLeastANanosecond)
{
    level_beginnings(tuning, device, all, times(-5100, 1));
    for (const Measurement& each : tuning.measurements)
        EXPECT_EQ(each.start_ns.front().second, 1);
}

// Those that were not timed were measured when the machine was slower or faster as a whole.
TEST_F(Beginnings, KeepTheirMiddleWhereSomeAreLeftAsTheyAre)
{
    Tuning levelled = tuning;
    const auto but_kernel_13 = [](const Measurement& each) {
        return each.variant.kernel != find_kernel("13") ? Beginning::put_right : Beginning::left_alone;
    };
    level_beginnings(levelled, device, but_kernel_13, times(2000, 9000));
    EXPECT_EQ(levelled.measurements[1].least_ns, 0);
    for (std::size_t i = 0; i < tuning.measurements.size(); i++)
        EXPECT_NEAR(levelled.measurements[i].start_ns[0].second, 5000, 1e-6);
    EXPECT_NEAR(levelled.measurements[0].least_ns, 7000, 1e-6);
}

// One kernel was measured alone: by the others it is known how much slower the machine is now.
TEST_F(Beginnings, AreComparedWithThoseThatStay)
{
    Tuning levelled = tuning;
    const auto shallow_alone = [](const Measurement& each) {
        return each.variant.kernel == find_kernel("shallow") ? Beginning::put_right : Beginning::compared_with;
    };
    const TimesInTurn late = times(2000, 9000);
    level_beginnings(levelled, device, shallow_alone, [&](const auto& calls) {
        std::vector<double> result = late(calls);
        for (std::size_t i = 0; i < calls.size(); i++)
            if (calls[i].variant.kernel == find_kernel("shallow"))
                result[i] += 300;
        return result;
    });
    for (const std::size_t stays : {0, 1}) {
        EXPECT_EQ(levelled.measurements[stays].start_ns, tuning.measurements[stays].start_ns);
        EXPECT_EQ(levelled.measurements[stays].least_ns, 0);
    }
    EXPECT_NEAR(levelled.measurements[2].start_ns[0].second, 5300, 1e-6);
    EXPECT_NEAR(levelled.measurements[2].least_ns, 7300, 1e-6);
}

TEST_F(Beginnings, StayWhereNothingCanBeTimed)
{
    Tuning levelled = tuning;
    level_beginnings(levelled, device, all, [](const auto& calls) { return std::vector<double>(calls.size(), 0); });
    for (std::size_t i = 0; i < tuning.measurements.size(); i++) {
        EXPECT_EQ(levelled.measurements[i].start_ns, tuning.measurements[i].start_ns);
        EXPECT_EQ(levelled.measurements[i].least_ns, 0);
    }
}

TEST(CallOfTiles, GivesAsManyWorkGroupsAsItIsAskedForInASquare)
{
    const Variant variant = first_variant("13");
    const Tiling& tile = variant.tiling;
    const Problem call = call_of_tiles(variant, "TN", 12, 5);
    EXPECT_EQ(call.m * call.n, 12 * tile.m * tile.n);
    EXPECT_EQ(call.n, 3 * tile.n);
    EXPECT_EQ(call.k, 5 * tile.k);
    EXPECT_TRUE(call.a.transposed);
    EXPECT_FALSE(call.b.transposed);
    EXPECT_EQ(call_of_tiles(first_variant("15"), "", 12, 1).n, first_variant("15").tiling.n) << "made for few columns";
}
