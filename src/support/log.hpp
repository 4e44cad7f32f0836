// What the library tells of its work: a line for each call, if the caller wants them, and warnings. It goes to standard
// error or to a function of the caller's.
#pragma once

#include <exception>
#include <string>

namespace clgemm::core {

// Does anybody want a log, by CLGEMM_LOG=1 or by a function of the caller's?
bool is_logging();
void write_log_line(const std::string& line);
// Writes a line whether anybody wants a log or not.
void write_warning(const std::string& line);

// Sends the log to this function, as clgemm_set_log() does; null: to standard error. Returns when no call is in the former
// function any more.
using LogFunction = void (*)(const char* line, void* user);
void send_log_to(LogFunction function, void* user);

// Writes what text() returns. It is called only if anybody wants a log; where there is no memory for the line, none is
// written.
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
