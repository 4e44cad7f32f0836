// clgemm-tune without --compare and --calls: finds the fastest kernels for a device.
#pragma once

#include "tune/asked.hpp"

namespace clgemm::tune {

// Returns the program's exit status. Throws where nothing was found, or where it cannot be written. Where the work hangs,
// the process ends here.
int tune_device(const Asked& asked);

} // namespace clgemm::tune
