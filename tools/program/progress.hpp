// The line on standard error that shows how far a program is: on a terminal one that is written over, in a log a new one now
// and then.
#pragma once

#include <chrono>
#include <string>

namespace clgemm::program {

// A bar and these texts, cut to what fits in a terminal of 80 columns. done: from 0 to 1.
std::string progress_line(double done, const std::string& text, const std::string& detail = "");

class Progress {
public:
    Progress();

    // detail: what is only worth telling on a terminal.
    void show(double done, const std::string& text, const std::string& detail = "");

    // Takes the line away, so that something else can be printed where it was.
    void clear();

private:
    bool terminal_;
    bool shows_ = false;
    std::chrono::steady_clock::time_point next_; // when a log gets its next line
};

} // namespace clgemm::program
