// A kernel that does not compute in FP32, chosen on a device that nobody measured, is compared at its first use: what
// computes wrongly is not used.
#include "engine/device_state.hpp"
#include "families/registry.hpp"
#include "select/plan_of.hpp"
#include "support/case_on_device.hpp"
#include "support/error.hpp"
#include "support/with_selection.hpp"
#include "tuning/derived_tuning.hpp"

#include <filesystem>
#include <random>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

bool anywhere(const Problem&)
{
    return true;
}

// Computes as the last resort does, on any device, and so more or less wrongly where it is told another alpha: for all
// problems, or for some.
class Tried : public Family {
public:
    explicit Tried(float factor, bool (*is_spoilt)(const Problem&) = anywhere) : factor_(factor), is_spoilt_(is_spoilt) {}

    Arithmetic computes(const Arithmetic&) const override { return {.accuracy = CLGEMM_MATH_DEFAULT}; }
    Tiling tiling(const Parameters& parameters) const override { return other().tiling(parameters); }
    std::vector<Way> ways(const Problem&, const DeviceProfile&, const Variant&) const override { return {Way{}}; }
    Outline outline(const Problem& problem, const DeviceProfile& device, const Variant& variant,
                    const Way& way) const override
    {
        return other().outline(problem, device, variant, way);
    }
    void plan(PlanBuilder& builder, const Problem& problem, const Variant& variant, const Way& way) const override
    {
        plans++;
        Problem spoilt = problem;
        if (is_spoilt_(problem))
            spoil(spoilt);
        other().plan(builder, spoilt, variant, way);
    }
    std::size_t listed_products_at_once() const override { return other().listed_products_at_once(); }
    std::string measured_operands(const Problem&, const Way&) const override { return ""; }
    std::optional<Guess> guess(const Variant&, const DeviceProfile&) const override { return std::nullopt; }
    Probing probing() const override { return {}; }

    mutable std::size_t plans = 0;

private:
    static const Family& other() { return *last_resort().family; }
    void spoil(Problem& problem) const
    {
        problem.alpha *= factor_;
        if (problem.batch.listed && factor_ != 1) // which has its factors in the list
            problem.k--;
    }

    const float factor_;
    bool (*const is_spoilt_)(const Problem&);
};

// A context of its own, whose device nobody measured: a guess says that this family's only kernel is the fastest.
class FirstUseOf : public testing::Test {
protected:
    void know_only(const Tried& family, bool is_a_guess) { know_only(family, is_a_guess, *state); }
    void know_only(const Tried& family, bool is_a_guess, DeviceState& its_state)
    {
        kernel = last_resort();
        kernel.family = &family;
        kernel.is_last_resort = false;
        Tuning tuning{
            "made up", 1, 1, 1, {{variants_for(last_resort(), test_profile()).front(), "", {{1, 1}}, 1, {{1, 1}}, {}}}};
        tuning.measurements.front().variant.kernel = &kernel;
        tuning.is_a_guess = is_a_guess;
        its_state.planner = std::make_shared<Planner>(test_profile(), tuning);
    }

    ~FirstUseOf() override { clgemm_teardown(context()); }

    // The library's choice; whether C is right.
    testing::AssertionResult calls_rightly()
    {
        const CaseOnDevice on_device(x, context);
        if (on_device.call(queue) != CLGEMM_SUCCESS)
            return testing::AssertionFailure() << clgemm_last_error();
        return on_device.is_right(queue);
    }

    const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 50, 40, 30, -1.5f, 0.5f, {1, 2, 3}, {1, 0, 2}};
    const cl::Device device = test_device().device;
    const cl::Context context{device};
    const cl::CommandQueue queue{context, device};
    const std::shared_ptr<DeviceState> state = device_state(context(), device());
    KernelInfo kernel;
};

