// The selections that a Planner remembers. Plans of calls that differ in other things alone share them.
#include "planned_as_text.hpp"

#include "select/planner.hpp"
#include "support/embedded.hpp"
#include "support/embedded_tuning.hpp"
#include "support/error.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <set>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

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

class SelectionsOfAPlanner : public testing::Test {
protected:
    std::string expected(const Problem& problem, const KernelInfo* asked_for = nullptr) const
    {
        return text_of(select(problem, device, tuning, {asked_for}));
    }
    std::shared_ptr<const Selection> selection(const Problem& problem, const Options& options = {})
    {
        return planner.plan(problem, options).selection;
    }

    const DeviceProfile device = large_gpu();
    const Tuning tuning = many_sided_tuning(device);
    Planner planner{device, tuning};
};

} // namespace

TEST_F(SelectionsOfAPlanner, AreWhatSelectSaysEveryTime)
{
    const KernelInfo* const asked_for[] = {nullptr, find_kernel("13"), find_kernel("9"), find_kernel("4"),
                                           find_kernel("10")};
    for (int round = 0; round < 2; round++)
        for (const auto& problem : different_problems())
            for (const auto* kernel : asked_for)
                EXPECT_EQ(text_of(*selection(problem, {kernel})), expected(problem, kernel)) << describe(problem);
}

// Kernel 20's depends on whether memory along K is aligned, too.
TEST(SelectionsOfAPlannerForHopper, AreWhatSelectSaysEveryTime)
{
    const DeviceProfile device = hopper_gpu();
    const Tuning tuning = many_sided_tuning(device);
    Planner planner(device, tuning);
    for (int round = 0; round < 2; round++)
        for (const auto& problem : different_problems())
            for (const auto* kernel : {static_cast<const KernelInfo*>(nullptr), find_kernel("20")})
                EXPECT_EQ(text_of(*planner.plan(problem, {kernel}).selection),
                          text_of(select(problem, device, tuning, {kernel})))
                    << describe(problem);
}

TEST_F(SelectionsOfAPlanner, ARepeatedCallGetsTheSame)
{
    const auto first = selection(problem(100, 200, 300));
    EXPECT_EQ(selection(problem(100, 200, 300)), first);
    Arguments x = arguments(100, 200, 300);
    x.alpha = 2;
    x.beta = 3;
    x.offset_c = 20;
    x.offset_a = 4;
    EXPECT_EQ(selection(make_problem(x)), first) << "no selection depends on these";
    x.ldc = 116;
    EXPECT_NE(selection(make_problem(x)), first);
    x.ldc = 100;
    x.offset_a = 1;
    EXPECT_NE(selection(make_problem(x)), first);
    EXPECT_NE(selection(problem(100, 200, 300), {find_kernel("13")}), first);
    EXPECT_NE(selection(problem(200, 100, 300)), first);
}

// The copy engine wants even a single run's leading dimension aligned. Where it is not, A is copied for each product.
TEST(SelectionsOfAPlannerForHopper, TellLeadingDimensionsOfSingleRunsApart)
{
    const EmbeddedText& h200 = tuning_text_of("NVIDIA H200");
    Planner planner(device_of(h200), tuning_of(h200));
    const auto plan_where = [&](std::size_t lda) {
        Arguments x = arguments(1, 64, 64, CLGEMM_TRANS);
        x.lda = lda;
        x.distance_a = 128;
        x.distance_b = x.distance_c = 64 * 64;
        x.batch.count = 3;
        x.arithmetic.accuracy = CLGEMM_MATH_TF32;
        return planner.plan(make_problem(x), {find_kernel("tensor_rounded")}).plan;
    };
    for (int round = 0; round < 2; round++) {
        EXPECT_EQ(plan_where(64).steps.size(), 1u);
        EXPECT_EQ(plan_where(65).steps.size(), 6u);
    }
}

// How far a matrix is aligned decides about copies, and so about the workspace that a kernel with a limit may take.
TEST_F(SelectionsOfAPlanner, DifferByHowFarEachMatrixIsAligned)
{
    const Problem aligned = problem(128, 128, 128);
    for (Matrix Problem::*const matrix : {&Problem::a, &Problem::b, &Problem::c}) {
        std::set<std::shared_ptr<const Selection>> different;
        for (const std::size_t alignment : {4U, 8U, 16U, 32U, 64U}) { // what makes a difference to some kernel
            Problem p = aligned;
            (p.*matrix).alignment = alignment;
            different.insert(selection(p));
            EXPECT_EQ(selection(p), *different.find(selection(p)));
        }
        EXPECT_EQ(different.size(), 5u);
        Problem p = aligned;
        (p.*matrix).alignment = 4096; // more than any kernel asks for
        EXPECT_EQ(selection(p), selection(aligned));
    }
}

