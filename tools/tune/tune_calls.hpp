// clgemm-tune --calls: entries for the calls that a program makes.
#pragma once

#include "tune/asked.hpp"

namespace clgemm::tune {

// Returns the program's exit status. Throws where the record cannot be used, or the file cannot be written. Where the work
// hangs, the process ends here.
int tune_calls(const Asked& asked);

} // namespace clgemm::tune
