// What clgemm_explain() and the log say of a call.
#include "made_up_tuning.hpp"

#include "engine/explanation.hpp"
#include "select/planner.hpp"

#include <gtest/gtest.h>

#include <locale>
#include <string>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// The explanation, and behind it the line for the log.
std::string explained(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const Options& options = {})
{
    Planner planner(device, tuning);
    const PlannedCall call = planner.plan(problem, options);
    return explain(problem, device, tuning, call) + "\n" + explain_in_one_line(problem, device, call);
}

std::string explained(const Problem& problem, const DeviceProfile& device = hopper_gpu(), const Options& options = {})
{
    return explained(problem, device, derived_tuning(device), options);
}

testing::AssertionResult says(const std::string& text, const std::string& words, std::size_t times = 1)
{
    std::size_t found = 0;
    for (std::size_t at = text.find(words); at != text.npos; at = text.find(words, at + 1))
        found++;
    return (found == times ? testing::AssertionSuccess() : testing::AssertionFailure())
           << "'" << words << "' " << found << " times in:\n"
           << text;
}

} // namespace

TEST(Explanation, OfAListSaysThatFactorsAndPlacesStandThere)
{
    Arguments x = arguments(8, 9, 10);
    x.batch = {5, true, 0};
    const std::string text = explained(make_problem(x));
    EXPECT_TRUE(says(text, "5 products, with offsets and factors listed in the device's memory", 2));
    EXPECT_TRUE(says(text, "alpha", 0)) << "each product has its own";
}

TEST(Explanation, OfNothingToComputeSaysSo)
{
    const std::string text = explained(problem(0, 9, 10));
    EXPECT_TRUE(says(text, "steps:      none, there is nothing to compute"));
    EXPECT_TRUE(says(text, "kernel:", 0));
}

TEST(Explanation, OfMoreProductsThanAPlanHasPartsCountsTheOthers)
{
    Arguments x = arguments(8, 9, 10);
    x.batch = {10'000};
    x.distance_a = x.distance_b = x.distance_c = 100;
    Planner planner(hopper_gpu(), derived_tuning(hopper_gpu()));
    const Options by_kernel_2{find_kernel("2")}; // product by product
    const std::size_t planned = planner.plan(make_problem(x), by_kernel_2).products;
    ASSERT_LT(planned, 10'000u);
    EXPECT_TRUE(says(explained(make_problem(x), hopper_gpu(), by_kernel_2),
                     "and the same for the other " + std::to_string(10'000 - planned) + " products"));
}

TEST(Explanation, OfAKernelThatErrsByTheLargestNumberPromisesNoMore)
{
    Problem fast = problem(2000, 2000, 2000);
    fast.arithmetic.accuracy = CLGEMM_MATH_FAST;
    EXPECT_TRUE(says(explained(fast, hopper_gpu(), {find_kernel("tensor_fast")}), " sum (max |a| |b| + |a| max |b|)"));
    EXPECT_TRUE(says(explained(fast, hopper_gpu(), {find_kernel("13")}), " sum (max |a| |b| + |a| max |b|)", 0));
}

// A program may set a locale that groups digits and has another decimal point.
TEST(Explanation, IsTheSameInEveryLocale)
{
    struct Grouped : std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    const std::string usual = explained(problem(20000, 20000, 20000));
    const std::locale before = std::locale::global(std::locale(std::locale(), new Grouped));
    const std::string grouped = explained(problem(20000, 20000, 20000));
    std::locale::global(before);
    EXPECT_EQ(grouped, usual);
}

TEST(Explanation, TellsWhatIsKeptOfAPreparedOperand)
{
    Problem kept = problem(2000, 2000, 2000);
    kept.b.prepared = true;
    const std::string text = explained(kept, hopper_gpu(), {find_kernel("14")});
    EXPECT_TRUE(says(text, "kept:       image of B by \"split B\": split.cl, "));
    EXPECT_TRUE(says(text, "kept: split B; ")) << "in the log";
    EXPECT_TRUE(says(text, "image of A", 0));
}

TEST(Explanation, TellsWhatTheTuningLeavesOut)
{
    Tuning tuning = derived_tuning(hopper_gpu());
    EXPECT_TRUE(says(explained(problem(64, 64, 64), hopper_gpu(), tuning), "left out:", 0));
    tuning.left_out = {"number 3 of kernels: made up"};
    EXPECT_TRUE(says(explained(problem(64, 64, 64), hopper_gpu(), tuning), "left out:   "));
    EXPECT_TRUE(says(explained(problem(64, 64, 64), hopper_gpu(), tuning), "number 3 of kernels: made up"));
}
