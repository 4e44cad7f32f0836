// The line that shows how far the tuner is, on standard error.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace clgemm::tune {

class Progress {
public:
    explicit Progress(double budget_seconds);

    double seconds_left() const;
    void show(std::size_t tried, std::size_t unusable, const std::string& text);
    void end(); // leaves the line

private:
    double budget_;
    bool terminal_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    double shown_ = -1; // seconds, when a log last got a line
};

} // namespace clgemm::tune