TEST_F(FirstUseOf, AKernelThatComputesWronglyFallsBackToFp32)
{
    const Tried wrong(1 + 0x1p-10f);
    know_only(wrong, true);
    testing::internal::CaptureStderr();
    EXPECT_TRUE(calls_rightly());
    const std::size_t plans = wrong.plans;
    EXPECT_GT(plans, 1u) << "the call's and the check's";
    EXPECT_TRUE(calls_rightly());
    EXPECT_EQ(wrong.plans, plans) << "a call that comes again only looks up what it fell back to";
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("computes wrongly"), std::string::npos) << said;
    EXPECT_NE(said.find(test_profile().name), std::string::npos) << said;
}

TEST_F(FirstUseOf, AKernelThatComputesRightlyIsUsedAndNotCheckedAgain)
{
    const Tried right(1);
    know_only(right, true);
    EXPECT_TRUE(calls_rightly());
    EXPECT_EQ(right.plans, 3u) << "the call's, and the check's without and with beta";
    EXPECT_TRUE(calls_rightly());
    EXPECT_EQ(right.plans, 3u);
}

// Whoever measured a kernel compared its results, too.
TEST_F(FirstUseOf, AMeasuredKernelIsNotChecked)
{
    const Tried wrong(2);
    know_only(wrong, false);
    EXPECT_FALSE(calls_rightly());
    EXPECT_EQ(wrong.plans, 1u);
}

// Another process finds on disk what this one found, right or wrong, where compiled programs are kept.
TEST_F(FirstUseOf, WhatWasFoundIsKeptOnDisk)
{
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("clgemm-first-use-" + std::to_string(std::random_device()()));
    const DiskCache disk(folder), nowhere(std::nullopt);
    const Problem problem = problem_of(x, Operands(x));
    for (const float factor : {1.0f, -1.0f}) {
        const Tried family(factor);
        const auto fails = [&](const DiskCache& its_disk, std::size_t plans) {
            DeviceState process(context, device, its_disk);
            know_only(family, true, process);
            const PlannedCall call = process.planner->plan(problem, {});
            const std::size_t before = family.plans;
            bool failed = false;
            try {
                process.first_use.check(process, problem, call);
            } catch (const Unavailable&) {
                failed = true;
            }
            EXPECT_EQ(family.plans - before, plans) << "factor " << factor;
            EXPECT_EQ(process.first_use.has_found_wrong(process, problem, call), failed);
            return failed;
        };
        const bool is_wrong = factor != 1;
        EXPECT_EQ(fails(disk, 2), is_wrong) << "compared, on plans of its own without and with beta";
        EXPECT_EQ(fails(disk, 0), is_wrong) << "known";
        EXPECT_EQ(fails(nowhere, 2), is_wrong) << "compared again";
        EXPECT_EQ(fails(disk, 0), is_wrong);
        std::filesystem::remove_all(folder);
    }
}

// By everything that it may depend on.
TEST_F(FirstUseOf, WhatIsKeptIsOfThisDriverDeviceAndProgramAlone)
{
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("clgemm-note-" + std::to_string(std::random_device()()));
    const DiskCache disk(folder);
    Step step;
    constexpr std::string_view text[] = {"kernel void f() {}"}, other_text[] = {"kernel void g() {}"};
    const KernelSource source{"made_up", text}, other{"made_up", other_text};
    step.source = &source;
    step.options = "-DX=1";
    const DeviceProfile& here = test_profile();
    ProgramCache(context, device, here, disk).keep_note(step, "noted");
    const auto noted = [&](const DeviceProfile& profile, const Step& its) {
        return ProgramCache(context, device, profile, disk).note(its).has_value();
    };
    EXPECT_EQ(ProgramCache(context, device, here, disk).note(step), "noted");
    for (const auto member : {&DeviceProfile::name, &DeviceProfile::vendor, &DeviceProfile::driver_version,
                              &DeviceProfile::platform_name, &DeviceProfile::platform_version, &DeviceProfile::language}) {
        DeviceProfile changed = here;
        changed.*member += " changed";
        EXPECT_FALSE(noted(changed, step)) << changed.*member;
    }
    Step another = step;
    another.options = "-DX=2";
    EXPECT_FALSE(noted(here, another));
    another = step;
    another.source = &other;
    EXPECT_FALSE(noted(here, another));
    another = step;
    another.retargeted_local_bytes = 50'000;
    EXPECT_FALSE(noted(here, another));
    std::filesystem::remove_all(folder);
}

