// MadeOnce: each thing is made once, and nobody waits for what somebody else wants.
#include "support/made_once.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

using Made = std::shared_ptr<int>;
using Numbers = MadeOnce<int, int>;

// Makes a number and counts how often.
struct Maker {
    std::atomic<int> made = 0;
    auto operator()(int value)
    {
        return [this, value] {
            made++;
            return std::make_shared<int>(value);
        };
    }
};

// Another thread, which makes number 1 until its end is asked for.
class SlowMaker {
public:
    explicit SlowMaker(Numbers& numbers)
        : number_(std::async(std::launch::async, [this, &numbers] {
              return numbers.get(1, [this] {
                  began_.set_value();
                  go_on_.get_future().wait();
                  return std::make_shared<int>(10);
              });
          }))
    {
        began_.get_future().wait();
    }

    Made made()
    {
        go_on_.set_value();
        return number_.get();
    }

private:
    std::promise<void> began_, go_on_;
    std::future<Made> number_;
};

// Another thread, which asks for number 1, and whose maker throws when it may.
class SlowFailure {
public:
    explicit SlowFailure(Numbers& numbers)
        : number_(std::async(std::launch::async, [this, &numbers] {
              return numbers.get(1, [this]() -> Made {
                  began_.set_value();
                  go_on_.get_future().wait();
                  throw std::runtime_error("not now");
              });
          }))
    {
        began_.get_future().wait();
    }

    void fail()
    {
        go_on_.set_value();
        EXPECT_THROW(number_.get(), std::runtime_error);
    }

private:
    std::promise<void> began_, go_on_;
    std::future<Made> number_;
};

Made nothing_to_make()
{
    ADD_FAILURE() << "it is there already";
    return nullptr;
}

} // namespace

TEST(MadeOnce, WhatWasMadeIsThereAgain)
{
    Numbers numbers(8);
    Maker make;
    const Made one = numbers.get(1, make(10)), two = numbers.get(2, make(20));
    EXPECT_EQ(*one, 10);
    EXPECT_EQ(*two, 20);
    EXPECT_EQ(numbers.get(1, nothing_to_make), one);
    EXPECT_EQ(numbers.get(2, nothing_to_make), two);
    EXPECT_EQ(make.made, 2);
}

TEST(MadeOnce, TheFirstMakesItAndTheOthersWaitForIt)
{
    Numbers numbers(8);
    std::promise<void> began, go_on;
    std::atomic<int> made = 0, had = 0;
    const auto slowly = [&] {
        made++;
        began.set_value();
        go_on.get_future().wait();
        return std::make_shared<int>(10);
    };
    std::vector<std::future<Made>> all;
    all.push_back(std::async(std::launch::async, [&] { return numbers.get(1, slowly); }));
    began.get_future().wait();
    for (int i = 0; i < 4; i++)
        all.push_back(std::async(std::launch::async, [&] {
            Made result = numbers.get(1, nothing_to_make);
            had++;
            return result;
        }));
    // They have all the time in the world to get something that is not finished.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(had, 0);
    go_on.set_value();
    const Made first = all.front().get();
    for (std::size_t i = 1; i < all.size(); i++)
        EXPECT_EQ(all[i].get(), first);
    EXPECT_EQ(made, 1);
}

// Were there one lock for all, this test would not end.
TEST(MadeOnce, WhoWantsAnotherOneDoesNotWait)
{
    Numbers numbers(8);
    Maker make;
    const Made before = numbers.get(3, make(30));
    SlowMaker slow(numbers);
    EXPECT_EQ(*numbers.get(2, make(20)), 20) << "made meanwhile";
    EXPECT_EQ(numbers.get(3, nothing_to_make), before) << "found meanwhile";
    numbers.drop([](int key) { return key == 3; });
    EXPECT_NE(numbers.get(3, make(31)), before) << "dropped and made again meanwhile";
    EXPECT_EQ(*slow.made(), 10);
}

// A maker may ask for another one, too.
TEST(MadeOnce, AMakerMayAskForAnotherOne)
{
    Numbers numbers(8);
    Maker make;
    const Made made = numbers.get(1, [&] { return std::make_shared<int>(1 + *numbers.get(2, make(20))); });
    EXPECT_EQ(*made, 21);
    EXPECT_EQ(*numbers.get(2, nothing_to_make), 20);
}

TEST(MadeOnce, WhereAMakerThrowsTheNextOneTriesAgain)
{
    Numbers numbers(8);
    Maker make;
    for (int round = 0; round < 3; round++)
        EXPECT_THROW(numbers.get(1, []() -> Made { throw std::runtime_error("not now"); }), std::runtime_error);
    EXPECT_EQ(*numbers.get(1, make(10)), 10);
    EXPECT_EQ(*numbers.get(1, nothing_to_make), 10);
}

