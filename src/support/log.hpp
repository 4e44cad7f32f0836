// The line that CLGEMM_LOG=1 prints for each call.
#pragma once

#include <exception>
#include <string>

namespace clgemm::core {

bool is_logging();
void write_log_line(const std::string& line);

// Writes the text to standard error. It is only made if anybody wants it; where there is no memory for it, there is no line.
template <typename Text> void log_line(const Text& text) noexcept
{
    try {
        if (is_logging())
            write_log_line(text());
    } catch (const std::exception&) {
        return;
    }
}

} // namespace clgemm::core
