// clgemm_set_log(): where the log goes.
#include "api/guard.hpp"
#include "support/log.hpp"

extern "C" clgemm_status clgemm_set_log(clgemm_log_function function, void* user)
{
    using namespace clgemm::core;
    return guarded_without_opencl([&] {
        // A child of a process that made calls may have been forked while a thread was in the former function. It then has
        // that thread's lock, but not the thread, and would wait for ever. The child's own calls are refused and log
        // nothing.
        if (!is_forked())
            send_log_to(function, user);
    });
}
