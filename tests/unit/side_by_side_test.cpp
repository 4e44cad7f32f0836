// Jobs side by side: each is done once, no thread outlives the call, and the first failure reaches the caller.
#include "support/side_by_side.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace clgemm::core;

namespace {

constexpr std::size_t many = 100;

} // namespace

TEST(SideBySide, EachJobIsDoneOnce)
{
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, many})
        for (const std::size_t at_a_time : {std::size_t{1}, std::size_t{2}, many}) {
            std::vector<std::atomic<int>> done(count);
            side_by_side(count, at_a_time, [&](std::size_t i) { done[i]++; });
            for (const auto& times : done)
                EXPECT_EQ(times, 1) << count << " jobs, " << at_a_time << " at a time";
        }
}

TEST(SideBySide, TwoAtATimeMeetEachOther)
{
    if (std::thread::hardware_concurrency() < 2)
        GTEST_SKIP() << "there is one core";
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t present = 0;
    side_by_side(2, 2, [&](std::size_t) {
        std::unique_lock lock(mutex);
        present++;
        changed.notify_all();
        EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(60), [&] { return present == 2; }));
    });
}

TEST(SideBySide, OneAtATimeAreThisThreads)
{
    std::set<std::thread::id> threads;
    side_by_side(many, 1, [&](std::size_t) { threads.insert(std::this_thread::get_id()); });
    EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(SideBySide, TheFailureWithTheLowestNumberReachesTheCallerWhenAllAreOver)
{
    for (int round = 0; round < 50; round++) {
        std::atomic<int> under_way = 0, begun = 0;
        try {
            side_by_side(many, 4, [&](std::size_t i) {
                under_way++;
                begun++;
                if (i >= 10) {
                    under_way--;
                    throw std::runtime_error(std::to_string(i));
                }
                under_way--;
            });
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "10") << "which begins before all others that fail";
        }
        EXPECT_EQ(under_way, 0);
        EXPECT_LT(begun, static_cast<int>(many)) << "after a failure no more begin";
    }
}
