// Entries for single calls in tuning files, and that a selection goes by them before it estimates anything.
#include "made_up_calls.hpp"

#include "select/planner.hpp"
#include "tuning/tuning_file.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

using namespace clgemm::core;
using namespace clgemm::test;
using Json = nlohmann::ordered_json;

namespace {

const DeviceProfile gpu = large_gpu();

// Kernel 13 would be chosen for everything.
Tuning measured_tuning()
{
    return tuning_of({kernel_13("NT", 100), kernel_13("NN", 100), kernel_13("TN", 100), kernel_13("TT", 100),
                      kernel_13("nt", 100), kernel_13("nN", 100), kernel_13("Tt", 100)});
}

Tuning with_calls(std::vector<TunedCall> calls)
{
    Tuning result = measured_tuning();
    result.calls = std::move(calls);
    result.origin_of_calls = "a file of calls";
    return result;
}

Selection chosen_by(const Tuning& tuning, const Problem& problem, const Options& options = {})
{
    return select(problem, gpu, tuning, options);
}

// The same by name, with the least that OpenCL allows.
DeviceProfile lesser_gpu()
{
    DeviceProfile result = gpu;
    result.max_work_group_size = 1;
    result.max_work_item_sizes = {1, 1, 1};
    return result;
}

const Problem tuned_problem = problem(64, 1, 4096, CLGEMM_TRANS);

Json some_json()
{
    Tuning tuning = with_calls({tuned(tuned_problem, "15", gpu, 12345.678), tuned(problem(640, 640, 640), "13", gpu)});
    tuning.calls[1].call.arithmetic.accuracy = CLGEMM_MATH_STRICT;
    return Json::parse(to_text(tuning, gpu));
}

} // namespace

TEST(TunedCalls, AreChosenBeforeAnyEstimate)
{
    const TunedCall entry = tuned(tuned_problem, "15", gpu);
    const Tuning tuning = with_calls({tuned(problem(64, 1, 4095, CLGEMM_TRANS), "1", gpu), entry});
    ASSERT_NE(chosen_by(measured_tuning(), tuned_problem).variant.kernel, entry.variant.kernel);

    const Selection selection = chosen_by(tuning, tuned_problem);
    EXPECT_EQ(selection.variant.kernel, entry.variant.kernel);
    EXPECT_EQ(selection.way, entry.way);
    EXPECT_EQ(selection.estimate_ns, entry.ns);
    EXPECT_EQ(selection.reason, "measured for this very call, 1 us (a file of calls)");
    EXPECT_FALSE(selection.is_unproven);

    Tuning guessed = derived_tuning(gpu);
    guessed.calls = {entry};
    EXPECT_EQ(chosen_by(guessed, tuned_problem).variant.kernel, entry.variant.kernel);
}

TEST(TunedCalls, HoldForNoOtherCall)
{
    const Tuning tuning = with_calls({tuned(tuned_problem, "15", gpu)});
    const auto is_estimated = [&](const Problem& problem, const Options& options = {}) {
        return chosen_by(tuning, problem, options).reason.find("this very call") == std::string::npos;
    };
    EXPECT_FALSE(is_estimated(tuned_problem));
    EXPECT_TRUE(is_estimated(problem(64, 3, 4096, CLGEMM_TRANS)));
    EXPECT_TRUE(is_estimated(problem(64, 1, 4096)));
    EXPECT_TRUE(is_estimated(strictly(tuned_problem)));
    Problem unaligned = tuned_problem;
    unaligned.a.offset = 1;
    EXPECT_TRUE(is_estimated(unaligned));
    EXPECT_TRUE(is_estimated(tuned_problem, {.last_resort = true}));
    EXPECT_TRUE(is_estimated(tuned_problem, {.kernel = find_kernel("1")})) << "the caller names a kernel";
}

TEST(TunedCalls, GiveWayWhereTheirWorkspaceIsNotAllowedOrTheDeviceCannotRunThem)
{
    const TunedCall entry = tuned(tuned_problem, "15", gpu); // in many parts of K
    const Tuning tuning = with_calls({entry});
    const std::size_t bytes = outline_of(tuned_problem, gpu, entry.variant, entry.way).workspace_bytes;
    ASSERT_GT(bytes, 1u);
    EXPECT_EQ(chosen_by(tuning, tuned_problem, {.workspace_limit = bytes}).way, entry.way);
    EXPECT_NE(chosen_by(tuning, tuned_problem, {.workspace_limit = bytes - 1}).estimate_ns, entry.ns);
    EXPECT_NE(select(tuned_problem, lesser_gpu(), tuning, {}).estimate_ns, entry.ns);
}

// A file knows nothing of leading dimensions.
TEST(TunedCalls, GiveWayWhereMatricesLieOtherwise)
{
    const DeviceProfile device = hopper_gpu();
    Arguments x = arguments(1, 64, 64, CLGEMM_TRANS);
    x.arithmetic.accuracy = CLGEMM_MATH_TF32;
    x.lda = 64;
    const Problem aligned = make_problem(x);
    x.lda = 65;
    const Problem otherwise = make_problem(x);
    Tuning tuning = derived_tuning(device);
    tuning.calls = {tuned(aligned, "tensor_rounded", device)};
    ASSERT_EQ(single_call_of(aligned), single_call_of(otherwise));
    EXPECT_EQ(select(aligned, device, tuning, {}).estimate_ns, tuning.calls.front().ns);
    EXPECT_NE(select(otherwise, device, tuning, {}).estimate_ns, tuning.calls.front().ns);
}

