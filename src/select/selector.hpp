// Selections of one device, remembered: a repeated call must not pay for weighing all that could be done.
#pragma once

#include "select/selection.hpp"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace clgemm::core {

class Selector {
public:
    Selector(DeviceProfile device, Tuning tuning) : device_(std::move(device)), tuning_(std::move(tuning)) {}

    // As select(). Threads may ask at once.
    std::shared_ptr<const Selection> choose(const Problem& problem, const Wishes& wishes);

private:
    // All that a selection depends on.
    struct Key {
        std::size_t m, n, k;
        bool trans_a, trans_b, vectors_a, vectors_b;
        Wishes wishes;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };

    const DeviceProfile device_;
    const Tuning tuning_;
    std::mutex mutex_;
    std::unordered_map<Key, std::shared_ptr<const Selection>, Hash> known_;
};

} // namespace clgemm::core
