// The border of the library: no exception passes it. What was thrown becomes a status and clgemm_last_error()'s text.
#pragma once

#include "clgemm/clgemm.h"

namespace clgemm::core {

// Of the exception that is being handled.
clgemm_status status_of_current_exception() noexcept;

// Runs `body` and returns CLGEMM_SUCCESS, or the status of what it threw.
template <typename Body> clgemm_status guarded(const Body& body) noexcept
{
    try {
        body();
        return CLGEMM_SUCCESS;
    } catch (...) {
        return status_of_current_exception();
    }
}

// This thread's last failure, as a sentence.
const char* last_error();

} // namespace clgemm::core
