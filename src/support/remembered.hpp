// Results that were worked out once. A key holds all that its result depends on. Threads may ask at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace clgemm::core {

template <typename Value, std::size_t words> class Remembered {
public:
    using Key = std::array<std::uint64_t, words>;

    // When there are more than `most`, all are forgotten and learnt again.
    explicit Remembered(std::size_t most) : most_(most) {}

    std::shared_ptr<const Value> find(const Key& key) const
    {
        const std::lock_guard lock(mutex_);
        const auto found = known_.find(key);
        return found == known_.end() ? nullptr : found->second;
    }

    void keep(const Key& key, std::shared_ptr<const Value> value)
    {
        Map dropped; // freed after the lock
        const std::lock_guard lock(mutex_);
        if (known_.size() >= most_)
            dropped.swap(known_);
        known_[key] = std::move(value);
    }

private:
    struct Hash {
        std::size_t operator()(const Key& key) const
        {
            std::uint64_t result = 0;
            for (const auto word : key)
                result = (result ^ word) * 0x9e3779b97f4a7c15U; // spreads the bits (the golden ratio)
            return result ^ result >> 32;
        }
    };
    using Map = std::unordered_map<Key, std::shared_ptr<const Value>, Hash>;

    const std::size_t most_;
    mutable std::mutex mutex_;
    Map known_;
};

} // namespace clgemm::core
