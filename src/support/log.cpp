#include "support/log.hpp"

#include "support/environment.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <shared_mutex>

namespace clgemm::core {
namespace {

// The caller's. Never destroyed, so that static destructors may log.
struct Receiver {
    std::mutex gate;         // held while the receiver is changed, so that no other call gets in before
    std::shared_mutex mutex; // shared by the calls that are in the function
    LogFunction function = nullptr;
    void* user = nullptr;
    std::atomic<bool> is_there = false; // what every call looks at
};

Receiver& receiver()
{
    static auto* const process = new Receiver;
    return *process;
}

// A line may quote text of several lines, such as a variable's value or a compiler's message. Readers of the log take each
// line for one message.
std::string on_one_line(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](char letter) { return letter == '\n' || letter == '\r'; }, ' ');
    return text;
}

void write(const std::string& text, bool else_to_standard_error)
{
    const std::string line = on_one_line(text);
    Receiver& to = receiver();
    std::unique_lock before(to.gate);
    const std::shared_lock lock(to.mutex);
    before.unlock();
    if (to.function)
        to.function(line.c_str(), to.user);
    else if (else_to_standard_error)
        std::fprintf(stderr, "clgemm: %s\n", line.c_str()); // one call, so that threads' lines do not mix
}

} // namespace

bool is_logging()
{
    return receiver().is_there.load(std::memory_order_relaxed) || environment().log;
}

void write_log_line(const std::string& line)
{
    write(line, environment().log); // a caller's function may have gone since is_logging() was asked
}

void write_warning(const std::string& line)
{
    write(line, true);
}

void send_log_to(LogFunction function, void* user)
{
    Receiver& to = receiver();
    const std::lock_guard nobody_else(to.gate); // held while this waits for calls that are in the function
    const std::lock_guard lock(to.mutex);
    to.function = function;
    to.user = user;
    to.is_there = function != nullptr;
}

} // namespace clgemm::core
