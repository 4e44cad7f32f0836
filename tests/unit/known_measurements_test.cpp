// What the tuner keeps of earlier measurements, and what stands for those that there was no time for.
#include "made_up.hpp"

#include "tools/tune/known.hpp"

#include "families/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace clgemm::core;
using namespace clgemm::tune;

namespace {

Measurement measurement_of(const char* kernel, const char* operands, double step_ns = 10)
{
    const KernelInfo& info = *find_kernel(kernel);
    return {variant_of(info, info.variants.front()), operands, {{1, step_ns}, {10, 10 * step_ns}}, 1, {{1, 5}}};
}

std::size_t count(const Tuning& tuning, const char* kernel, const std::string& operands)
{
    return static_cast<std::size_t>(
        std::count_if(tuning.measurements.begin(), tuning.measurements.end(), [&](const Measurement& measurement) {
            return measurement.variant.kernel == find_kernel(kernel) && measurement.operands == operands;
        }));
}

TEST(KnownMeasurements, StayWhereTheNewOneDiffersByNoiseAlone)
{
    const Measurement known = measurement_of("17", "NT", 10);
    EXPECT_EQ(known_or_new(known, measurement_of("17", "NT", 11)).step_ns, known.step_ns);
    EXPECT_EQ(known_or_new(known, measurement_of("17", "NT", 9)).step_ns, known.step_ns);
}

TEST(KnownMeasurements, GiveWayWhereTheNewOneSaysOtherwise)
{
    const Measurement known = measurement_of("17", "NT", 10);
    for (const double step_ns : {7.0, 14.0}) {
        const Measurement measured = measurement_of("17", "NT", step_ns);
        EXPECT_EQ(known_or_new(known, measured).step_ns, measured.step_ns);
    }
}

TEST(KnownMeasurements, AreComparedAtTheLoadsOfTheNewOne)
{
    const Measurement known = measurement_of("17", "NT", 10);
    Measurement measured = known;
    measured.step_ns = {{5, 51}}; // where what is known is 50
    EXPECT_EQ(known_or_new(known, measured).step_ns, known.step_ns);
}

TEST(KnownMeasurements, ThatHoldForAllOperandsAreToldApart)
{
    constexpr const char* operands[] = {"NT", "NN"};
    Tuning tuning;
    tuning.measurements = {measurement_of("17", ""), measurement_of("17", "TN"), measurement_of("14", "")};
    const Tuning result = told_apart(tuning, operands);
    ASSERT_EQ(result.measurements.size(), 4u);
    EXPECT_EQ(count(result, "17", "NT"), 1u);
    EXPECT_EQ(count(result, "17", "NN"), 1u);
    EXPECT_EQ(count(result, "17", "TN"), 1u);
    EXPECT_EQ(count(result, "14", ""), 1u) << "it takes all alike";
}

TEST(KnownMeasurements, TellTheScaleOfTheNewOnes)
{
    Tuning before, now;
    before.measurements = {measurement_of("17", "", 10), measurement_of("18", "NT", 10)};
    now.measurements = {measurement_of("17", "NT", 20), measurement_of("17", "TN", 5), measurement_of("18", "TN", 70)};
    EXPECT_EQ(known_in(before, now.measurements[0]), &before.measurements[0]);
    EXPECT_EQ(known_in(before, now.measurements[2]), nullptr);
    EXPECT_NEAR(scale_of(now, before), 1, 1e-12);
    EXPECT_EQ(scale_of(now, {}), 1);
}

TEST(FilledTuning, HasTheFirstOperandsMeasurementsWhereNothingComputesEverything)
{
    constexpr const char* operands[] = {"NT", "NN", "TN"};
    Tuning tuning;
    // Kernel 18 has few columns, and computes nothing else.
    tuning.measurements = {measurement_of("18", "NT"), measurement_of("17", "NN"), measurement_of("18", "TN")};
    const Tuning result = filled(tuning, operands);
    EXPECT_EQ(count(result, "17", "NT"), 1u);
    EXPECT_EQ(count(result, "17", "NN"), 1u);
    EXPECT_EQ(count(result, "17", "TN"), 1u);
    EXPECT_EQ(result.measurements.size(), 5u);
    EXPECT_TRUE(takes_everything(result, "TN"));
    EXPECT_FALSE(takes_everything(tuning, "TN"));
}

TEST(FilledTuning, IsAsItWasWhereNothingComputesEverythingAnywhere)
{
    constexpr const char* operands[] = {"NT", "NN"};
    Tuning tuning;
    tuning.measurements = {measurement_of("18", "NT")};
    EXPECT_EQ(filled(tuning, operands).measurements.size(), 1u);
}

} // namespace
