// How the tuner's work ends.
#pragma once

#include <functional>
#include <string>

namespace clgemm::tune {

// The program's exit status after work that has done what there was time for. Where that was interrupted, a line on standard
// error says so.
int exit_status();

// Writes what was found until the failure, since that still holds, and ends the process as one that failed: where a thread
// hangs, nothing can be taken down in order.
[[noreturn]] void stop(const std::string& failure, const std::function<void()>& write);

} // namespace clgemm::tune
