// clgemm_set_log(): where the log goes.
#include "api/guard.hpp"
#include "support/log.hpp"

extern "C" clgemm_status clgemm_set_log(clgemm_log_function function, void* user)
{
    using namespace clgemm::core;
    return guarded_without_opencl([&] {
        // Of a parent that made calls, a child has the lock of who was in the former function, but not the thread that would
        // leave it. Its own calls are refused: they log nothing.
        if (!is_forked())
            send_log_to(function, user);
    });
}
