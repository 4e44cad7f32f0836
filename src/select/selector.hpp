// Selections of one device, remembered: a repeated call must not pay for weighing all that could be done.
#pragma once

#include "select/selection.hpp"
#include "support/remembered.hpp"

#include <memory>

namespace clgemm::core {

class Selector {
public:
    Selector(DeviceProfile device, Tuning tuning) : device_(std::move(device)), tuning_(std::move(tuning)) {}

    // As select(). Threads may ask at once.
    std::shared_ptr<const Selection> choose(const Problem& problem, const Wishes& wishes);

    const DeviceProfile& device() const { return device_; }

private:
    const DeviceProfile device_;
    const Tuning tuning_;
    Remembered<Selection, 6> known_{2048}; // 1 MB at most
};

} // namespace clgemm::core
