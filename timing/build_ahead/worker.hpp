// Another process of this program, which does what it is told, one line after the other.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace clgemm::build_ahead {

class Worker {
public:
    // Starts this program once more, with one argument. It reads lines from its standard input, and answers each one that it
    // has done. What it prints goes nowhere, since it may live a moment longer than whoever reads that. None where no
    // process can be started, or where this system is not known to let it (any but Linux).
    static std::optional<Worker> start(const char* argument);

    Worker(Worker&& other) noexcept;
    Worker& operator=(Worker&&) = delete;
    // The process reads the end of its input, and ends by itself. Nobody waits for that.
    ~Worker();

    // Waits for the answer. False if there is none, since the process has ended or was told to.
    bool does(const std::string& line) const;
    // Ends what does() waits for in another thread.
    void tell_to_end() const;

private:
    explicit Worker(int to_it) : socket_(to_it) {}

    int socket_; // -1: moved from
};

// What such a process calls when it has done a line.
void answer();
// To be called at its beginning: it ends so long after its input has ended, even if it hangs in a compiler by then.
void end_after_input(std::chrono::seconds patience);

} // namespace clgemm::build_ahead
