// What the caller and the environment ask for, checked.
#pragma once

#include "clgemm/clgemm.h"
#include "problem/problem.hpp"
#include "select/options.hpp"
#include "support/environment.hpp"
#include "support/opencl.hpp"

#include <optional>

namespace clgemm::core {

// What a selection depends on, and what only the call or the query looks at.
struct Request {
    clgemm_math accuracy = CLGEMM_MATH_DEFAULT; // where no error is asked for
    double max_error = 0;                       // of C, as a part of sum |a||b|; 0: none is asked for
    Options options;
    cl_mem workspace = nullptr; // null: the library's pool
    // The caller promises that the addresses of A, B and C are multiples of so many bytes; none: nothing is known of them.
    std::optional<std::size_t> alignment;
    // The problem is one of many that a call has: it is not worth remembering, and is not recorded as a call.
    bool is_of_a_list = false;

    std::size_t workspace_bytes() const; // of the caller's workspace; 0: there is none

    // For dot products of k elements. Throws CLGEMM_MAX_ERROR_TOO_SMALL.
    Arithmetic arithmetic_for(std::size_t k) const;
};

// The arguments of a batch that is listed in the device's memory, with distances that say how far all its offsets are
// aligned: as far as the caller promises.
Arguments of_a_list(Arguments arguments, const Request& request);

// What the environment asks for. Throws EnvironmentError.
Request request_of(const Environment& environment);

// What this process's environment asks for, read at the first call. A bad value throws at every call.
const Request& environment_request();

// Options come before the environment; null: none. Throws CLGEMM_INVALID_OPTIONS, CLGEMM_UNKNOWN_KERNEL,
// CLGEMM_INVALID_MATH, or EnvironmentError.
Request read_request(const clgemm_options* options);

} // namespace clgemm::core
