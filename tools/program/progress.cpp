#include "tools/program/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace clgemm::program {

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::show(double done, const std::string& text, const std::string& detail)
{
    constexpr int width = 24;
    constexpr std::chrono::seconds between_lines(10);
    const int bars = static_cast<int>(std::clamp(done, 0.0, 1.0) * width);
    const std::string bar =
        std::string(static_cast<std::size_t>(bars), '#') + std::string(static_cast<std::size_t>(width - bars), '.');
    if (terminal_) { // over the last line, cut to what fits
        std::fprintf(stderr, "\r\033[K[%s] %s  %.60s", bar.c_str(), text.c_str(), detail.c_str());
        std::fflush(stderr);
        shows_ = true;
    } else if (const auto now = std::chrono::steady_clock::now(); now >= next_) {
        std::fprintf(stderr, "[%s] %s\n", bar.c_str(), text.c_str());
        next_ = now + between_lines;
    }
}

void Progress::clear()
{
    if (shows_)
        std::fprintf(stderr, "\r\033[K");
    shows_ = false;
}

} // namespace clgemm::program
