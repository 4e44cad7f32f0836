// The search for the fastest way to compute one call, on devices that are made up: what is found, and what is not believed.
#include "made_up_calls.hpp"

#include "support/error.hpp"
#include "tune/call_search.hpp"
#include "tune/program_calls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

using namespace clgemm::core;
using namespace clgemm::test;
using namespace clgemm::tune;

namespace {

const DeviceProfile gpu = large_gpu();

const SingleCall call = call_of(problem(2048, 2048, 2048));

// Kernel 13 in its first two sizes. By estimate the first is twice as fast.
Tuning two_sizes()
{
    Tuning result = tuning_of({kernel_13("NN", 100), kernel_13("NN", 200)});
    result.measurements[1].variant = variants_of(*find_kernel("13"))[1];
    return result;
}

bool is_second_size(const Selection& selection)
{
    return selection.variant.parameters["TSM"] == variants_of(*find_kernel("13"))[1].parameters["TSM"] &&
           selection.variant.parameters["TSN"] == variants_of(*find_kernel("13"))[1].parameters["TSN"];
}

class Searching {
public:
    explicit Searching(std::function<double(const Selection&)> ns) : ns_(std::move(ns)) {}

    FoundForCall found(const TunedCall* known = nullptr, double seconds = 1000)
    {
        CallSearch search(
            gpu, two_sizes(),
            [&](const Problem&, const Selection& first, const Selection& second, double) {
                timings++;
                return std::pair(ns_(first), ns_(second));
            },
            [&](const Problem& problem, const Selection& selection) {
                EXPECT_EQ(call_of(problem), call);
                return is_right(selection);
            },
            [&](const std::string&) { news++; }, [&] { return is_interrupted; });
        return search.search(call, known, seconds);
    }

    std::function<bool(const Selection&)> is_right = [](const Selection&) { return true; };
    bool is_interrupted = false;
    std::size_t timings = 0, news = 0;

private:
    std::function<double(const Selection&)> ns_;
};

} // namespace

TEST(CallSearch, FindsWhatIsFasterAsAWholeCallWhateverTheEstimate)
{
    Searching searching([](const Selection& selection) { return is_second_size(selection) ? 500.0 : 1000.0; });
    const FoundForCall found = searching.found();
    ASSERT_TRUE(found.entry);
    EXPECT_EQ(found.entry->call, call);
    EXPECT_TRUE(is_second_size(found.comparison.now));
    EXPECT_FALSE(is_second_size(found.comparison.before));
    EXPECT_EQ(found.entry->ns, 500);
    EXPECT_EQ(found.comparison.times->speed_up, 2);
    EXPECT_FALSE(found.comparison.chooses_the_same);
    EXPECT_GE(searching.news, 2u);

    // The library then chooses it.
    Tuning tuning = two_sizes();
    tuning.calls = {*found.entry};
    EXPECT_TRUE(is_second_size(select(problem_of(call), gpu, tuning, {})));
}

TEST(CallSearch, MakesNoEntryOfWhatIsHardlyFaster)
{
    const FoundForCall found =
        Searching([](const Selection& selection) { return is_second_size(selection) ? 985.0 : 1000.0; }).found();
    EXPECT_FALSE(found.entry);
    EXPECT_TRUE(found.comparison.chooses_the_same);
    EXPECT_EQ(found.comparison.times->speed_up, 1);
}

TEST(CallSearch, BelievesNoLuckyTiming)
{
    std::map<std::string, int> times;
    const FoundForCall found = Searching([&](const Selection& selection) {
                                   const bool is_first = times[selection.variant.parameters.text()]++ == 0;
                                   return is_first ? 500.0 : 1000.0;
                               }).found(nullptr, 0.2);
    EXPECT_FALSE(found.entry);
}

TEST(CallSearch, TakesNothingThatComputesWronglyOrCannotBeHad)
{
    Searching wrong([](const Selection& selection) { return is_second_size(selection) ? 500.0 : 1000.0; });
    wrong.is_right = [](const Selection& selection) { return !is_second_size(selection); };
    EXPECT_FALSE(wrong.found().entry);
    Searching failing([](const Selection& selection) -> double {
        if (is_second_size(selection))
            throw Error(CL_OUT_OF_RESOURCES, "no memory");
        return 1000;
    });
    EXPECT_FALSE(failing.found().entry);
}

TEST(CallSearch, GoesOnToSizesThatNobodyHasMeasured)
{
    const auto stages = [](const Selection& selection) { return selection.variant.parameters["STAGES"]; };
    const std::size_t measured = two_sizes().measurements[0].variant.parameters["STAGES"];
    const FoundForCall found =
        Searching([&](const Selection& selection) { return stages(selection) > measured ? 500.0 : 1000.0; }).found();
    ASSERT_TRUE(found.entry);
    EXPECT_GT(stages(found.comparison.now), measured);
}

