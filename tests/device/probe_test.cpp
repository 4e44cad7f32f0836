// The tuner's measurements: a candidate that takes too long is left, and the next one gets its turn.
#include "families/registry.hpp"
#include "support/device.hpp"
#include "tune/call_of_tiles.hpp"
#include "tune/known.hpp"
#include "tune/search.hpp"
#include "tuning/derived_tuning.hpp"

#include <gtest/gtest.h>

using namespace clgemm::test;
using namespace clgemm::core;
using namespace clgemm::tune;

namespace {

TEST(TunersProbe, LeavesWhatTakesTooLongForTheNextCandidate)
{
    Probe probe(
        test_device().device, [] {}, 0);
    News last;
    const auto on_news = [&](const News& news) {
        last = news;
        EXPECT_TRUE(news.text.ends_with(": it takes too long to compile, check and time it")) << news.text;
    };
    Search search(
        probe, derived_tuning(probe.profile()), on_news, [] { return 1.0; }, nullptr);
    search.run([] { return false; });
    EXPECT_GT(last.tried, 1u);
    EXPECT_EQ(last.unusable, last.tried);
}

TEST(TunersSearch, BeginsWithTheSizesThatItIsAskedFor)
{
    Probe probe(
        test_device().device, [] {}, 0); // nothing is measured, which is not what this is about
    const KernelInfo& kernel = *find_kernel("06");
    const Parameters size = kernel.variants.front().with("TSK", 8);
    const std::vector<const char*> kinds = letters_for(probe.profile());
    ASSERT_GT(kinds.size(), 1u);
    std::vector<std::string> tried;
    const auto search_for = [&](std::size_t candidates) {
        tried.clear();
        Search search(
            probe, derived_tuning(probe.profile()), [&](const News& news) { tried.push_back(news.text); },
            [&] { return tried.size() < candidates ? 1.0 : 0.0; }, &kernel, {size});
        search.run([] { return true; });
    };
    search_for(kinds.size());
    ASSERT_GE(tried.size(), kinds.size());
    for (std::size_t i = 0; i < kinds.size(); i++)
        EXPECT_TRUE(tried[i].starts_with(key_of(variant_of(kernel, size), kinds[i]))) << tried[i];
    search_for(1);
    EXPECT_EQ(tried.size(), 1u);
}

// Of a kernel that is searched for alone a file would otherwise lose what it had.
TEST(TunersSearch, KeepsWhatWasKnownWhenItIsInterrupted)
{
    Probe probe(test_device().device);
    const Tuning before = derived_tuning(probe.profile());
    ASSERT_FALSE(before.measurements.empty());
    const KernelInfo* const only = before.measurements.front().variant.kernel;
    const auto of_it = [&](const Tuning& tuning) {
        std::set<std::string> keys;
        for (const Measurement& each : tuning.measurements)
            if (each.variant.kernel == only)
                keys.insert(key_of(each));
        return keys;
    };
    const Search search(
        probe, before, [](const News&) {}, [] { return 0.0; }, only);
    EXPECT_EQ(of_it(search.found_until_interrupted()), of_it(told_apart(before, letters_for(probe.profile()))));
}

TEST(TunersProbe, TellsOfEachRunThatNothingHangs)
{
    int runs = 0;
    Probe probe(test_device().device, [&] { runs++; });
    const auto guesses = guesses_for(probe.profile());
    ASSERT_FALSE(guesses.empty());
    const auto measured =
        probe.measure(guesses.front().variant, guesses.front().variant.family().takes_operands_alike() ? "" : "NT");
    EXPECT_FALSE(measured.step_ns.empty());
    EXPECT_GT(runs, 10);
}

TEST(TunersProbe, TimesCallsInTurnAndLeavesOutWhatItHasNoMatricesFor)
{
    Probe probe(test_device().device);
    const KernelInfo& kernel = *find_kernel("1");
    const Variant variant = variant_of(kernel, kernel.variants.front());
    const std::size_t too_many = std::size_t{1} << 30;
    const auto times = probe.times_in_turn({{variant, call_of_tiles(variant, "NN", 1, 1)},
                                            {variant, call_of_tiles(variant, "NN", too_many, 1)},
                                            {variant, call_of_tiles(variant, "TT", 64, 64)}});
    ASSERT_EQ(times.size(), 3u);
    EXPECT_GT(times[0], 0);
    EXPECT_EQ(times[1], 0);
    EXPECT_GT(times[2], times[0]) << "4,096 times as much";
}

// With four steps at most, a step may take less than the noise: such a point counts all the same. The device's times are not
// compared, since what else the machine does decides which is longer. That the curve of the starts does not fall is
// measure()'s doing, which goes on with the larger time: the model subtracts the first one from all.
TEST(TunersProbe, MeasuresAKernelForAShallowKWhateverItsStepsTake)
{
    constexpr double patience_on_a_busy_machine = 600;
    Probe probe(
        test_device().device, [] {}, patience_on_a_busy_machine);
    const KernelInfo& kernel = *find_kernel("shallow");
    const Variant variant = variant_of(kernel, kernel.variants.front());
    const Measurement measured = probe.measure(variant, "");
    // From the first load on and without gaps, as far as the tuner has memory for C: of 512 work-groups for each unit only
    // where there are no more than 128 units.
    const auto loads = variant.family().probing().loads;
    ASSERT_GT(measured.start_ns.size(), 3u);
    ASSERT_LE(measured.start_ns.size(), loads.size());
    ASSERT_EQ(measured.step_ns.size(), measured.start_ns.size());
    for (std::size_t i = 0; i < measured.start_ns.size(); i++) {
        const auto [load, ns] = measured.start_ns[i];
        EXPECT_EQ(load, static_cast<double>(loads[i]));
        EXPECT_EQ(load, measured.step_ns[i].first);
        EXPECT_GT(measured.step_ns[i].second, 0) << load;
        EXPECT_GT(ns, 0) << load;
        if (i > 0) {
            EXPECT_GE(ns, measured.start_ns[i - 1].second) << "more work never takes less time to start";
        }
    }
}

} // namespace
