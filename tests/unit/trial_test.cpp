// The tuner's trial: whatever the measurements of single kernels promise, what whole calls say counts. Here a made-up truth
// takes the place of a device.
#include "made_up.hpp"

#include "tools/tune/chosen.hpp"
#include "tools/tune/correction.hpp"
#include "tools/tune/known.hpp"
#include "tools/tune/trial.hpp"

#include "families/registry.hpp"
#include "select/cost_model.hpp"
#include "select/plan_of.hpp"
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
        for (const auto& guess : told_apart(before, letters_for(device)).measurements) {
            found.measurements.push_back(guess);
            if (guess.variant.kernel->name != "cpu_fused")
                continue;
            Measurement measurement = guess;
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
        const std::string operands = selection.variant.family().measured_operands(problem, selection.way);
        for (const auto& guess : before.measurements)
            if (guess.variant.kernel == selection.variant.kernel && (guess.operands.empty() || guess.operands == operands)) {
                const auto parts = static_cast<double>(part_count(problem, guess.variant, selection.way, {}));
                return parts * estimate(outline_of(problem, device, guess.variant, selection.way), before, guess) *
                       truth(problem, selection);
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

    Verdict judge(const Truth& truth, double seconds = 1000)
    {
        Trial trial(
            device, before, targets_to_compare(device),
            [&](const Problem& problem, const Selection& first, const Selection& second, double) {
                is_interrupted = ++timed >= calls_to_interrupt;
                return std::pair(time_of(problem, first, truth), time_of(problem, second, truth));
            },
            [&](const TrialNews& each) { news.push_back(each); }, [&] { return is_interrupted; });
        return trial.judge(found, seconds);
    }

    // What is promised: no call is slower, or chosen otherwise than before without having been compared.
    static void expect_no_losses(const Verdict& verdict)
    {
        for (const auto& comparison : verdict.comparisons) {
            EXPECT_TRUE(comparison.times) << describe(comparison.target.problem);
            EXPECT_FALSE(comparison.is_slower()) << describe(comparison.target.problem);
        }
    }

    std::size_t calls_by_newcomer(const Verdict& verdict) const
    {
        return static_cast<std::size_t>(
            std::count_if(verdict.comparisons.begin(), verdict.comparisons.end(),
                          [&](const Comparison& comparison) { return is_newcomer(comparison.now); }));
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
    std::vector<TrialNews> news;
    std::size_t timed = 0, calls_to_interrupt = 1'000'000;
    bool is_interrupted = false;
};

TEST_F(TunersTrial, WhatIsAsFastAsPromisedIsChosen)
{
    const Verdict verdict = judge(of_newcomer([](const Problem&) { return 0.7; }));
    expect_no_losses(verdict);
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
    expect_no_losses(verdict);
    EXPECT_GT(faster_calls(verdict), 4u);
    for (const auto& comparison : verdict.comparisons)
        if (is_newcomer(comparison.now)) {
            EXPECT_TRUE(is_small(comparison.target.problem)) << describe(comparison.target.problem);
        }
}

// Three of the calls that are chosen to be made by the newcomer are slower by it, each beside others of its load that are
// faster: no curve tells them apart.
TEST_F(TunersTrial, WhereThreeCallsAreSlowerTheOthersStayFaster)
{
    const Verdict fast = judge(of_newcomer([](const Problem&) { return 0.7; }));
    std::vector<std::string> slower;
    for (std::size_t i = 0; i < fast.comparisons.size() && slower.size() < 3; i += 7)
        if (is_newcomer(fast.comparisons[i].now))
            slower.push_back(describe(fast.comparisons[i].target.problem));
    ASSERT_EQ(slower.size(), 3u);
    const Verdict verdict = judge(of_newcomer([&](const Problem& problem) {
        return std::count(slower.begin(), slower.end(), describe(problem)) > 0 ? 1.2 : 0.7;
    }));
    expect_no_losses(verdict);
    EXPECT_GT(3 * calls_by_newcomer(verdict), 2 * calls_by_newcomer(fast)) << "of " << calls_by_newcomer(fast);
    for (const auto& comparison : verdict.comparisons)
        if (std::count(slower.begin(), slower.end(), describe(comparison.target.problem)) > 0) {
            EXPECT_FALSE(is_newcomer(comparison.now)) << describe(comparison.target.problem);
        }
}

// Of each call, size and way its own, so that no correction of a few curves can tell it. And of guesses only proportions are
// right.
class TunersTrialOfWhatCannotBeTold : public TunersTrial, public testing::WithParamInterface<unsigned> {};

TEST_P(TunersTrialOfWhatCannotBeTold, MakesNothingSlowerAndSomeCallsFaster)
{
    found.launch_ns = found.enqueue_ns = 100;
    for (auto& measurement : found.measurements)
        if (measurement.variant.parameters.text() != newcomer.parameters.text())
            for (auto& point : measurement.step_ns)
                point.second *= 0.4;
    const Verdict verdict = judge([](const Problem& problem, const Selection& selection) {
        const std::string call = describe(problem) + selection.variant.parameters.text() + "/" +
                                 std::to_string(selection.way.split_k + GetParam() * 1000);
        std::seed_seq seeds(call.begin(), call.end()); // the same with every compiler
        return std::exp(3.0 * static_cast<double>(std::mt19937(seeds)()) / 4294967296.0 - 1.5);
    });
    expect_no_losses(verdict);
    EXPECT_GT(faster_calls(verdict), 0u);
}

INSTANTIATE_TEST_SUITE_P(OfSeed, TunersTrialOfWhatCannotBeTold, testing::Values(1u, 2u, 3u, 4u));

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
    expect_no_losses(judge(of_newcomer([](const Problem&) { return 1.2; })));
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

TEST_F(TunersTrial, WithoutTimeEveryCallIsChosenAsBefore)
{
    const Verdict verdict = judge(of_newcomer([](const Problem&) { return 0.7; }), 0);
    EXPECT_EQ(timed, 0u);
    EXPECT_FALSE(verdict.tuning.measurements.empty());
    EXPECT_TRUE(choose_as_before(verdict.comparisons));
}

TEST_F(TunersTrial, InterruptedItKeepsWhatWasComparedUntilThen)
{
    const auto is_small = [](const Problem& problem) { return problem.m * problem.n < 600 * 600; };
    const auto truth = of_newcomer([&](const Problem& problem) { return is_small(problem) ? 0.5 : 0.8; });
    const std::size_t uninterrupted = faster_calls(judge(truth));
    ASSERT_GT(timed, 60u);
    timed = 0;
    calls_to_interrupt = 60;
    const Verdict verdict = judge(truth);
    EXPECT_EQ(timed, 60u);
    expect_no_losses(verdict);
    EXPECT_LT(faster_calls(verdict), uninterrupted);
    EXPECT_FALSE(choose_as_before(verdict.comparisons));
}

TEST_F(TunersTrial, TellsHowManyCallsThereAreToTime)
{
    judge(of_newcomer([](const Problem&) { return 0.95; }));
    ASSERT_FALSE(news.empty());
    EXPECT_EQ(news.front().number, 1u);
    EXPECT_FALSE(news.front().is_again);
    for (const TrialNews& each : news) {
        EXPECT_GE(each.number, 1u);
        EXPECT_LE(each.number, each.count);
        EXPECT_FALSE(each.text.empty());
    }
}

} // namespace