TEST_F(FirstUseOf, AKernelIsCheckedHoweverItsOperandsLie)
{
    const Tried right(1);
    for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
        for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const std::size_t gap : {0U, 1U}) {
                const SgemmCase lying{CLGEMM_COLUMN_MAJOR, trans_a, trans_b, 64, 48, 32, 1, 0, {gap, gap, gap}, {}};
                const Variant variant = variants_for(last_resort(), test_profile()).front();
                kernel = last_resort();
                kernel.family = &right;
                auto selection =
                    std::make_shared<Selection>(Selection{with_device_features(variant, test_profile()), "tested"});
                selection->variant.kernel = &kernel;
                const Problem problem = problem_of(lying, Operands(lying));
                const PlannedCall call{selection, plan_of(problem, test_profile(), selection->variant, {})};
                EXPECT_NO_THROW(FirstUse().check(*state, problem, call)) << lying;
                const Tried wrong(-1);
                kernel.family = &wrong;
                EXPECT_THROW(FirstUse().check(*state, problem, call), Unavailable) << lying;
            }
}

// What is checked is what runs: of a kernel that is right but for lists, the program for lists is not.
TEST_F(FirstUseOf, OneProgramOfAKernelDoesNotVouchForAnother)
{
    const Tried wrong_for_lists(-1, [](const Problem& problem) { return problem.batch.listed; });
    know_only(wrong_for_lists, true);
    const Problem alone = problem_of(x, Operands(x));
    Problem listed = alone;
    listed.batch = {3, true};
    listed.a.offset = listed.b.offset = listed.c.offset = 0;
    listed.a.distance = listed.b.distance = listed.c.distance = 1;
    const auto plan = [&](const Problem& problem) { return state->planner->plan(problem, {}); };
    ASSERT_TRUE(plan(listed).selection->is_unproven);
    EXPECT_NO_THROW(state->first_use.check(*state, alone, plan(alone)));
    EXPECT_THROW(state->first_use.check(*state, listed, plan(listed)), Unavailable);
    EXPECT_TRUE(state->first_use.has_found_wrong(*state, listed, plan(listed)));
    EXPECT_NO_THROW(state->first_use.check(*state, alone, plan(alone))) << "nor does it speak against another";
}

// A kernel in every way in which the library may choose it is right on this device, if all its programs are.
TEST_F(FirstUseOf, EveryProgramOfReproducibleCallsIsFoundRight)
{
    if (!test_profile().has_ieee_floats)
        GTEST_SKIP() << "the device computes nothing reproducibly";
    const SgemmCase some{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 37, 21, 1100, 1, 0.5f, {0, 1, 0}, {}};
    Problem alone = problem_of(some, Operands(some));
    alone.arithmetic.accuracy = CLGEMM_MATH_REPRODUCIBLE;
    Problem batch = alone, listed = alone, prepared = alone;
    batch.batch.count = 2;
    for (Matrix* const matrix : {&batch.a, &batch.b, &batch.c})
        matrix->distance = matrix->extent();
    listed.batch = {3, true};
    for (Matrix* const matrix : {&listed.a, &listed.b, &listed.c})
        matrix->offset = 0, matrix->distance = 4;
    prepared.b.prepared = true;
    std::size_t checked = 0;
    for (const KernelInfo& one : kernels())
        for (const Variant& plain : variants_for(one, alone, test_profile()))
            for (const Problem& problem : {alone, batch, listed, prepared}) {
                const Variant variant = with_device_features(plain, test_profile());
                if (!takes(problem, variant, test_profile()))
                    continue;
                for (const Way& way : variant.family().ways(problem, test_profile(), variant)) {
                    const auto selection = std::make_shared<Selection>(Selection{variant, "tested", way});
                    const PlannedCall call{selection, plan_of(problem, test_profile(), variant, way)};
                    EXPECT_NO_THROW(state->first_use.check(*state, problem, call))
                        << one.name << ": " << variant.parameters.text();
                    checked++;
                }
            }
    EXPECT_GT(checked, 20u);
}

