// How long something took, for the log.
#pragma once

#include <chrono>
#include <string>

namespace clgemm::core {

class Stopwatch {
public:
    // The time since this was made: "123 ms".
    std::string milliseconds() const
    {
        const auto passed = std::chrono::steady_clock::now() - begin_;
        return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(passed).count()) + " ms";
    }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace clgemm::core
