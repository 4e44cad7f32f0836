// Planner: remembers what select() and families say, forgets nothing that it depends on, and answers a question about a
// call's workspace as the call would.
#include "planned_as_text.hpp"

#include "select/planner.hpp"
#include "support/error.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

struct Call {
    Problem problem;
    Options options;
};

Arguments usual()
{
    Arguments x = arguments(1000, 1000, 300);
    x.alpha = 2;
    x.beta = 3;
    x.lda = x.ldb = x.ldc = 1200;
    return x;
}

// A call, and others that each differ from it in one thing alone.
std::vector<Call> different_calls()
{
    const std::function<void(Arguments&)> changes[] = {
        [](Arguments&) {},
        [](Arguments& x) { x.m = 999; },
        [](Arguments& x) { x.n = 999; },
        [](Arguments& x) { x.k = 299; },
        [](Arguments& x) { x.alpha = 4; },
        [](Arguments& x) { x.beta = 4; },
        [](Arguments& x) { x.offset_a = 4; },
        [](Arguments& x) { x.offset_b = 4; },
        [](Arguments& x) { x.offset_c = 4; },
        [](Arguments& x) { x.lda = 1204; },
        [](Arguments& x) { x.ldb = 1204; },
        [](Arguments& x) { x.ldc = 1204; },
        [](Arguments& x) { x.trans_a = CLGEMM_TRANS; },
        [](Arguments& x) { x.trans_b = CLGEMM_TRANS; },
        [](Arguments& x) { x.layout = CLGEMM_ROW_MAJOR; },
    };
    std::vector<Call> result;
    for (const auto& change : changes) {
        Arguments x = usual();
        change(x);
        result.push_back({make_problem(x), {}});
    }
    const auto add = [&](const std::function<void(Matrix&)>& change) {
        for (Matrix Problem::*const matrix : {&Problem::a, &Problem::b, &Problem::c}) {
            result.push_back(result.front());
            change(result.back().problem.*matrix);
        }
    };
    add([](Matrix& matrix) { matrix.alignment = 4; });
    add([](Matrix& matrix) { matrix.distance = 5; });
    result.push_back({strictly(result.front().problem), {}});
    result.push_back(result.front());
    result.back().problem.batch.count = 2;
    for (const Options& options : {Options{find_kernel("1")}, Options{.workspace_limit = 1}, Options{.last_resort = true}})
        result.push_back({result.front().problem, options});
    return result;
}

class PlannerTest : public testing::Test {
protected:
    std::string anew(const Call& call) const { return text_of(Planner(device, tuning).plan(call.problem, call.options)); }

    const DeviceProfile device = hopper_gpu();
    const Tuning tuning = derived_tuning(device);
    Planner planner{device, tuning};
};

} // namespace

TEST_F(PlannerTest, SaysEveryTimeWhatOneSaysThatWasNeverAsked)
{
    for (int round = 0; round < 2; round++)
        for (const auto& call : different_calls())
            EXPECT_EQ(text_of(planner.plan(call.problem, call.options)), anew(call));
}

TEST_F(PlannerTest, WhatIsPlannedIsWhatWasSelected)
{
    for (const auto& call : different_calls()) {
        const PlannedCall planned = planner.plan(call.problem, call.options);
        const Selection selection = select(call.problem, device, tuning, call.options);
        ASSERT_NE(planned.selection, nullptr);
        EXPECT_EQ(text_of(*planned.selection), text_of(selection));
        EXPECT_EQ(text_of(planned.plan), text_of(made_plan(call.problem, device, selection)));
    }
}

// What is kept for one call must never be taken for another one.
TEST(CallKey, IsTheSameForTheSameCallAlone)
{
    const auto calls = different_calls();
    for (std::size_t i = 0; i < calls.size(); i++)
        for (std::size_t j = 0; j < calls.size(); j++)
            EXPECT_EQ(call_key(calls[i].problem, calls[i].options) == call_key(calls[j].problem, calls[j].options), i == j)
                << i << " " << j;
}

TEST(CallKey, TellsScalarsApartByTheirBits)
{
    Arguments x = usual();
    const auto key = [&](float beta) {
        x.beta = beta;
        return call_key(make_problem(x), {});
    };
    EXPECT_NE(key(0.0f), key(-0.0f));
    EXPECT_EQ(key(NAN), key(NAN));
}

TEST_F(PlannerTest, WhatComputesNothingSelectsNothing)
{
    Arguments x = usual();
    x.alpha = 0;
    const PlannedCall scaled = planner.plan(make_problem(x), {});
    EXPECT_EQ(scaled.selection, nullptr);
    ASSERT_EQ(scaled.plan.steps.size(), 1u);
    EXPECT_EQ(scaled.plan.steps[0].purpose, "scale C");
    EXPECT_EQ(planner.workspace_bytes(make_problem(x), {}), 0u);
    x.m = 0;
    EXPECT_EQ(planner.plan(make_problem(x), {}).selection, nullptr);
    EXPECT_TRUE(planner.plan(make_problem(x), {}).plan.steps.empty());
    EXPECT_EQ(planner.workspace_bytes(make_problem(x), {}), 0u);
}

