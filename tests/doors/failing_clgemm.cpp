// A libclgemm that fails: linked before the real one, it gets the calls. It fails them with the status that FAILING_STATUS
// gives, and at its end it tells on standard error how often it was called.
#include "clgemm/clgemm.h"

#include <CL/cl.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace {

struct CallsToldAtTheEnd {
    std::atomic<long> count{0};
    ~CallsToldAtTheEnd() { std::fprintf(stderr, "failing clgemm: %ld calls\n", count.load()); }
} calls;

} // namespace

clgemm_status clgemm_sgemm_host(clgemm_layout, clgemm_transpose, clgemm_transpose, size_t, size_t, size_t, float,
                                const float*, size_t, const float*, size_t, float, float*, size_t, cl_command_queue)
{
    calls.count++;
    return std::atoi(std::getenv("FAILING_STATUS"));
}

clgemm_status clgemm_sgemm_host_strided_batched(clgemm_layout, clgemm_transpose, clgemm_transpose, size_t, size_t, size_t,
                                                float, const float*, size_t, size_t, const float*, size_t, size_t, float,
                                                float*, size_t, size_t, size_t, cl_command_queue)
{
    calls.count++;
    return std::atoi(std::getenv("FAILING_STATUS"));
}

const char* clgemm_last_error()
{
    return "it was told to fail";
}
