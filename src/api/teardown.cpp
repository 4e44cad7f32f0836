// clgemm_teardown(): drops what is kept.
#include "api/guard.hpp"
#include "engine/call_record.hpp"
#include "engine/default_queue.hpp"
#include "engine/device_state.hpp"

using namespace clgemm::core;

extern "C" {

clgemm_status clgemm_teardown(cl_context context)
{
    return guarded([&] {
        drop_device_states(context);
        if (!context)
            drop_default_queue();
        if (CallRecord* const record = call_record())
            record->write();
    });
}

} // extern "C"