// The query for the workspace sees no buffers, and tries these alignments instead.
TEST(SelectionsOfAPlannerForHopper, TakeNoMoreWorkspaceThanSomeWidthThatMatters)
{
    const EmbeddedText& h200 = tuning_text_of("NVIDIA H200");
    Planner planner(device_of(h200), tuning_of(h200));
    const std::vector<std::size_t> widths = planner.widths_that_matter({});
    const auto bytes_where = [&](Problem p, std::size_t alignment) {
        p.a.alignment = p.b.alignment = alignment;
        return planner.workspace_bytes(p, {});
    };
    for (std::size_t size = 64; size <= 1024; size += 20)
        for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const std::size_t m : {size, size / 4, 4 * size}) {
                const Problem p = problem(m, size, 2 * size, trans_a, CLGEMM_NO_TRANS);
                std::set<std::size_t> bytes;
                for (const std::size_t width : widths)
                    bytes.insert(bytes_where(p, width * sizeof(float)));
                for (const std::size_t alignment : {4U, 8U, 16U, 32U, 64U, 128U})
                    EXPECT_LE(bytes_where(p, alignment), *bytes.rbegin()) << describe(p) << ", " << alignment;
            }
}

TEST_F(SelectionsOfAPlanner, StrictModeTheWorkspacesLimitAndTheLastResortHaveTheirOwn)
{
    const DeviceProfile hopper = hopper_gpu();
    const Tuning guesses = derived_tuning(hopper);
    Planner of_hopper(hopper, guesses);
    const Problem p = problem(4096, 4096, 1024);
    struct Call {
        bool strict;
        Options options;
    };
    const Call asked[] = {{false, {}},
                          {true, {}},
                          {false, {nullptr, 1}},
                          {false, {nullptr, 20'000'000}},
                          {true, {nullptr, 20'000'000}},
                          {false, {find_kernel("14")}},
                          {false, {find_kernel("14"), 20'000'000}},
                          {true, {nullptr, 1, true}},
                          {false, {nullptr, 0, true}}};
    std::set<std::shared_ptr<const Selection>> different;
    for (int round = 0; round < 2; round++)
        for (const auto& [strict, options] : asked) {
            const Problem problem = strict ? strictly(p) : p;
            const auto chosen = of_hopper.plan(problem, options).selection;
            EXPECT_EQ(text_of(*chosen), text_of(select(problem, hopper, guesses, options)));
            EXPECT_TRUE(!options.last_resort || chosen->variant.kernel == &last_resort());
            EXPECT_TRUE(!strict || is_strict(chosen->variant.family()));
            different.insert(chosen);
        }
    EXPECT_EQ(different.size(), std::size(asked));
    const auto text = [&](const Problem& problem, const Options& options) {
        return text_of(*of_hopper.plan(problem, options).selection);
    };
    EXPECT_NE(text(p, {}), text(strictly(p), {}));
    EXPECT_NE(text(p, {}), text(p, {nullptr, 1}));
    EXPECT_NE(text(p, {}), text(p, {nullptr, 0, true}));
}

TEST_F(SelectionsOfAPlanner, AnErrorIsNotRemembered)
{
    Planner of_tiny(tiny_gpu(), Tuning{});
    for (int round = 0; round < 2; round++) {
        EXPECT_THROW(of_tiny.plan(problem(10, 10, 10), {find_kernel("12")}), Error);
        EXPECT_THROW(of_tiny.workspace_bytes(problem(10, 10, 10), {find_kernel("12")}), Error);
    }
    EXPECT_EQ(of_tiny.plan(problem(10, 10, 10), {}).selection->variant.kernel->name, "01_naive");
}

// Of more shapes than are kept, the old ones are learnt again; whoever holds a selection keeps it.
TEST_F(SelectionsOfAPlanner, OfMoreShapesThanItKeepsAreNoProblem)
{
    const auto held = selection(problem(1, 1, 1));
    const std::string before = text_of(*held);
    for (std::size_t m = 1; m < 5000; m++)
        selection(problem(m, 1, 1));
    EXPECT_EQ(text_of(*held), before);
    EXPECT_EQ(text_of(*selection(problem(1, 1, 1))), before);
    EXPECT_EQ(text_of(*selection(problem(4999, 1, 1))), expected(problem(4999, 1, 1)));
}

TEST_F(SelectionsOfAPlanner, ManyThreadsMayAskFor)
{
    const auto problems = different_problems();
    std::vector<std::string> answers;
    for (const auto& problem : problems)
        answers.push_back(expected(problem));
    at_once(8, [&](std::size_t thread) {
        for (int round = 0; round < 3; round++)
            for (std::size_t i = 0; i < problems.size(); i++) {
                const std::size_t which = (i + 7 * thread) % problems.size();
                EXPECT_EQ(text_of(*selection(problems[which])), answers[which]);
                selection(problem(10 + thread, i + 1, 1)); // others come and go meanwhile
            }
    });
}
