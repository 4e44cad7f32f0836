// What regression_bench decides by, with invented times.
#include "bench/regression/judgement.hpp"

#include <gtest/gtest.h>

using namespace bench;

namespace {

constexpr RegressionLimits limits{1.03, 1.10};

// A quiet machine: turns differ by a thousandth.
OldAndNew with_ratio(double ratio)
{
    OldAndNew times;
    for (const double noise : {0.9995, 1.0, 1.0005, 0.9998, 1.0002, 1.0, 0.9999, 1.0001}) {
        times.old_seconds.push_back(2 * noise);
        times.new_seconds.push_back(2 * ratio * noise);
    }
    return times;
}

std::vector<OldAndNew> all_with_ratio(double ratio)
{
    return std::vector<OldAndNew>(60, with_ratio(ratio));
}

TEST(Regression, LittleIsNoReasonToFail)
{
    auto products = all_with_ratio(1.0);
    products[3] = with_ratio(1.099);
    products[7] = with_ratio(0.5);
    EXPECT_TRUE(judge(products, limits).passed());
}

TEST(Regression, OneProductThatIsMuchSlowerFails)
{
    auto products = all_with_ratio(0.9); // that the others gained is no excuse
    products[17] = with_ratio(1.11);
    const Judgement judgement = judge(products, limits);
    EXPECT_FALSE(judgement.passed());
    EXPECT_EQ(judgement.too_slow, std::vector<std::size_t>{17});
    EXPECT_FALSE(judgement.mean_is_too_slow);
}

TEST(Regression, AllALittleSlowerFail)
{
    EXPECT_TRUE(judge(all_with_ratio(1.029), limits).passed());
    const Judgement judgement = judge(all_with_ratio(1.031), limits);
    EXPECT_FALSE(judgement.passed());
    EXPECT_TRUE(judgement.mean_is_too_slow);
    EXPECT_TRUE(judgement.too_slow.empty());
}

// A product twice as slow and one twice as fast are no change in the mean: it is the geometric one.
TEST(Regression, TheMeanIsThatOfRatios)
{
    EXPECT_NEAR(judge({with_ratio(2.0), with_ratio(0.5)}, limits).mean, 1.0, 1e-12);
}

// Turns that take once and three times as long, at random: the medians' ratio says nothing.
TEST(Regression, WhatChanceExplainsIsNoReasonToFail)
{
    const OldAndNew noisy{{1, 1, 1, 3, 3}, {1, 1, 3, 3, 3}};
    EXPECT_GT(noisy.ratio(), 2.9);
    EXPECT_FALSE(noisy.is_beyond_chance());
    auto products = all_with_ratio(1.0);
    products[5] = noisy;
    EXPECT_TRUE(judge(products, limits).passed());
}

struct Measured {
    std::vector<std::size_t> products; // in the order in which they were
    Judged judged;
};

// `ratio` gives each product's by how often it was measured before.
Measured measured(std::size_t count, int repeats, const std::function<double(std::size_t, std::size_t)>& ratio)
{
    Measured result;
    std::vector<std::size_t> times(count);
    const auto measure = [&](std::size_t product) {
        result.products.push_back(product);
        return with_ratio(ratio(product, times[product]++));
    };
    result.judged = judge_repeatedly(count, measure, limits, repeats);
    return result;
}

TEST(Regression, WhatPassesIsMeasuredOnce)
{
    EXPECT_EQ(measured(4, 2, [](auto, auto) { return 1.0; }).products, (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(Regression, AProductIsMeasuredAgainBeforeItFails)
{
    const auto once_slow =
        measured(40, 2, [](auto product, auto before) { return product == 2 && before == 0 ? 1.15 : 1.0; });
    EXPECT_TRUE(once_slow.judged.judgement.passed());
    ASSERT_EQ(once_slow.products.size(), 41u);
    EXPECT_EQ(once_slow.products.back(), 2u);

    const auto always_slow = measured(40, 2, [](auto product, auto) { return product == 2 ? 1.15 : 1.0; });
    EXPECT_EQ(always_slow.judged.judgement.too_slow, std::vector<std::size_t>{2});
    EXPECT_EQ(always_slow.products.size(), 42u);
}

TEST(Regression, AllAreMeasuredAgainBeforeTheMeanFails)
{
    const auto once_slow = measured(5, 2, [](auto, auto before) { return before == 0 ? 1.05 : 1.0; });
    EXPECT_TRUE(once_slow.judged.judgement.passed());
    EXPECT_EQ(once_slow.products.size(), 10u);

    const auto always_slow = measured(5, 2, [](auto, auto) { return 1.05; });
    EXPECT_TRUE(always_slow.judged.judgement.mean_is_too_slow);
    EXPECT_EQ(always_slow.products.size(), 15u);
}

// All that was measured counts, so that one quick measurement among slow ones does not hide what is slow.
TEST(Regression, OneLuckyMeasurementDoesNotPass)
{
    const auto lucky =
        measured(40, 2, [](auto product, auto before) { return product == 2 ? (before == 1 ? 1.09 : 1.3) : 1.0; });
    EXPECT_FALSE(lucky.judged.judgement.passed());
}

} // namespace
