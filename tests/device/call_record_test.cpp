// CLGEMM_RECORD in a process of many queues: every call is counted and timed, what it computes and how it is ordered stays
// as it was, and its time is that of the device, without what it waits for.
#include "engine/call_record.hpp"
#include "support/case_on_device.hpp"
#include "tuning/recorded_calls.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace clgemm::test;
using namespace clgemm::core;

namespace {

// Read at the library's first call, so it is set before main() begins.
const std::filesystem::path file = [] {
    const auto path = std::filesystem::temp_directory_path() / ("clgemm-record-" + std::to_string(getpid()));
    setenv("CLGEMM_RECORD", path.c_str(), 1);
    return path;
}();

class CallRecordOnDevice : public testing::TestWithParam<bool> {
protected:
    ~CallRecordOnDevice() override { std::filesystem::remove(file); }

    cl::CommandQueue queue = GetParam() ? test_device().in_order : test_device().out_of_order;

    // What is known of the one call that was made, when the driver has told the end of `count` such calls or more, or does
    // not.
    static CallCounts counts_of(std::uint64_t count)
    {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        for (;;) {
            EXPECT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
            const RecordedCalls calls = read_record(file);
            EXPECT_EQ(calls.size(), 1u);
            const CallCounts counts = calls.empty() ? CallCounts{} : calls.begin()->second;
            if (counts.timed >= count || std::chrono::steady_clock::now() > end)
                return counts;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
};

constexpr SgemmCase small{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 65, 33, 70, 2, 0.5f, {}, {}};

INSTANTIATE_TEST_SUITE_P(Queue, CallRecordOnDevice, testing::Bool(),
                         [](const auto& tested) { return std::string(tested.param ? "in_order" : "out_of_order"); });

TEST(CallRecordOfItsOwn, KeepsWhatCannotBeWrittenForTheNextTime)
{
    const std::filesystem::path folder = file.string() + "-later";
    CallRecord record(folder / "calls");
    const RecordedCall call{{3, 4, 5, false, true, {1, 1, 1}, {}}, "a device"};
    record.add(call, {1, 1, 10});
    record.write(); // there is no such folder
    std::filesystem::create_directory(folder);
    record.add(call, {1, 1, 20});
    record.write();
    const RecordedCalls calls = read_record(folder / "calls");
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls.begin()->second.count, 2u);
    std::filesystem::remove_all(folder);
}

TEST_P(CallRecordOnDevice, CountsAndTimesCallsWithAndWithoutEvents)
{
    const CaseOnDevice on_device(small);
    cl::Event done;
    ASSERT_EQ(on_device.call(queue, nullptr, {}, &done), CLGEMM_SUCCESS);
    done.wait();
    EXPECT_TRUE(on_device.is_right(queue));
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(on_device.call(queue), CLGEMM_SUCCESS);
        queue.finish();
    }
    const CallCounts counts = counts_of(4);
    EXPECT_EQ(counts.count, 4u);
    EXPECT_EQ(counts.timed, 4u);
    EXPECT_GT(counts.total_us, 0);
}

TEST_P(CallRecordOnDevice, DoesNotWaitAndDoesNotCountWhatTheCallWaitsFor)
{
    const CaseOnDevice on_device(small);
    ASSERT_EQ(on_device.call(queue), CLGEMM_SUCCESS); // builds what there is to build
    queue.finish();
    const CaseOnDevice other(small);
    constexpr auto held_up = std::chrono::seconds(2);
    cl::UserEvent gate(test_device().context);
    cl::Event done;
    const clgemm_status status = other.call(queue, nullptr, {gate}, &done);
    queue.flush();
    std::this_thread::sleep_for(held_up);
    EXPECT_GT(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(), CL_COMPLETE);
    gate.setStatus(CL_COMPLETE);
    ASSERT_EQ(status, CLGEMM_SUCCESS);
    done.wait();
    EXPECT_TRUE(other.is_right(queue));
    // PoCL tells that a user's event has ended when what waited for it has ended, too: on a queue that is not in order
    // nobody knows then when the call began.
    const CallCounts counts = counts_of(GetParam() ? 2 : 1);
    EXPECT_EQ(counts.count, 2u);
    EXPECT_GE(counts.timed, GetParam() ? 2U : 1U);
    EXPECT_LT(counts.total_us, 1e6 * static_cast<double>(held_up.count()));
}

// What is measured of a batch says nothing of a call of one product, or of another number of them.
TEST_P(CallRecordOnDevice, KnowsBatchesByTheirNumberOfProducts)
{
    const CaseOnDevice on_device(small);
    const auto batch_of = [&](std::size_t count) {
        const Operands& at = on_device.before;
        return clgemm_sgemm_strided_batched(small.layout, small.trans_a, small.trans_b, small.m, 1, small.k, small.alpha,
                                            on_device.a(), at.a.offset, at.a.ld, 0, on_device.b(), at.b.offset, at.b.ld, 1,
                                            small.beta, on_device.c(), at.c.offset, at.c.ld, 1, count, queue(), 0, nullptr,
                                            nullptr);
    };
    ASSERT_EQ(batch_of(3), CLGEMM_SUCCESS) << clgemm_last_error();
    ASSERT_EQ(batch_of(0), CLGEMM_SUCCESS) << clgemm_last_error();
    ASSERT_EQ(batch_of(3), CLGEMM_SUCCESS) << clgemm_last_error();
    ASSERT_EQ(batch_of(1), CLGEMM_SUCCESS) << clgemm_last_error();
    queue.finish();
    ASSERT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
    std::map<std::size_t, std::uint64_t> counts; // by products
    for (const auto& [recorded, of_it] : read_record(file))
        counts[recorded.call.products] += of_it.count;
    EXPECT_EQ(counts, (std::map<std::size_t, std::uint64_t>{{1, 1}, {3, 2}}));
}

// A program that never makes a call twice must not fill memory and disk.
TEST(CallRecordOfManyCalls, KeepsTheFirstOnesAndSaysSo)
{
    constexpr std::size_t most = 20'000;
    RecordedCall recorded{{.m = 1, .n = 1, .k = 1}, "made up"};
    testing::internal::CaptureStderr();
    for (; recorded.call.k <= most; recorded.call.k++)
        call_record()->add(recorded, {1, 0, 0});
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    testing::internal::CaptureStderr();
    call_record()->add(recorded, {1, 0, 0});
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("there are more than 20000 different ones; the first are"), std::string::npos) << said;
    recorded.call.k = 7;
    call_record()->add(recorded, {1, 0, 0});
    ASSERT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
    const RecordedCalls calls = read_record(file);
    EXPECT_EQ(calls.size(), most);
    EXPECT_EQ(calls.at(recorded).count, 2u) << "calls that are known go on to be counted";
    std::filesystem::remove(file);
}

