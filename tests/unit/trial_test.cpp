// The tuner's trial: whatever the measurements of single kernels promise, what whole calls say counts. Here a made-up truth
// takes the place of a device.
#include "made_up.hpp"

#include "tools/tune/chosen.hpp"
#include "tools/tune/correction.hpp"
#include "tools/tune/trial.hpp"

#include "families/registry.hpp"
#include "select/cost_model.hpp"
#include "support/error.hpp"
#include "tuning/derived_tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace clgemm::core;
using namespace clgemm::tune;
using namespace clgemm::test;

namespace {

class Correction : public testing::Test {
protected:
    double step(double load, const std::vector<Observation>& observations, double otherwise = 1) const
    {
        return value_at(corrected(measurement, observations, otherwise).step_ns, load, 0);
    }

    // Of a kernel for CPUs: work-groups compute blocks, and there are no rounds of them.
    Measurement measurement{variant_of(*find_kernel("17"), find_kernel("17")->variants.front()),
                            "NN",
                            {{1, 10}, {10, 100}, {100, 1000}},
                            100,
                            {{1, 50}, {100, 70}}};
};

TEST_F(Correction, WithoutObservationsEverythingIsMultipliedAlike)
{
    EXPECT_DOUBLE_EQ(step(10, {}, 1.5), 150);
    EXPECT_DOUBLE_EQ(step(55, {}, 1), 550);
    EXPECT_DOUBLE_EQ(corrected(measurement, {}, 1.5).start_ns.front().second, 75);
}

TEST_F(Correction, WhatWasObservedHoldsThereAndNotFarAway)
{
    EXPECT_NEAR(step(30, {{30, 2}}), 600, 30);
    EXPECT_NEAR(step(1, {{30, 2}}), 10, 0.01);
    EXPECT_NEAR(step(100, {{30, 2}}), 1000, 40);
}

TEST_F(Correction, LargeSizesAreToldByWhatWasObservedThere)
{
    const Measurement larger = corrected(measurement, {{1000, 1.25}}, 1);
    EXPECT_NEAR(value_at(larger.step_ns, 1000, 0), 12500, 200);
    EXPECT_NEAR(value_at(larger.step_ns, 2000, 0), 25000, 400) << "and beyond";
    EXPECT_NEAR(value_at(larger.step_ns, 100, 0), 1000, 1);
    EXPECT_EQ(larger.resident, 1000);
}

TEST_F(Correction, OfContraryObservationsTheHeavierCounts)
{
    EXPECT_NEAR(step(10, {{10, 2}, {10, 0.5}}), 100, 1);
    EXPECT_NEAR(step(10, {{10, 2, 1000}, {10, 0.5}}), 200, 2);
}

TEST_F(Correction, RoundsOfWorkGroupsAreToldByOneOfThem)
{
    const Measurement of_gpu{variant_of(*find_kernel("13"), find_kernel("13")->variants.front()),
                             "NN",
                             {{1, 10}, {2, 20}, {3, 30}},
                             1,
                             {{1, 50}}};
    const Measurement now = corrected(of_gpu, {{50, 2}}, 1);
    EXPECT_NEAR(value_at(now.step_ns, 1, 0), 20, 1);
    EXPECT_EQ(now.resident, 1);
    EXPECT_EQ(now.step_ns.size(), 3u);
}

// The library's guesses of a CPU are the truth about the kernels that it guesses. Beside them there is a newcomer, which the
// tuner has measured at 0.7 of the time of kernel 17, and of which only whole calls know how fast it is.
class TunersTrial : public testing::Test {
protected:
    using Truth = std::function<double(const Problem&, const Selection&)>; // times, as multiples of the guesses'

    explicit TunersTrial(std::size_t compute_units = 2) : device(made_up_cpu())
    {
        device.compute_units = compute_units;
        found = before = derived_tuning(device);
        found.is_a_guess = false;
        found.measurements.clear();
        for (const auto& guess : before.measurements)
            for (const char* letters : letters_for(device)) {
                found.measurements.push_back(guess);
                found.measurements.back().operands = letters;
                if (guess.variant.kernel->name != "cpu_fused")
                    continue;
                Measurement measurement = found.measurements.back();
                const Parameters& parameters = guess.variant.parameters;
                measurement.variant = newcomer =
                    variant_of(*guess.variant.kernel, parameters.with("TSK", parameters["TSK"] / 2));
                for (auto& point : measurement.step_ns)
                    point.second *= 0.7;
                found.measurements.push_back(measurement);
            }
    }

    bool is_newcomer(const Selection& selection) const
    {
        return selection.variant.parameters.text() == with_device_features(newcomer, device).parameters.text();
    }

