// clgemm_set_log(): where the log goes.
#include "api/guard.hpp"
#include "support/log.hpp"

extern "C" clgemm_status clgemm_set_log(clgemm_log_function function, void* user)
{
    return clgemm::core::guarded_without_opencl([&] { clgemm::core::send_log_to(function, user); });
}