TEST(CallSearch, TriesAnEarlierEntryFirstAndNothingElseWithoutTime)
{
    const FoundForCall first =
        Searching([](const Selection& selection) { return is_second_size(selection) ? 500.0 : 1000.0; }).found();
    Searching searching([](const Selection& selection) { return is_second_size(selection) ? 600.0 : 1000.0; });
    const FoundForCall again = searching.found(&*first.entry, 0);
    ASSERT_TRUE(again.entry);
    EXPECT_EQ(again.tried, 1u);
    EXPECT_EQ(again.entry->way, first.entry->way);
    EXPECT_EQ(again.entry->ns, 600);
}

TEST(CallSearch, EndsWhenItIsInterrupted)
{
    Searching searching([](const Selection&) { return 1000.0; });
    searching.is_interrupted = true;
    EXPECT_FALSE(searching.found().entry);
    EXPECT_EQ(searching.timings, 0u);
}

TEST(ProgramCalls, AreThoseOfTheDeviceByTheTimeThatTheyTakeInAll)
{
    const auto recorded = [](std::size_t size, const std::string& device) {
        return RecordedCall{call_of(problem(size, size, size)), device};
    };
    const std::string here = recorded_name(gpu);
    const RecordedCalls record{{recorded(10, here), {100, 100, 50}},
                               {recorded(20, here), {4, 2, 40}},
                               {recorded(30, here), {3, 0, 0}},
                               {recorded(40, here), {5, 0, 0}},
                               {recorded(50, "another"), {9, 9, 1000}}};
    std::vector<std::size_t> sizes;
    for (const SingleCall& each : calls_to_tune(record, gpu))
        sizes.push_back(each.m);
    EXPECT_EQ(sizes, (std::vector<std::size_t>{20, 10, 40, 30}));
    try {
        calls_to_tune({{recorded(50, "another"), {9, 9, 1000}}}, gpu);
        ADD_FAILURE();
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("has no calls on " + here + ", but some on another"), std::string::npos)
            << error.what();
    }
    EXPECT_LT(usual_budget(1), usual_budget(10));
    EXPECT_EQ(usual_budget(100'000), usual_budget(1'000'000));
}

TEST(ProgramCalls, AreTunedInTurnAsLongAsThereIsTime)
{
    CallSearch search(
        gpu, two_sizes(),
        [&](const Problem&, const Selection& first, const Selection& second, double) {
            return std::pair(is_second_size(first) ? 500.0 : 1000.0, is_second_size(second) ? 500.0 : 1000.0);
        },
        [](const Problem&, const Selection&) { return true; }, [](const std::string&) {}, [] { return false; });
    const SingleCall large = call_of(problem(9000, 9000, 9000)), last = call_of(problem(100, 100, 100));
    std::vector<std::size_t> told;
    ProgramTuned result;
    tune_each(
        result, {large, call, last}, two_sizes(), search, [&](const SingleCall& each) { return !(each == large); },
        [&](std::size_t number) { told.push_back(number); }, [&] { return told.empty() ? 10.0 : 0.0; });
    EXPECT_EQ(result.too_large, std::vector<SingleCall>{large});
    EXPECT_EQ(result.tuned, std::vector<SingleCall>{call});
    ASSERT_EQ(result.entries.size(), 1u);
    EXPECT_EQ(result.entries.front().call, call);
    EXPECT_EQ(result.comparisons.size(), 1u);
    EXPECT_EQ(told, std::vector<std::size_t>{2});
}

TEST(ProgramCalls, HaveTheirNewEntriesInThePlaceOfAllEarlierOnes)
{
    const Problem kept = problem(100, 100, 100), gone = problem(200, 200, 200), anew = problem(300, 300, 300);
    Tuning tuning = two_sizes();
    tuning.calls = {tuned(kept, "13", gpu, 1), tuned(gone, "13", gpu, 2), tuned(anew, "13", gpu, 3)};
    const Tuning result = with_entries(tuning, {call_of(gone), call_of(anew)}, {tuned(anew, "13", gpu, 4)});
    EXPECT_EQ(result.measurements.size(), tuning.measurements.size());
    ASSERT_EQ(result.calls.size(), 2u);
    EXPECT_EQ(result.calls[0].call, call_of(kept));
    EXPECT_EQ(result.calls[1].call, call_of(anew));
    EXPECT_EQ(result.calls[1].ns, 4);
}
