#include "api/guard.hpp"

#include "support/error.hpp"
#include "support/opencl.hpp"

#include <new>

namespace clgemm::core {
namespace {

thread_local std::string last_error_text;

clgemm_status fail(clgemm_status status, const std::string& text) noexcept
{
    try {
        last_error_text = text;
    } catch (...) { // no memory for the text: the status must do
    }
    return status;
}

} // namespace

clgemm_status guarded(const std::function<void()>& body) noexcept
{
    try {
        body();
        return CLGEMM_SUCCESS;
    } catch (const Error& error) {
        return fail(error.status(), error.what());
    } catch (const cl::Error& error) {
        try {
            return fail(error.err(), std::string(error.what()) + ": " + clgemm_status_string(error.err()));
        } catch (...) {
            return error.err();
        }
    } catch (const std::bad_alloc&) {
        return fail(CL_OUT_OF_HOST_MEMORY, clgemm_status_string(CL_OUT_OF_HOST_MEMORY));
    } catch (const std::exception& error) {
        return fail(CLGEMM_INTERNAL_ERROR, error.what());
    } catch (...) {
        return fail(CLGEMM_INTERNAL_ERROR, "unknown exception");
    }
}

const std::string& last_error()
{
    return last_error_text;
}

} // namespace clgemm::core