    double time_of(const Problem& problem, const Selection& selection, const Truth& truth) const
    {
        for (const auto& guess : before.measurements)
            if (guess.variant.kernel == selection.variant.kernel) {
                const Outline outline = guess.variant.family().outline(problem, device, guess.variant, selection.way);
                return estimate(outline, before, guess) * truth(problem, selection);
            }
        throw std::logic_error("a kernel that is not there");
    }

    // The kernels that were guessed take what was guessed, and the newcomer this multiple of it.
    Truth of_newcomer(const std::function<double(const Problem&)>& multiple) const
    {
        return [this, multiple](const Problem& problem, const Selection& selection) {
            return is_newcomer(selection) ? multiple(problem) : 1;
        };
    }

    Verdict judge(const Truth& truth)
    {
        Trial trial(
            device, before, targets_to_compare(device),
            [&](const Problem& problem, const Selection& first, const Selection& second) {
                timed++;
                return std::pair(time_of(problem, first, truth), time_of(problem, second, truth));
            },
            [](const std::string&) {}, [&] { return is_interrupted; });
        return trial.judge(found, 1000);
    }

    static std::size_t faster_calls(const Verdict& verdict)
    {
        std::size_t result = 0;
        for (const auto& comparison : verdict.comparisons)
            result += comparison.times && comparison.times->speed_up > 1.01 ? 1 : 0;
        return result;
    }

    DeviceProfile device;
    Tuning before, found;
    Variant newcomer;
    std::size_t timed = 0;
    bool is_interrupted = false;
};

TEST_F(TunersTrial, WhatIsAsFastAsPromisedIsChosen)
{
    const Verdict verdict = judge(of_newcomer([](const Problem&) { return 0.7; }));
    EXPECT_FALSE(verdict.is_slower_somewhere());
    EXPECT_GT(faster_calls(verdict), 20u);
}

TEST_F(TunersTrial, WhatOnlyPromisesIsNotChosen)
{
    const Verdict verdict = judge(of_newcomer([](const Problem&) { return 1.1; }));
    for (const auto& comparison : verdict.comparisons)
        EXPECT_TRUE(comparison.chooses_the_same) << describe(comparison.target.problem);
    EXPECT_GT(timed, 0u);
}

TEST_F(TunersTrial, WhatIsFastForSmallSizesIsChosenForThoseAlone)
{
    const auto is_small = [](const Problem& problem) { return problem.m * problem.n < 600 * 600; };
    const Verdict verdict = judge(of_newcomer([&](const Problem& problem) { return is_small(problem) ? 0.8 : 1.3; }));
    EXPECT_FALSE(verdict.is_slower_somewhere());
    EXPECT_GT(faster_calls(verdict), 4u);
    for (const auto& comparison : verdict.comparisons)
        if (is_newcomer(comparison.now)) {
            EXPECT_TRUE(is_small(comparison.target.problem)) << describe(comparison.target.problem);
        }
}

// Of each call, size and way its own, so that no correction of a few curves can tell it. And of guesses only proportions are
// right.
class TunersTrialOfWhatCannotBeTold : public TunersTrial, public testing::WithParamInterface<unsigned> {
protected:
    static constexpr double scale = 0.4; // of what was measured, to the guesses

    TunersTrialOfWhatCannotBeTold()
    {
        found.launch_ns = found.enqueue_ns = 100;
        for (auto& measurement : found.measurements)
            if (measurement.variant.parameters.text() != newcomer.parameters.text())
                for (auto& point : measurement.step_ns)
                    point.second *= scale;
        verdict = judge([](const Problem& problem, const Selection& selection) {
            const std::string call = describe(problem) + selection.variant.parameters.text() + "/" +
                                     std::to_string(selection.way.split_k + GetParam() * 1000);
            std::seed_seq seeds(call.begin(), call.end()); // the same with every compiler
            return std::exp(3.0 * static_cast<double>(std::mt19937(seeds)()) / 4294967296.0 - 1.5);
        });
    }

