#include "support/side_by_side.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace clgemm::core {
namespace {

class Jobs {
public:
    Jobs(std::size_t count, const std::function<void(std::size_t)>& job) : count_(count), failed_(count), job_(job) {}

    // Does jobs, as one of the threads, until none is left.
    void work() noexcept
    {
        for (std::size_t mine = next(); mine < count_; mine = next())
            try {
                job_(mine);
            } catch (...) {
                fail(mine, std::current_exception());
            }
    }

    void rethrow() const
    {
        if (failure_)
            std::rethrow_exception(failure_);
    }

private:
    std::size_t next()
    {
        const std::lock_guard lock(mutex_);
        return failure_ || next_ == count_ ? count_ : next_++;
    }

    void fail(std::size_t job, const std::exception_ptr& failure)
    {
        const std::lock_guard lock(mutex_);
        if (job < failed_) {
            failed_ = job;
            failure_ = failure;
        }
    }

    const std::size_t count_;
    std::mutex mutex_;
    std::size_t next_ = 0, failed_; // failed_: the lowest number among those that threw
    std::exception_ptr failure_;
    const std::function<void(std::size_t)>& job_;
};

} // namespace

void side_by_side(std::size_t count, std::size_t most_at_a_time, const std::function<void(std::size_t)>& job)
{
    Jobs jobs(count, job);
    const std::size_t threads =
        std::min({count, most_at_a_time, static_cast<std::size_t>(std::max(1U, std::thread::hardware_concurrency()))});
    std::vector<std::thread> others;
    try {
        while (others.size() + 1 < threads)
            others.emplace_back([&] { jobs.work(); });
    } catch (const std::exception&) {
        // Then there are fewer threads.
    }
    jobs.work();
    for (auto& other : others)
        other.join();
    jobs.rethrow();
}

} // namespace clgemm::core