// Some programs are for batches of more rows or columns than a few tiles have: A read where it lies, next blocks fetched,
// and vectors of C.
TEST_F(FirstUseOf, ProgramsForMoreThanAFewTilesAreFoundRight)
{
    if (!test_profile().has_ieee_floats)
        GTEST_SKIP() << "the device computes nothing reproducibly";
    const SgemmCase wide{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 80, 101, 25, 1, 0.5f, {0, 0, 0}, {}};
    const SgemmCase few{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 149, 8, 12, 1, 0, {}, {12, 7, 0}};
    Problem batch = problem_of(wide, Operands(wide)), one = problem_of(few, Operands(few));
    batch.arithmetic.accuracy = one.arithmetic.accuracy = CLGEMM_MATH_REPRODUCIBLE;
    batch.batch.count = 5;
    for (Matrix* const matrix : {&batch.a, &batch.b, &batch.c})
        matrix->distance = matrix->extent();
    std::size_t checked = 0;
    for (const char* const name : {"cpu_fused", "small_batch"})
        for (const Problem& problem : {batch, one}) {
            const auto variants = variants_for(*find_kernel(name), problem, test_profile());
            if (variants.empty())
                continue;
            const Variant variant = with_device_features(variants.front(), test_profile());
            const auto selection = std::make_shared<Selection>(Selection{variant, "tested", {}});
            const PlannedCall call{selection, plan_of(problem, test_profile(), variant, {})};
            EXPECT_NO_THROW(state->first_use.check(*state, problem, call)) << name << ": " << variant.parameters.text();
            checked++;
        }
    EXPECT_GT(checked, 0u);
}

// Those for tensor cores, where they run, each asked for the best that it promises.
class FirstUseOfKernels : public FirstUseOf, public testing::WithParamInterface<const char*> {
protected:
    static Arithmetic promised_by(const Family& family)
    {
        for (const clgemm_math math : {CLGEMM_MATH_DEFAULT, CLGEMM_MATH_FAST})
            if (const Arithmetic asked{.accuracy = math}; satisfies(family.computes(asked), asked))
                return asked;
        return {.accuracy = CLGEMM_MATH_TF32};
    }
};

TEST_P(FirstUseOfKernels, FindsThemRight)
{
    Tuning tuning = derived_tuning(test_profile());
    tuning.measurements = guesses_for(test_profile());
    std::erase_if(tuning.measurements,
                  [](const Measurement& one) { return one.variant.kernel->name != std::string_view(GetParam()); });
    if (tuning.measurements.empty())
        GTEST_SKIP() << "the device cannot run kernel " << GetParam();
    const Arithmetic arithmetic = promised_by(tuning.measurements.front().variant.family());
    state->planner = std::make_shared<Planner>(test_profile(), tuning);
    for (const std::size_t size : {100U, 1000U, 3000U})
        for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
                for (const std::size_t gap : {0U, 1U}) {
                    const SgemmCase lying{CLGEMM_COLUMN_MAJOR, trans_a, trans_b, size, size, 200, 1, 0, {gap, gap, gap}, {}};
                    Problem problem = problem_of(lying, Operands(lying));
                    problem.arithmetic = arithmetic;
                    const PlannedCall call = state->planner->plan(problem, {});
                    EXPECT_EQ(call.selection->variant.kernel->name, GetParam());
                    EXPECT_TRUE(call.selection->is_unproven);
                    EXPECT_NO_THROW(state->first_use.check(*state, problem, call)) << lying;
                }
}

INSTANTIATE_TEST_SUITE_P(Of, FirstUseOfKernels, testing::ValuesIn([] {
                             std::vector<const char*> result;
                             for (const auto& kernel : kernels())
                                 if (!is_strict(*kernel.family))
                                     result.push_back(kernel.name.data());
                             return result;
                         }()),
                         name_of_kernel);

} // namespace
