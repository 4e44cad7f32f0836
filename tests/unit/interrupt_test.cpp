// What Ctrl-C does to a program. Each test has a process of its own, which the signal may end.
#include "tools/program/interrupt.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <unistd.h>

using clgemm::program::catch_interrupts;
using clgemm::program::is_interrupted;

namespace {

constexpr int missed = 1, of_the_compiler = 2;

void interrupt()
{
    kill(getpid(), SIGINT);
    for (int i = 0; i < 1000 && !is_interrupted(); i++)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

[[noreturn]] void be_interrupted_while_a_compiler_works(int times)
{
    catch_interrupts();
    std::signal(SIGINT, [](int) { std::_Exit(of_the_compiler); });
    for (int i = 0; i < times; i++)
        interrupt();
    std::this_thread::sleep_for(std::chrono::seconds(times > 1 ? 10 : 0)); // for the second one
    std::_Exit(is_interrupted() ? EXIT_SUCCESS : missed);
}

TEST(InterruptDeathTest, DoesNotReachTheHandlerOfADriversCompiler)
{
    EXPECT_EXIT(be_interrupted_while_a_compiler_works(1), testing::ExitedWithCode(EXIT_SUCCESS), "");
}

TEST(InterruptDeathTest, EndsTheProgramWhenItComesTwice)
{
    EXPECT_EXIT(be_interrupted_while_a_compiler_works(2), testing::KilledBySignal(SIGINT), "");
}

} // namespace
