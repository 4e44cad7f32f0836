// The border of the library: no exception passes it. What was thrown becomes a status and clgemm_last_error()'s text.
#pragma once

#include "clgemm/clgemm.h"

#include <functional>

namespace clgemm::core {

// Runs `body` and returns CLGEMM_SUCCESS, or the status of what it threw.
clgemm_status guarded(const std::function<void()>& body) noexcept;

// This thread's last failure, as a sentence.
const char* last_error();

} // namespace clgemm::core
