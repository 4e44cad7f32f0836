// Things that are costly to make, kept between calls: a call takes one, and gives it back for the next.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace clgemm::core {

template <typename T> class Idle {
public:
    // Keeps at most so many.
    explicit Idle(std::size_t most) : most_(most) { kept_.reserve(most); }

    // One that is kept, or a new one from make().
    template <typename Make> T take(const Make& make)
    {
        if (std::optional<T> kept = take_kept())
            return *std::move(kept);
        return make();
    }

    // Do not give back what is in an unknown state: it would spoil another call.
    void keep(T thing) noexcept
    {
        const std::lock_guard lock(mutex_);
        if (kept_.size() < most_)
            kept_.push_back(std::move(thing)); // there is room, so that this allocates nothing
    }

private:
    std::optional<T> take_kept()
    {
        const std::lock_guard lock(mutex_);
        if (kept_.empty())
            return std::nullopt;
        std::optional<T> last(std::move(kept_.back()));
        kept_.pop_back();
        return last;
    }

    const std::size_t most_;
    std::mutex mutex_;
    std::vector<T> kept_;
};

} // namespace clgemm::core
