// The log goes to the function that the caller names, whatever CLGEMM_LOG says, and back.
#include "clgemm/clgemm.hpp"
#include "support/case_on_device.hpp"
#include "support/log.hpp"
#include "support/warning.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace clgemm::test;

namespace {

struct Lines {
    std::mutex mutex;
    std::vector<std::string> lines;

    static void add(const char* line, void* user)
    {
        auto& to = *static_cast<Lines*>(user);
        const std::lock_guard lock(to.mutex);
        to.lines.emplace_back(line);
    }
};

constexpr SgemmCase small{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 6, 5, 4, 1, 0, {}, {}};

TEST(SetLog, SendsALineForEachCallToTheFunction)
{
    const CaseOnDevice on_device(small);
    // A device's first call may have more to tell: whose data it borrows, and how fast its memory is.
    ASSERT_EQ(on_device.call(test_device().in_order), CLGEMM_SUCCESS) << clgemm_last_error();
    Lines said;
    ASSERT_EQ(clgemm_set_log(Lines::add, &said), CLGEMM_SUCCESS);
    ASSERT_EQ(on_device.call(test_device().in_order), CLGEMM_SUCCESS) << clgemm_last_error();
    ASSERT_EQ(clgemm_set_log(nullptr, nullptr), CLGEMM_SUCCESS);
    const auto after = said.lines.size();
    ASSERT_EQ(on_device.call(test_device().in_order), CLGEMM_SUCCESS) << clgemm_last_error();
    test_device().in_order.finish();
    ASSERT_FALSE(said.lines.empty());
    EXPECT_EQ(said.lines.front().find("sgemm NN 6x5x4 (row-major, which is column-major NN 5x6x4)"), 0u)
        << said.lines.front();
    EXPECT_EQ(said.lines.front().find('\n'), std::string::npos);
    EXPECT_EQ(said.lines.size(), after) << "nobody is told any more";
}

TEST(SetLog, SendsWarningsThere)
{
    Lines said;
    clgemm_set_log(Lines::add, &said);
    testing::internal::CaptureStderr();
    clgemm::core::warn_once("made up\nfor\rthis test");
    clgemm_set_log(nullptr, nullptr);
    clgemm::core::warn_once("made up for standard error");
    EXPECT_EQ(said.lines, std::vector<std::string>{"warning: made up for this test"});
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "clgemm: warning: made up for standard error\n");
}

// What the function was given may be freed when clgemm_set_log() has returned.
TEST(SetLog, WaitsUntilNobodyIsInTheFormerFunction)
{
    struct Slow {
        std::atomic<bool> is_in = false, is_out = false;
    };
    Slow slow;
    const auto be_slow = [](const char*, void* user) {
        auto& state = *static_cast<Slow*>(user);
        state.is_in = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        state.is_out = true;
    };
    clgemm_set_log(be_slow, &slow);
    std::thread other([] { clgemm::core::warn_once("made up for a slow function"); });
    while (!slow.is_in)
        std::this_thread::yield();
    clgemm_set_log(nullptr, nullptr);
    EXPECT_TRUE(slow.is_out);
    other.join();
}

// Lines that follow one another without an end do not keep the function.
TEST(SetLog, ReturnsThoughOthersLogOnAndOn)
{
    // Who is in the function leaves when another one is, too, so that it is never empty as long as others may come in.
    std::atomic<int> entered = 0;
    const auto stay = [](const char*, void* user) {
        auto& all = *static_cast<std::atomic<int>*>(user);
        const int own = ++all;
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
        while (all == own && std::chrono::steady_clock::now() < end)
            std::this_thread::yield();
    };
    // They give up after so long that whoever waits for a moment without them has waited in vain.
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::atomic<bool> has_returned = false, have_given_up = false;
    clgemm_set_log(stay, &entered);
    std::vector<std::thread> others;
    for (int i = 0; i < 4; i++)
        others.emplace_back([&] {
            while (!has_returned && !have_given_up) {
                clgemm::core::write_log_line("made up");
                if (std::chrono::steady_clock::now() > give_up)
                    have_given_up = true;
            }
        });
    while (entered < 4)
        std::this_thread::yield();
    clgemm_set_log(nullptr, nullptr);
    EXPECT_FALSE(have_given_up);
    has_returned = true;
    for (std::thread& other : others)
        other.join();
}

TEST(SetLogInCpp, SendsALineForEachCallToAnyFunctionObject)
{
    const CaseOnDevice on_device(small);
    std::vector<std::string> said;
    clgemm::set_log(
        [&said, prefix = std::string("it said ")](std::string_view line) { said.push_back(prefix + std::string(line)); });
    ASSERT_EQ(on_device.call(test_device().in_order), CLGEMM_SUCCESS) << clgemm_last_error();
    clgemm::set_log(nullptr);
    const auto after = said.size();
    ASSERT_EQ(on_device.call(test_device().in_order), CLGEMM_SUCCESS) << clgemm_last_error();
    test_device().in_order.finish();
    ASSERT_FALSE(said.empty());
    EXPECT_EQ(said.front().find("it said sgemm NN 6x5x4"), 0u) << said.front();
    EXPECT_EQ(said.size(), after) << "nobody is told any more";
}

TEST(SetLogInCpp, KeepsTheFunctionUntilAnotherTakesItsPlace)
{
    const auto held = std::make_shared<int>(1);
    clgemm::set_log([held](std::string_view) {});
    EXPECT_EQ(held.use_count(), 2);
    clgemm::set_log([](std::string_view) {});
    EXPECT_EQ(held.use_count(), 1);
    clgemm::set_log({}); // an empty function is none
    testing::internal::CaptureStderr();
    clgemm::core::warn_once("made up after a function in C++");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "clgemm: warning: made up after a function in C++\n");
}

TEST(SetLogInCpp, LosesALineForWhichTheFunctionThrows)
{
    const CaseOnDevice on_device(small);
    int lines = 0;
    clgemm::set_log([&lines](std::string_view) {
        lines++;
        throw std::runtime_error("made up");
    });
    EXPECT_EQ(on_device.call(test_device().in_order), CLGEMM_SUCCESS) << clgemm_last_error();
    clgemm::set_log(nullptr);
    test_device().in_order.finish();
    EXPECT_GE(lines, 1);
}

} // namespace
