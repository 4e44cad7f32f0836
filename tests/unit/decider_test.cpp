// Decider: remembers whole decisions, and forgets nothing that one depends on.
#include "made_up.hpp"

#include "plan/decision.hpp"
#include "support/threads.hpp"
#include "tuning/derived_tuning.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <sstream>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

std::string text_of(const Decision& decision)
{
    std::ostringstream out;
    if (decision.selection)
        out << decision.selection->kernel->name << " " << decision.selection->parameters.text();
    out << " " << decision.plan.workspace_bytes;
    for (const auto& step : decision.plan.steps) {
        out << "\n" << step.purpose << " " << step.options;
        for (const std::size_t groups : step.groups)
            out << " " << groups;
        for (const auto& argument : step.arguments)
            std::visit([&](const auto& value) { out << " " << static_cast<double>(value); }, argument);
    }
    return out.str();
}

struct Call {
    Problem problem;
    Wishes wishes;
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
    for (Matrix Problem::*const matrix : {&Problem::a, &Problem::b, &Problem::c}) {
        result.push_back(result.front());
        (result.back().problem.*matrix).base_alignment = 4;
    }
    for (const Wishes& wishes : {Wishes{nullptr, true}, Wishes{find_kernel("1")}, Wishes{nullptr, false, 1}})
        result.push_back({result.front().problem, wishes});
    return result;
}

class DeciderTest : public testing::Test {
protected:
    std::string anew(const Call& call) const { return text_of(*Decider(device, tuning).decide(call.problem, call.wishes)); }

    const DeviceProfile device = hopper_gpu();
    const Tuning tuning = derived_tuning(device);
    Decider decider{device, tuning};
};

} // namespace

TEST_F(DeciderTest, SaysEveryTimeWhatOneSaysThatWasNeverAsked)
{
    for (int round = 0; round < 2; round++)
        for (const auto& call : different_calls())
            EXPECT_EQ(text_of(*decider.decide(call.problem, call.wishes)), anew(call));
}

TEST_F(DeciderTest, ARepeatedCallGetsTheSameDecisionAndNoOtherCallDoes)
{
    const auto calls = different_calls();
    std::vector<std::shared_ptr<const Decision>> decisions;
    for (const auto& call : calls)
        decisions.push_back(decider.decide(call.problem, call.wishes));
    for (std::size_t i = 0; i < calls.size(); i++)
        for (std::size_t j = 0; j < calls.size(); j++)
            EXPECT_EQ(decider.decide(calls[i].problem, calls[i].wishes) == decisions[j], i == j) << i << " " << j;
}

TEST_F(DeciderTest, ScalarsAreToldApartByTheirBits)
{
    Arguments x = usual();
    x.beta = 0.0f;
    const auto of_zero = decider.decide(make_problem(x), {});
    x.beta = -0.0f;
    EXPECT_NE(decider.decide(make_problem(x), {}), of_zero);
    x.beta = NAN;
    EXPECT_EQ(decider.decide(make_problem(x), {}), decider.decide(make_problem(x), {}));
}

TEST_F(DeciderTest, PlansOfManyStepsAreNotKept)
{
    const Problem in_blocks = make_problem(arguments(4096, 4096, 64));
    const Wishes little{find_kernel("14"), false, 300'000};
    const auto decision = decider.decide(in_blocks, little);
    ASSERT_GT(decision->plan.steps.size(), 8u);
    EXPECT_NE(decider.decide(in_blocks, little), decision);
    EXPECT_EQ(text_of(*decider.decide(in_blocks, little)), text_of(*decision));
}

// Of more calls than are kept, the old ones are decided again; whoever holds a decision keeps it.
TEST_F(DeciderTest, MoreCallsThanItKeepsAreNoProblem)
{
    const Call first = different_calls().front();
    const auto held = decider.decide(first.problem, first.wishes);
    const std::string before = text_of(*held);
    for (std::size_t offset = 1; offset < 1000; offset++) {
        Arguments x = usual();
        x.offset_c = offset;
        decider.decide(make_problem(x), {});
    }
    EXPECT_EQ(text_of(*held), before);
    const auto again = decider.decide(first.problem, first.wishes);
    EXPECT_NE(again, held) << "they are not all kept";
    EXPECT_EQ(text_of(*again), before);
}

TEST_F(DeciderTest, ManyThreadsMayAsk)
{
    const auto calls = different_calls();
    std::vector<std::string> answers;
    for (const auto& call : calls)
        answers.push_back(anew(call));
    at_once(8, [&](std::size_t thread) {
        for (std::size_t i = 0; i < 20 * calls.size(); i++) {
            const std::size_t which = (i + 7 * thread) % calls.size();
            EXPECT_EQ(text_of(*decider.decide(calls[which].problem, calls[which].wishes)), answers[which]);
            Arguments x = usual(); // others come and go meanwhile
            x.offset_c = i * 8 + thread;
            decider.decide(make_problem(x), {});
        }
    });
}
