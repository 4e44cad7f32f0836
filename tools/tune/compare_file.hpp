// clgemm-tune --compare: what a tuning file would change, on the calls of the user's choice.
#pragma once

#include "tune/asked.hpp"

namespace clgemm::tune {

// Returns the program's exit status. Throws std::runtime_error where the file cannot be used.
int compare_file(const Asked& asked);

} // namespace clgemm::tune
