// What the caller and the environment ask for, checked.
#pragma once

#include "clgemm/clgemm.h"
#include "select/selection.hpp"

namespace clgemm::core {

struct Request {
    Wishes wishes;
    cl_mem workspace = nullptr; // null: the library's pool
};

// Options come before the environment; null: none. Throws CLGEMM_INVALID_OPTIONS, CLGEMM_UNKNOWN_KERNEL,
// CLGEMM_INVALID_MATH, CLGEMM_INVALID_ENVIRONMENT.
Request read_request(const clgemm_options* options);

} // namespace clgemm::core