TEST_F(PlannerTest, ManyThreadsMayAsk)
{
    const auto calls = different_calls();
    std::vector<std::string> answers;
    std::vector<std::size_t> bytes;
    for (const auto& call : calls) {
        answers.push_back(anew(call));
        bytes.push_back(Planner(device, tuning).plan(call.problem, call.options).plan.workspace_bytes);
    }
    at_once(8, [&](std::size_t thread) {
        for (std::size_t i = 0; i < 20 * calls.size(); i++) {
            const std::size_t which = (i + 7 * thread) % calls.size();
            EXPECT_EQ(text_of(planner.plan(calls[which].problem, calls[which].options)), answers[which]);
            EXPECT_EQ(planner.workspace_bytes(calls[which].problem, calls[which].options), bytes[which]);
            Arguments x = usual(); // others come and go meanwhile
            x.offset_c = i * 8 + thread;
            planner.plan(make_problem(x), {});
        }
    });
}

// ---- Questions about the workspace

TEST_F(PlannerTest, TheWorkspaceIsThatOfThePlan)
{
    std::size_t with_workspace = 0;
    const auto check = [&](const DeviceProfile& of, const Problem& p, const Options& options) {
        Planner asked(of, derived_tuning(of)), called(of, derived_tuning(of));
        std::size_t bytes = 0;
        try {
            bytes = called.plan(p, options).plan.workspace_bytes;
        } catch (const Error& error) {
            EXPECT_THROW(asked.workspace_bytes(p, options), Error) << error.what();
            return;
        }
        with_workspace += bytes > 0 ? 1 : 0;
        for (int round = 0; round < 2; round++) {
            ASSERT_EQ(asked.workspace_bytes(p, options), bytes) << "before the call";
            ASSERT_EQ(called.workspace_bytes(p, options), bytes) << "after the call";
        }
        EXPECT_EQ(asked.plan(p, options).plan.workspace_bytes, bytes);
    };
    for (const auto& of : {hopper_gpu(), large_gpu(), made_up_cpu()}) {
        for (const auto& problem : different_problems())
            check(of, problem, {});
        for (const auto& call : different_calls())
            check(of, call.problem, call.options);
        for (const auto& kernel : kernels())
            for (const std::size_t limit : {0U, 1U, 300'000U, 20'000'000U})
                for (const auto& x : {usual(), uneven(1000, 7, 5000, CLGEMM_TRANS), arguments(128, 128, 128)})
                    check(of, make_problem(x), {&kernel, limit});
    }
    EXPECT_GT(with_workspace, 100u);
}

// Programs may ask about as many calls as they like: those that they do make find what they left.
TEST_F(PlannerTest, QuestionsDoNotMakeItForgetWhatCallsRemember)
{
    const Call call = different_calls().front();
    const auto selection = planner.plan(call.problem, call.options).selection;
    for (std::size_t m = 1; m < 5000; m++)
        planner.workspace_bytes(problem(m, 1, 1), {});
    EXPECT_EQ(planner.plan(call.problem, call.options).selection, selection);
    // Another block of the same matrices.
    Arguments x = usual();
    x.offset_a = 64;
    EXPECT_EQ(planner.plan(make_problem(x), {}).selection, selection);
}

namespace {

// Counts how often its kernel is weighed.
class CountingFamily : public MadeUpFamily {
public:
    using MadeUpFamily::MadeUpFamily;
    std::vector<Way> ways(const Problem& problem, const DeviceProfile& device, const Variant& variant) const override
    {
        weighed++;
        return MadeUpFamily::ways(problem, device, variant);
    }
    mutable int weighed = 0;
};

} // namespace

TEST(PlannerOfACountingFamily, SelectsOnceForQuestionsAndCallsTogether)
{
    const CountingFamily family({64, 64, 16, 16, 16});
    const KernelInfo kernel{.name = "skinny", .idea = "a source that there is", .family = &family, .variants = {}};
    const Tuning tuning = tuning_of({{variant_of(kernel, {}), "", {{1, 100}}, 1, {{1, 1000}}}});
    const auto weighed = [&](const std::function<void()>& work) {
        const int before = family.weighed;
        work();
        return family.weighed - before;
    };
    Planner planner(large_gpu(), tuning);
    const Problem p = problem(1000, 1000, 1000), q = problem(1000, 1000, 2000);
    EXPECT_EQ(weighed([&] { planner.workspace_bytes(p, {}); }), 1);
    EXPECT_EQ(weighed([&] { planner.workspace_bytes(p, {}); }), 0) << "asked again";
    EXPECT_EQ(weighed([&] { planner.plan(p, {}); }), 0) << "a call after a question";
    EXPECT_EQ(weighed([&] { planner.plan(p, {}); }), 0) << "called again";
    EXPECT_EQ(weighed([&] { planner.plan(q, {}); }), 1);
    EXPECT_EQ(weighed([&] { planner.workspace_bytes(q, {}); }), 0) << "a question after a call";
    Problem other_scalars = p;
    other_scalars.alpha = 7;
    EXPECT_EQ(weighed([&] { planner.plan(other_scalars, {}); }), 0);
    EXPECT_EQ(weighed([&] { planner.workspace_bytes(p, {.workspace_limit = 1}); }), 1);
    // A call that was asked about before is remembered as calls are.
    for (std::size_t m = 1; m < 5000; m++)
        planner.workspace_bytes(problem(m, 1, 1), {});
    other_scalars.alpha = 8;
    EXPECT_EQ(weighed([&] { planner.plan(other_scalars, {}); }), 0);
}

// A batch of very many products has several plans, which together have the steps of all products, in their order.
TEST(Planner, PlansABatchOfVeryManyProductsInParts)
{
    Planner planner(large_gpu(), {});
    Arguments x = arguments(3, 4, 5);
    x.batch.count = 10'000;
    x.distance_c = 12;
    const Problem batch = make_problem(x);
    const Options options{.kernel = find_kernel("1")};
    std::size_t planned = 0, plans = 0;
    for (; planned < x.batch.count; plans++) {
        const PlannedCall part = planner.plan(batch, options, planned);
        ASSERT_GT(part.products, 0u);
        ASSERT_EQ(part.plan.steps.size(), part.products) << "one for each";
        EXPECT_LE(part.plan.steps.size(), 4096u);
        const PlannedCall first = planner.plan(product_of(batch, planned), options);
        EXPECT_TRUE(part.plan.steps.front().arguments == first.plan.steps.front().arguments);
        planned += part.products;
    }
    EXPECT_EQ(planned, x.batch.count);
    EXPECT_EQ(plans, 3u);
    x.m = 0;
    EXPECT_EQ(planner.plan(make_problem(x), {}).products, x.batch.count) << "nothing is done for all at once";
}

// As many as one dimension of a launch may have.
TEST(Planner, ScalesTheProductsOfABatchInFewLaunches)
{
    Planner planner(large_gpu(), {});
    Arguments x = arguments(3, 4, 5);
    x.alpha = 0;
    x.offset_c = 7;
    x.distance_c = 12;
    x.batch.count = 70'000;
    const PlannedCall call = planner.plan(make_problem(x), {});
    EXPECT_EQ(call.products, 70'000u);
    ASSERT_EQ(call.plan.steps.size(), 2u);
    std::size_t products = 0;
    for (const Step& step : call.plan.steps) {
        const auto scaling = step.arguments.as<kernel_arguments::Scaling>();
        EXPECT_EQ(scaling.offsetC, 7 + 12 * products);
        EXPECT_EQ(scaling.nextC, 12u);
        products += step.groups[2];
    }
    EXPECT_EQ(products, 70'000u);
}

TEST(Planner, PlansABatchOfProductsInManyBlocksInParts)
{
    Planner planner(hopper_gpu(), {});
    Arguments x = arguments(16'384, 2'304, 32);
    x.batch.count = 4;
    x.distance_a = 16'384 * 32;
    x.distance_b = 32 * 2'304;
    x.distance_c = 16'384 * 2'304;
    const Problem batch = make_problem(x);
    const Options options{.kernel = find_kernel("14"), .workspace_limit = 60'000};
    const PlannedCall first = planner.plan(batch, options);
    const std::size_t blocks = part_count(product_of(batch, 0), first.selection->variant, {}, first.selection->blocks);
    ASSERT_GT(2 * blocks, 4096u);
    ASSERT_LE(blocks, 4096u);
    EXPECT_EQ(first.products, 1u) << "two would be more than 4096 parts";
}

// Its products are in dimension 2 of launches, and each launch knows the place of its first one in the list.
TEST(Planner, PlansAListedBatchInLaunchesOfAsManyProductsAsThereMayBe)
{
    Planner planner(large_gpu(), {});
    for (const bool only_scales : {false, true}) {
        Arguments x = arguments(3, 4, only_scales ? 0 : 5);
        x.batch = {70'000, true, 9};
        x.distance_a = x.distance_b = x.distance_c = 1;
        const PlannedCall call = planner.plan(make_problem(x), {.kernel = find_kernel("1")});
        EXPECT_EQ(call.products, 70'000u);
        EXPECT_EQ(call.plan.workspace_bytes, 0u);
        ASSERT_EQ(call.plan.steps.size(), 2u);
        std::size_t first = 9;
        for (const Step& step : call.plan.steps) {
            EXPECT_EQ(step.buffers.back(), Memory::list);
            const auto its_first = only_scales ? step.arguments.as<kernel_arguments::Scaling>().first
                                               : step.arguments.as<kernel_arguments::Multiplication>().first;
            EXPECT_EQ(its_first, first);
            first += step.groups[2];
        }
        EXPECT_EQ(first, 70'009u);
    }
}
