#include "tools/program/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace clgemm::program {

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

std::string progress_line(double done, const std::string& text, const std::string& detail)
{
    constexpr std::size_t width = 16;
    constexpr std::size_t columns = 79; // of a terminal's 80: the cursor stands in the last one
    const auto bars = static_cast<std::size_t>(std::clamp(done, 0.0, 1.0) * width);
    std::string line = "[";
    line.append(bars, '#').append(width - bars, '.').append("] ").append(text);
    if (!detail.empty())
        line.append("  ").append(detail);
    return line.substr(0, std::min(columns, line.find('\n')));
}

void Progress::show(double done, const std::string& text, const std::string& detail)
{
    constexpr std::chrono::seconds between_lines(10);
    if (terminal_) { // over the last line
        std::fprintf(stderr, "\r\033[K%s", progress_line(done, text, detail).c_str());
        std::fflush(stderr);
        shows_ = true;
    } else if (const auto now = std::chrono::steady_clock::now(); now >= next_) {
        std::fprintf(stderr, "%s\n", progress_line(done, text).c_str());
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
