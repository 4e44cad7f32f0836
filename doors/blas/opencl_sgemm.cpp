#include "opencl_sgemm.hpp"

#include "clgemm/clgemm.h"

#include <CL/cl.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>

namespace clgemm::doors {
namespace {

std::atomic<const char*> no_opencl_because{nullptr};
std::atomic<int> failures_in_a_row{0};

void in_forked_child()
{
    no_opencl_because = "a child after fork() uses the CPU";
}

[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, in_forked_child);

clgemm_transpose transpose(char letter)
{
    return letter == 'N' ? CLGEMM_NO_TRANS : letter == 'T' ? CLGEMM_TRANS : CLGEMM_CONJ_TRANS;
}

// Does the failure say nothing of other products? They may be smaller, or have matrices that clgemm takes.
bool is_of_one_product(clgemm_status status)
{
    switch (status) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
    case CLGEMM_OVERFLOW_A:
    case CLGEMM_OVERFLOW_B:
    case CLGEMM_OVERFLOW_C:
    case CLGEMM_OVERLAPPING_C:
    case CLGEMM_INVALID_A:
    case CLGEMM_INVALID_B:
    case CLGEMM_INVALID_C: return true;
    default: return false;
    }
}

void learn_from_failure(clgemm_status status)
{
    static std::atomic_flag was_told;
    if (!was_told.test_and_set())
        std::fprintf(stderr, "clgemm: OpenCL cannot multiply, so that the CPU does: %s (%s)\n", clgemm_last_error(),
                     clgemm_status_string(status));
    if (status == CLGEMM_NO_DEVICE || status == CLGEMM_INVALID_ENVIRONMENT)
        no_opencl_because = "there is no device to use";
    if (!is_of_one_product(status) && ++failures_in_a_row >= 3)
        no_opencl_because = "OpenCL failed three times in a row";
}

// There is no right result to go on with, and no way to tell the caller.
[[noreturn]] void end_process()
{
    std::fprintf(stderr, "clgemm: %s; the program's matrix C cannot be restored\n", clgemm_last_error());
    std::abort();
}

} // namespace

const char* why_no_opencl()
{
    return no_opencl_because;
}

bool opencl_sgemm(const Batch& batch)
{
    const Product& x = batch.first;
    const auto size = [](std::int64_t number) { return static_cast<std::size_t>(number); };
    const clgemm_status status =
        batch.count == 1
            ? clgemm_sgemm_host(CLGEMM_COLUMN_MAJOR, transpose(x.trans_a), transpose(x.trans_b), size(x.m), size(x.n),
                                size(x.k), x.alpha, x.a, size(x.lda), x.b, size(x.ldb), x.beta, x.c, size(x.ldc), nullptr)
            : clgemm_sgemm_host_strided_batched(CLGEMM_COLUMN_MAJOR, transpose(x.trans_a), transpose(x.trans_b), size(x.m),
                                                size(x.n), size(x.k), x.alpha, x.a, size(x.lda), size(batch.distance_a), x.b,
                                                size(x.ldb), size(batch.distance_b), x.beta, x.c, size(x.ldc),
                                                size(batch.distance_c), size(batch.count), nullptr);
    if (status == CLGEMM_INCOMPLETE && x.beta != 0.0f)
        end_process(); // C's old values, which the CPU would need, are lost in part
    if (status == CLGEMM_SUCCESS)
        failures_in_a_row = 0;
    else
        learn_from_failure(status);
    return status == CLGEMM_SUCCESS;
}

} // namespace clgemm::doors
