// The seconds that a search or a comparison may take, as they pass.
#pragma once

#include <chrono>

namespace clgemm::tune {

class Budget {
public:
    explicit Budget(double seconds) : seconds_(seconds) {}

    double left() const
    {
        return seconds_ - std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }
    double share_used() const { return 1 - left() / seconds_; }

private:
    double seconds_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace clgemm::tune
