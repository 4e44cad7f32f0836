#include "api/guard.hpp"

#include "support/environment.hpp"
#include "support/error.hpp"
#include "support/opencl.hpp"

#include <cstdio>
#include <exception>
#include <new>

namespace clgemm::core {
namespace {

// Plain memory, which outlives the thread's destructors and needs no allocation. A longer text, such as a compiler's log, is
// cut.
thread_local char last_error_text[4096];

clgemm_status fail(clgemm_status status, const char* what, const char* more = "") noexcept
{
    std::snprintf(last_error_text, sizeof last_error_text, "%s%s%s", what, *more ? ": " : "", more);
    return status;
}

} // namespace

clgemm_status status_of_current_exception() noexcept
{
    try {
        throw;
    } catch (const Error& error) {
        const bool is_told = *error.what() != '\0'; // otherwise there was no memory for the text
        return fail(error.status(), is_told ? error.what() : clgemm_status_string(error.status()));
    } catch (const EnvironmentError& error) {
        return fail(CLGEMM_INVALID_ENVIRONMENT, error.what());
    } catch (const cl::Error& error) {
        return fail(error.err(), error.what(), clgemm_status_string(error.err()));
    } catch (const std::bad_alloc&) {
        return fail(CL_OUT_OF_HOST_MEMORY, clgemm_status_string(CL_OUT_OF_HOST_MEMORY));
    } catch (const std::exception& error) {
        return fail(CLGEMM_INTERNAL_ERROR, error.what());
    } catch (...) {
        return fail(CLGEMM_INTERNAL_ERROR, "unknown exception");
    }
}

void refuse_forked_child()
{
    if (is_forked_since_first_asked())
        throw Error(CLGEMM_FORKED_CHILD, "this process was forked from one that had called clgemm, and OpenCL's drivers do "
                                         "not work in such a child: let it start a program (exec), or fork before the "
                                         "first call");
}

const char* last_error()
{
    return last_error_text;
}

} // namespace clgemm::core