// The workspace query asks for every alignment that may matter.
TEST(TunedCalls, MakeEveryAlignmentMatter)
{
    EXPECT_EQ(Planner(gpu, with_calls({tuned(tuned_problem, "15", gpu)})).widths_that_matter({}),
              (std::vector<std::size_t>{1, 2, 4, 8, 16}));
}

TEST(TunedCalls, AreWrittenAndReadBack)
{
    const Tuning before = with_calls({tuned(tuned_problem, "15", gpu, 12345.678), tuned(problem(640, 640, 640), "13", gpu)});
    const std::string text = to_text(before, gpu);
    const Tuning after = parse_tuning(text, gpu, "a test");
    EXPECT_TRUE(after.left_out.empty()) << after.left_out.front();
    EXPECT_EQ(after.origin_of_calls, "a test");
    EXPECT_EQ(after.measurements.size(), before.measurements.size());
    ASSERT_EQ(after.calls.size(), 2u);
    for (std::size_t i = 0; i < 2; i++) {
        EXPECT_EQ(after.calls[i].call, before.calls[i].call);
        EXPECT_EQ(after.calls[i].variant.kernel, before.calls[i].variant.kernel);
        EXPECT_EQ(after.calls[i].variant.parameters.values(), before.calls[i].variant.parameters.values());
        EXPECT_EQ(after.calls[i].way, before.calls[i].way);
    }
    EXPECT_EQ(after.calls[0].ns, 12345.68);
    EXPECT_EQ(to_text(after, gpu), text);
}

TEST(TunedCalls, MayBeAllThatAFileHas)
{
    Tuning alone;
    alone.calls = {tuned(tuned_problem, "15", gpu)};
    const Tuning read = parse_tuning(to_text(alone, gpu), gpu, "calls alone");
    EXPECT_TRUE(read.measurements.empty());
    const Tuning whole = completed_by(read, measured_tuning());
    EXPECT_EQ(whole.origin, measured_tuning().origin);
    EXPECT_EQ(whole.measurements.size(), measured_tuning().measurements.size());
    EXPECT_EQ(chosen_by(whole, tuned_problem).reason, "measured for this very call, 1 us (calls alone)");
}

TEST(TunedCalls, OfNoUseAreLeftOutAndTheOthersHold)
{
    const std::pair<std::function<void(Json&)>, const char*> cases[] = {
        {[](Json& call) { call["kernel"] = "99_nothing"; }, "there is no kernel \"99_nothing\""},
        {[](Json& call) { call["parameters"]["MORE"] = 1; }, "cannot be built with"},
        {[](Json& call) { call["way"]["form"] = 77; }, "in the way of form 77"},
        {[](Json& call) { call["way"]["split_k"] = 777; }, "777 parts of K"},
        {[](Json& call) { call["way"]["split_k"] = 1ULL << 63; }, "parts of K"},
        {[](Json& call) { call["arithmetic"] = "f128 f128 f128 default"; }, "there is no arithmetic"},
    };
    for (const auto& [spoil, said] : cases) {
        Json json = some_json();
        spoil(json["calls"][0]);
        const Tuning tuning = parse_tuning(json.dump(), gpu, "a test");
        ASSERT_EQ(tuning.left_out.size(), 1u) << json.dump();
        EXPECT_EQ(tuning.left_out.front().find("number 1 of calls: "), 0u) << tuning.left_out.front();
        EXPECT_NE(tuning.left_out.front().find(said), std::string::npos) << tuning.left_out.front();
        EXPECT_EQ(tuning.calls.size(), 1u);
        EXPECT_EQ(tuning.measurements.size(), measured_tuning().measurements.size());
    }
    EXPECT_EQ(parse_tuning(some_json().dump(), lesser_gpu(), "a test").calls.size(), 0u);
}

TEST(TunedCalls, ThatAreMalformedAreNamed)
{
    const std::pair<std::function<void(Json&)>, const char*> cases[] = {
        {[](Json& call) { call = 5; }, "number 2 of calls: 5 is no object"},
        {[](Json& call) { call.erase("m"); }, "number 2 of calls: m is missing"},
        {[](Json& call) { call["n"] = 0; }, "number 2 of calls: n is 0, but must be a whole number from 1 on"},
        {[](Json& call) {
             call["aligned"] = {1, 2};
         },
         "number 2 of calls: aligned is [1,2]"},
        {[](Json& call) { call["m"] = call["n"] = call["k"] = ~0ULL; }, "number 2 of calls: lda is"},
        {[](Json& call) { call.erase("way"); }, "number 2 of calls: way is missing"},
        {[](Json& call) { call["way"] = "plain"; }, "number 2 of calls: way is \"plain\", but must be an object"},
        {[](Json& call) { call["way"]["transposed"] = 1; }, "number 2 of calls: transposed is 1, but must be true or false"},
        {[](Json& call) { call["way"]["form"] = -1; }, "number 2 of calls: form is -1"},
        {[](Json& call) { call["ns"] = 0; }, "number 2 of calls: ns is 0, but must be a positive number"},
    };
    for (const auto& [spoil, said] : cases) {
        Json json = some_json();
        spoil(json["calls"][1]);
        try {
            parse_tuning(json.dump(), gpu, "a test");
            ADD_FAILURE() << said;
        } catch (const TuningFileError& error) {
            EXPECT_EQ(std::string(error.what()).find(said), 0u) << error.what();
        }
    }
}
