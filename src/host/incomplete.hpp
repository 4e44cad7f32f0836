// CLGEMM_INCOMPLETE: the failure of a call after some of C in host memory has been written.
#pragma once

#include "clgemm/clgemm.h"
#include "support/error.hpp"

#include <exception>
#include <new>
#include <string>

namespace clgemm::core {

// `what_happened` is the beginning of a sentence that the failure ends. Where there is no memory for the sentence, the error
// has no text, but the same status: nobody may take C for unchanged.
[[noreturn]] inline void throw_incomplete(const char* what_happened, const std::exception& failure)
{
    try {
        throw Error(CLGEMM_INCOMPLETE, std::string(what_happened) + failure.what());
    } catch (const std::bad_alloc&) {
        throw Error(CLGEMM_INCOMPLETE, "");
    }
}

} // namespace clgemm::core