// Who waited for one whose maker throws makes it, and whoever asks meanwhile or later gets that one.
TEST(MadeOnce, WhoWaitedForWhatWasNotMadeMakesIt)
{
    Numbers numbers(8);
    SlowFailure failing(numbers);
    Maker make;
    auto waiting = std::async(std::launch::async, [&] { return numbers.get(1, make(10)); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(make.made, 0);
    failing.fail();
    const Made made = waiting.get();
    EXPECT_EQ(*made, 10);
    EXPECT_EQ(make.made, 1);
    EXPECT_EQ(numbers.get(1, nothing_to_make), made);
}

TEST(MadeOnce, WhatNobodyCouldMakePushesNothingOut)
{
    Numbers numbers(2);
    Maker make;
    const Made two = numbers.get(2, make(20));
    SlowFailure failing(numbers);
    auto waiting = std::async(std::launch::async, [&] {
        EXPECT_THROW(numbers.get(1, []() -> Made { throw std::runtime_error("not now, either"); }), std::runtime_error);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    failing.fail();
    waiting.get();
    numbers.get(3, make(30));
    EXPECT_EQ(numbers.get(2, nothing_to_make), two);
}

TEST(MadeOnce, WhatIsDroppedIsMadeAgainAndStaysWithWhoHoldsIt)
{
    Numbers numbers(8);
    Maker make;
    const Made one = numbers.get(1, make(10)), two = numbers.get(2, make(20)), three = numbers.get(3, make(30));
    numbers.drop([](int key) { return key != 2; });
    EXPECT_EQ(*one, 10);
    EXPECT_EQ(one.use_count(), 1) << "nobody else holds it";
    EXPECT_EQ(two.use_count(), 2);
    EXPECT_EQ(numbers.get(2, nothing_to_make), two);
    EXPECT_EQ(*numbers.get(1, make(11)), 11);
    EXPECT_EQ(*numbers.get(3, make(31)), 31);
    numbers.drop([](int) { return true; });
    EXPECT_EQ(*numbers.get(2, make(22)), 22);
    EXPECT_EQ(*two, 20);
}

// What is dropped while it is made is not kept, but whoever waits for it gets it.
TEST(MadeOnce, MayBeDroppedWhileItIsMade)
{
    Numbers numbers(8);
    SlowMaker slow(numbers);
    numbers.drop([](int) { return true; });
    Maker make;
    EXPECT_EQ(*numbers.get(1, make(11)), 11);
    EXPECT_EQ(*slow.made(), 10);
    EXPECT_EQ(*numbers.get(1, nothing_to_make), 11);
}

TEST(MadeOnce, OfMoreThanTheMostTheOneAskedForTheLongestTimeAgoIsLetGo)
{
    Numbers numbers(3);
    Maker make;
    const Made one = numbers.get(1, make(10)), two = numbers.get(2, make(20)), three = numbers.get(3, make(30));
    EXPECT_EQ(numbers.get(1, nothing_to_make), one);
    const Made four = numbers.get(4, make(40)); // instead of 2
    EXPECT_EQ(two.use_count(), 1);
    EXPECT_EQ(numbers.get(1, nothing_to_make), one);
    EXPECT_EQ(numbers.get(3, nothing_to_make), three);
    EXPECT_EQ(numbers.get(4, nothing_to_make), four);
    EXPECT_EQ(*numbers.get(2, make(21)), 21); // instead of 1
    EXPECT_EQ(one.use_count(), 1);
    EXPECT_EQ(*one, 10) << "whoever holds it can go on using it";
    for (int key = 100; key < 200; key++)
        numbers.get(key, make(key));
    EXPECT_EQ(three.use_count(), 1);
    EXPECT_EQ(make.made, 5 + 100);
}

TEST(MadeOnce, ManyThreadsGetTheSame)
{
    Numbers numbers(16);
    Maker make;
    std::vector<Made> first(16);
    std::vector<std::vector<Made>> seen(8);
    at_once(8, [&](std::size_t thread) {
        for (int i = 0; i < 1600; i++) {
            const int key = (i + static_cast<int>(thread)) % 16;
            seen[thread].push_back(numbers.get(key, make(key)));
            EXPECT_EQ(*seen[thread].back(), key);
        }
    });
    EXPECT_EQ(make.made, 16);
    for (int key = 0; key < 16; key++)
        first[static_cast<std::size_t>(key)] = numbers.get(key, nothing_to_make);
    for (const auto& mine : seen)
        for (const auto& each : mine)
            EXPECT_EQ(each, first[static_cast<std::size_t>(*each)]);
}
