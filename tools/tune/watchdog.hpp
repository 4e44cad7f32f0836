// Runs work on a device that may hang in a compiler or in a kernel, where nothing can stop it from inside.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

namespace clgemm::tune {

class Watchdog {
public:
    // To be called by the work as it gets on. (A candidate of many calls that takes too long is left by the probe, and the
    // next one is tried.)
    void note_news() { last_news_ = Clock::now(); }

    // Runs the work in a thread of its own. Returns why it ended before its time; empty if it did not. Work that hangs goes
    // on, so that the process must end by stop() (tune/ending.hpp).
    std::string run(const std::function<void()>& work) const;

private:
    using Clock = std::chrono::steady_clock;

    bool has_no_patience() const;

    std::atomic<Clock::time_point> last_news_{Clock::now()};
};

} // namespace clgemm::tune
