// How the tuner's work ends.
#pragma once

namespace clgemm::tune {

// The program's exit status after work that has done what there was time for. Where that was interrupted, a line on standard
// error says so.
int exit_status();

// Ends the process as one that failed. Where a thread hangs, nothing can be taken down in order.
[[noreturn]] void end_at_once();

} // namespace clgemm::tune
