#include "tune/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace clgemm::tune {

Progress::Progress(double budget_seconds) : budget_(budget_seconds), terminal_(isatty(STDERR_FILENO) == 1) {}

double Progress::seconds_left() const
{
    return budget_ - std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Progress::show(std::size_t tried, std::size_t unusable, const std::string& text)
{
    constexpr int width = 24;
    const double done = std::clamp(1 - seconds_left() / budget_, 0.0, 1.0);
    const auto left = static_cast<int>(std::max(seconds_left(), 0.0));
    const int bars = static_cast<int>(done * width);
    const std::string bar = std::string(static_cast<std::size_t>(bars), '#') + std::string(static_cast<std::size_t>(width - bars), '.');
    if (terminal_) { // over the last line, cut to what fits
        std::fprintf(stderr, "\r\033[K[%s] %d:%02d left, %zu tried, %zu unusable  %.60s", bar.c_str(), left / 60, left % 60,
                     tried, unusable, text.c_str());
    } else if (const double now = budget_ - seconds_left(); shown_ < 0 || now - shown_ >= 10) { // a log: now and then
        shown_ = now;
        std::fprintf(stderr, "[%s] %d:%02d left, %zu tried, %zu unusable\n", bar.c_str(), left / 60, left % 60, tried, unusable);
    }
}

void Progress::end()
{
    if (terminal_)
        std::fputc('\n', stderr);
}

} // namespace clgemm::tune
