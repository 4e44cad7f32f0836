// The names of all status codes, and what the library's own codes mean.
#pragma once

#include "clgemm/clgemm.h"

namespace clgemm::core {

const char* status_text(clgemm_status status);

} // namespace clgemm::core
