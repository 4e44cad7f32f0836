#include "tools/program/interrupt.hpp"

#include <atomic>
#include <csignal>

#if !defined(_WIN32)
#include <pthread.h>
#include <signal.h>

#include <thread>
#endif

namespace clgemm::program {
namespace {

std::atomic<bool> interrupted_once{false};

extern "C" void on_interrupt(int)
{
    interrupted_once = true;
    std::signal(SIGINT, SIG_DFL);
}

#if !defined(_WIN32)
// A driver's compiler has a handler of its own while it works: LLVM's removes the files that it writes, so that the program
// which is being built fails. A signal that every thread blocks reaches no handler. One thread waits for it, and lets the
// second one through.
void wait_for_interrupts_alone()
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr); // threads begun from here on inherit it
    std::thread([signals] {
        int signal = 0;
        sigwait(&signals, &signal);
        on_interrupt(signal);
        pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
        for (;;)
            pause();
    }).detach();
}
#endif

} // namespace

void catch_interrupts()
{
    std::signal(SIGINT, on_interrupt);
#if !defined(_WIN32)
    wait_for_interrupts_alone();
#endif
}

bool is_interrupted()
{
    return interrupted_once;
}

} // namespace clgemm::program
