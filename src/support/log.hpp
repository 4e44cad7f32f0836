// What the library tells of its work: a line for each call, if the caller wants them, and warnings. It goes to standard
// error or to a function of the caller's.
#pragma once

#include <exception>
#include <string>

namespace clgemm::core {

// By CLGEMM_LOG=1 or to the caller's function.
bool is_logging();
void write_log_line(const std::string& line);
// What is said whether anybody asks or not.
void write_warning(const std::string& line);

// As clgemm_set_log() takes it; null: standard error. Returns when nobody is in the former function any more.
using LogFunction = void (*)(const char* line, void* user);
void send_log_to(LogFunction function, void* user);

// Writes the text where the log goes. It is only made if anybody wants it; where there is no memory for it, there is no
// line.
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