    Verdict verdict;
};

TEST_P(TunersTrialOfWhatCannotBeTold, MakesNothingSlowerAndSomeCallsFaster)
{
    EXPECT_FALSE(verdict.is_slower_somewhere());
    EXPECT_GT(faster_calls(verdict), 0u);
}

TEST_P(TunersTrialOfWhatCannotBeTold, GoesBackToTheGuessesAtTheScaleOfTheNew)
{
    std::size_t given_up = 0; // what nobody corrects any more
    for (const auto& measurement : verdict.tuning.measurements)
        for (const auto& guess : before.measurements)
            if (guess.variant.kernel == measurement.variant.kernel &&
                guess.variant.parameters.text() == measurement.variant.parameters.text() &&
                guess.step_ns.size() == measurement.step_ns.size()) {
                given_up++;
                for (std::size_t i = 0; i < guess.step_ns.size(); i++)
                    EXPECT_NEAR(measurement.step_ns[i].second / guess.step_ns[i].second, scale, 1e-6)
                        << measurement.variant.kernel->name << " at " << guess.step_ns[i].first;
            }
    ASSERT_GT(given_up, 0u);
    EXPECT_NEAR(verdict.tuning.launch_ns, scale * before.launch_ns, 1e-6 * before.launch_ns);
    EXPECT_NEAR(verdict.tuning.enqueue_ns, scale * before.enqueue_ns, 1e-6 * before.enqueue_ns);
    EXPECT_NEAR(verdict.tuning.bytes_per_ns, before.bytes_per_ns / scale, 1e-6 * before.bytes_per_ns);
}

INSTANTIATE_TEST_SUITE_P(OfSeed, TunersTrialOfWhatCannotBeTold,
                         testing::Values(2u, 3u)); // with which something must be given up

// A newcomer that promises much for small loads alone, which none of the compared calls has.
TEST_F(TunersTrial, WhatNoComparedCallChoosesIsNotKept)
{
    const auto is_of_newcomer = [&](const Measurement& measurement) {
        return measurement.variant.parameters.text() == newcomer.parameters.text();
    };
    for (auto& measurement : found.measurements)
        if (is_of_newcomer(measurement)) {
            const double step = value_at(measurement.step_ns, 1, 0);
            measurement.step_ns = {{8, 2 * step}, {9, 40 * step}};
            measurement.start_ns = {{8, measurement.start_ns.front().second}};
            measurement.resident = 9;
        }
    const Tuning chosen = only_chosen(found, device, {});
    ASSERT_TRUE(std::any_of(chosen.measurements.begin(), chosen.measurements.end(), is_of_newcomer));
    const Tuning kept = judge([](const Problem&, const Selection&) { return 1.0; }).tuning;
    EXPECT_FALSE(kept.measurements.empty());
    EXPECT_TRUE(std::none_of(kept.measurements.begin(), kept.measurements.end(), is_of_newcomer));
}

// Memory is held to be so slow that nothing else decides. No curve can mend that.
TEST_F(TunersTrial, WhatNoCorrectionMendsIsLeftAsItWas)
{
    found.bytes_per_ns = before.bytes_per_ns / 1e4;
    for (auto& measurement : found.measurements)
        for (auto& point : measurement.step_ns)
            point.second *= 0.01;
    const Verdict verdict = judge(of_newcomer([](const Problem&) { return 1.2; }));
    EXPECT_FALSE(verdict.is_slower_somewhere());
}

// There memory alone decides how long some calls take: the estimates of several kernels are equal, and the first counts.
class TunersTrialOnManyUnits : public TunersTrial {
protected:
    TunersTrialOnManyUnits() : TunersTrial(8) {}
};

// For few rows and columns it was chosen, and there was no time to measure it on one kind of operands, or on any.
TEST_F(TunersTrialOnManyUnits, WhatWasChosenBeforeAndNotMeasuredIsNotLost)
{
    const KernelInfo* const lost = find_kernel("18");
    const std::size_t all = found.measurements.size();
    std::erase_if(found.measurements, [&](const Measurement& measurement) {
        return measurement.variant.kernel == lost && measurement.operands == "TN";
    });
    ASSERT_LT(found.measurements.size(), all);
    for (const bool all_of_it : {false, true}) {
        if (all_of_it)
            std::erase_if(found.measurements,
                          [&](const Measurement& measurement) { return measurement.variant.kernel == lost; });
        const Verdict verdict = judge(of_newcomer([](const Problem&) { return 1.1; }));
        std::size_t count = 0;
        for (const auto& comparison : verdict.comparisons) {
            EXPECT_TRUE(comparison.chooses_the_same) << describe(comparison.target.problem);
            count += comparison.now.variant.kernel == lost ? 1 : 0;
        }
        EXPECT_GT(count, 10u);
    }
}

TEST_F(TunersTrial, WhatCannotBeHadIsNotChosen)
{
    const Verdict verdict = judge(of_newcomer([](const Problem&) -> double { throw Error(CL_OUT_OF_RESOURCES, "no"); }));
    for (const auto& comparison : verdict.comparisons)
        EXPECT_TRUE(comparison.chooses_the_same) << describe(comparison.target.problem);
}

TEST_F(TunersTrial, WithoutTimeNothingIsSaidOfWhatDiffers)
{
    is_interrupted = true;
    const Verdict verdict = judge(of_newcomer([](const Problem&) { return 0.7; }));
    EXPECT_EQ(timed, 0u);
    EXPECT_FALSE(verdict.tuning.measurements.empty());
    for (const auto& comparison : verdict.comparisons)
        EXPECT_EQ(comparison.times.has_value(), comparison.chooses_the_same);
}

} // namespace