// The driver may tell of the end of a call when the file that counted it is gone.
TEST(CallRecordThatIsRemoved, CountsWhatIsTimedAfterwards)
{
    const RecordedCall recorded{{.m = 1, .n = 1, .k = 1}, "made up"};
    call_record()->add(recorded, {2, 0, 0});
    ASSERT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
    EXPECT_EQ(read_record(file).at(recorded).count, 2u);
    std::filesystem::remove(file);
    call_record()->add(recorded, {0, 1, 5});
    ASSERT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
    const RecordedCalls calls = read_record(file);
    EXPECT_EQ(calls.at(recorded).count, 1u);
    EXPECT_EQ(calls.at(recorded).timed, 1u);
    std::filesystem::remove(file);
}

// The thread that holds the record when the process is forked does not come along, and nobody in the child gives it back.
TEST(CallRecordOfAForkedProcess, DoesNotHoldUpTheChildsEnd)
{
    const RecordedCall recorded{{.m = 1, .n = 1, .k = 1}, "made up"};
    ASSERT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS); // from now on a child knows that it is one
    call_record()->add(recorded, {1, 0, 0});
    std::atomic<bool> goes_on{true};
    std::thread other([&] {
        while (goes_on)
            call_record()->add(recorded, {1, 0, 0});
    });
    bool has_ended = true;
    for (int i = 0; i < 100 && has_ended; i++) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            std::exit(0); // NOLINT(concurrency-mt-unsafe): the child has one thread
        }
        int status = 0;
        has_ended = waitpid(child, &status, 0) == child && WIFEXITED(status);
    }
    goes_on = false;
    other.join();
    EXPECT_TRUE(has_ended);
    ASSERT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
    std::filesystem::remove(file);
}

TEST_P(CallRecordOnDevice, KnowsNothingOfCallsThatAreRefused)
{
    const CaseOnDevice on_device(small);
    ASSERT_EQ(on_device.call(queue), CLGEMM_SUCCESS);
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = "nonsense";
    EXPECT_EQ(on_device.call(queue, options), CLGEMM_UNKNOWN_KERNEL);
    EXPECT_EQ(clgemm_sgemm(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 640, 640, 640, 1, on_device.a(), 0, 640,
                           on_device.b(), 0, 640, 0, on_device.c(), 0, 640, queue(), 0, nullptr, nullptr),
              CLGEMM_A_TOO_SMALL);
    queue.finish();
    EXPECT_EQ(counts_of(1).count, 1u);
}

} // namespace
