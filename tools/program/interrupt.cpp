#include "tools/program/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace clgemm::program {
namespace {

std::atomic<bool> interrupted_once{false};

extern "C" void on_interrupt(int)
{
    interrupted_once = true;
    std::signal(SIGINT, SIG_DFL);
}

} // namespace

void catch_interrupts()
{
    std::signal(SIGINT, on_interrupt);
}

bool is_interrupted()
{
    return interrupted_once;
}

} // namespace clgemm::program
