#include "tune/watchdog.hpp"

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace clgemm::tune {
namespace {

// For one compilation or call.
constexpr std::chrono::seconds patience{180};

} // namespace

bool Watchdog::has_no_patience() const
{
    return Clock::now() - last_news_.load() > patience;
}

std::string Watchdog::run(const std::function<void()>& work) const
{
    struct State {
        std::mutex mutex;
        std::condition_variable ended;
        bool done = false;
        std::string failure;
    };
    const auto state = std::make_shared<State>(); // outlives this function where the work hangs
    std::thread worker([state, work] {
        std::string failure;
        try {
            work();
        } catch (const std::exception& error) {
            failure = error.what();
        }
        const std::lock_guard lock(state->mutex);
        state->done = true;
        state->failure = failure;
        state->ended.notify_one();
    });
    std::unique_lock lock(state->mutex);
    while (!state->done && !has_no_patience())
        state->ended.wait_for(lock, std::chrono::seconds(1));
    if (!state->done) {
        worker.detach();
        return "a compilation or a call did not end within " + std::to_string(patience.count()) + " seconds";
    }
    lock.unlock();
    worker.join();
    return state->failure;
}

} // namespace clgemm::tune
