// Selector: remembers what select() says, and nothing else.
#include "made_up.hpp"

#include "select/selector.hpp"
#include "support/error.hpp"
#include "support/threads.hpp"
#include "tuning/derived_tuning.hpp"

#include <gtest/gtest.h>

#include <set>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

std::string text_of(const Selection& selection)
{
    const Way& way = selection.way;
    return std::string(selection.kernel->name) + " " + selection.parameters.text() + " " + selection.reason + " " +
           std::to_string(way.copy_a) + std::to_string(way.copy_b) + std::to_string(way.exchanged) + " " +
           std::to_string(way.splits) + " " + std::to_string(way.block_m) + "x" + std::to_string(way.block_n) + " " +
           std::to_string(selection.tiling.m);
}

// Problems of which no two have the same answer for the same reasons, if a selection forgot what it depends on.
std::vector<Problem> different_problems()
{
    std::vector<Problem> result;
    for (const auto& [m, n, k] :
         {std::array<std::size_t, 3>{4096, 4096, 64}, {64, 4096, 4096}, {4096, 64, 4096}, {64, 64, 8192}, {5, 7, 9}})
        for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
                for (const std::size_t offset_a : {0, 1})
                    for (const std::size_t offset_b : {0, 1}) {
                        Arguments x = arguments(m, n, k, trans_a, trans_b);
                        x.offset_a = offset_a;
                        x.offset_b = offset_b;
                        result.push_back(make_problem(x));
                    }
    return result;
}

// Operands that lie otherwise have other times, so that all that a selection may depend on shows.
Tuning many_sided_tuning(const DeviceProfile& device)
{
    Tuning result = derived_tuning(device);
    const auto guesses = std::move(result.measurements);
    result.measurements.clear();
    double slower = 1;
    for (const auto* operands : {"NT", "NN", "TN", "TT", "nt", "nN", "Tt"}) {
        slower *= 1.1;
        for (auto guess : guesses) {
            guess.operands = operands;
            for (auto& [groups, ns] : guess.step_ns)
                ns *= slower;
            result.measurements.push_back(guess);
        }
    }
    return result;
}

class SelectorTest : public testing::Test {
protected:
    std::string expected(const Problem& problem, const KernelInfo* wanted = nullptr) const
    {
        return text_of(select(problem, device, tuning, {wanted}));
    }

    const DeviceProfile device = large_gpu();
    const Tuning tuning = many_sided_tuning(device);
    Selector selector{device, tuning};
};

} // namespace

TEST_F(SelectorTest, SaysWhatSelectSaysEveryTime)
{
    const KernelInfo* const wanted[] = {nullptr, find_kernel("13"), find_kernel("9")};
    for (int round = 0; round < 2; round++)
        for (const auto& problem : different_problems())
            for (const auto* kernel : wanted)
                EXPECT_EQ(text_of(*selector.choose(problem, {kernel})), expected(problem, kernel)) << describe(problem);
}

// Kernel 20's depends on whether memory along K is aligned, too.
TEST(SelectorOfHopper, SaysWhatSelectSaysEveryTime)
{
    const DeviceProfile device = hopper_gpu();
    const Tuning tuning = many_sided_tuning(device);
    Selector selector(device, tuning);
    for (int round = 0; round < 2; round++)
        for (const auto& problem : different_problems())
            for (const auto* kernel : {static_cast<const KernelInfo*>(nullptr), find_kernel("20")})
                EXPECT_EQ(text_of(*selector.choose(problem, {kernel})), text_of(select(problem, device, tuning, {kernel})))
                    << describe(problem);
}

TEST_F(SelectorTest, ARepeatedCallGetsTheSameSelection)
{
    const auto first = selector.choose(problem(100, 200, 300), {});
    EXPECT_EQ(selector.choose(problem(100, 200, 300), {}), first);
    Arguments x = arguments(100, 200, 300);
    x.alpha = 2;
    x.beta = 3;
    x.offset_c = 5;
    x.offset_a = 4;
    x.ldc = 117;
    EXPECT_EQ(selector.choose(make_problem(x), {}), first) << "no selection depends on these";
    x.offset_a = 1;
    EXPECT_NE(selector.choose(make_problem(x), {}), first);
    EXPECT_NE(selector.choose(problem(100, 200, 300), {find_kernel("13")}), first);
    EXPECT_NE(selector.choose(problem(200, 100, 300), {}), first);
}

TEST_F(SelectorTest, StrictModeAndTheWorkspacesLimitAreSelectionsOfTheirOwn)
{
    const DeviceProfile hopper = hopper_gpu();
    const Tuning guesses = derived_tuning(hopper);
    Selector of_hopper(hopper, guesses);
    const Problem p = problem(4096, 4096, 1024);
    const Wishes asked[] = {{},
                            {nullptr, true},
                            {nullptr, false, 1},
                            {nullptr, false, 20'000'000},
                            {nullptr, true, 20'000'000},
                            {find_kernel("14")},
                            {find_kernel("14"), false, 20'000'000}};
    std::set<std::shared_ptr<const Selection>> different;
    for (int round = 0; round < 2; round++)
        for (const Wishes& wishes : asked) {
            const auto selection = of_hopper.choose(p, wishes);
            EXPECT_EQ(text_of(*selection), text_of(select(p, hopper, guesses, wishes)));
            different.insert(selection);
        }
    EXPECT_EQ(different.size(), std::size(asked));
    EXPECT_NE(text_of(*of_hopper.choose(p, {})), text_of(*of_hopper.choose(p, {nullptr, true})));
    EXPECT_NE(text_of(*of_hopper.choose(p, {})), text_of(*of_hopper.choose(p, {nullptr, false, 1})));
}

TEST_F(SelectorTest, AnErrorIsNotRemembered)
{
    Selector of_tiny(tiny_gpu(), Tuning{});
    for (int round = 0; round < 2; round++)
        EXPECT_THROW(of_tiny.choose(problem(10, 10, 10), {find_kernel("12")}), Error);
    EXPECT_EQ(of_tiny.choose(problem(10, 10, 10), {})->kernel->name, "01_naive");
}

// Of more shapes than are kept, the old ones are learnt again; whoever holds a selection keeps it.
TEST_F(SelectorTest, MoreShapesThanItKeepsAreNoProblem)
{
    const auto held = selector.choose(problem(1, 1, 1), {});
    const std::string before = text_of(*held);
    for (std::size_t m = 1; m < 5000; m++)
        selector.choose(problem(m, 1, 1), {});
    EXPECT_EQ(text_of(*held), before);
    EXPECT_EQ(text_of(*selector.choose(problem(1, 1, 1), {})), before);
    EXPECT_EQ(text_of(*selector.choose(problem(4999, 1, 1), {})), expected(problem(4999, 1, 1)));
}

TEST_F(SelectorTest, ManyThreadsMayAsk)
{
    const auto problems = different_problems();
    std::vector<std::string> answers;
    for (const auto& problem : problems)
        answers.push_back(expected(problem));
    at_once(8, [&](std::size_t thread) {
        for (int round = 0; round < 3; round++)
            for (std::size_t i = 0; i < problems.size(); i++) {
                const std::size_t which = (i + 7 * thread) % problems.size();
                EXPECT_EQ(text_of(*selector.choose(problems[which], {})), answers[which]);
                selector.choose(problem(10 + thread, i + 1, 1), {}); // others come and go meanwhile
            }
    });
}
