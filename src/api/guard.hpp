// The border of the library: no exception passes it. What was thrown becomes a status and clgemm_last_error()'s text. (What
// unwinds a cancelled thread does pass, but before anything is done.)
#pragma once

#include "support/floating_point.hpp"
#include "support/process.hpp"

#include "clgemm/clgemm.h"

namespace clgemm::core {

// The status of the exception that is being handled. Its text is kept for last_error().
clgemm_status status_of_current_exception() noexcept;

// Runs `body`, which asks nothing of OpenCL, and returns CLGEMM_SUCCESS, or the status of what it threw.
template <typename Body> clgemm_status guarded_without_opencl(const Body& body)
{
    const WithoutCancellation from_here;
    const UsualFloatingPoint meanwhile;
    try {
        body();
        return CLGEMM_SUCCESS;
    } catch (...) {
        return status_of_current_exception();
    }
}

// Throws in a child of the process that used OpenCL, where a driver's call might never return.
void refuse_forked_child();

// The same for a body that asks OpenCL.
template <typename Body> clgemm_status guarded(const Body& body)
{
    return guarded_without_opencl([&] {
        refuse_forked_child();
        body();
    });
}

// This thread's last failure, as a sentence.
const char* last_error();

} // namespace clgemm::core
