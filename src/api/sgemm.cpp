// clgemm_sgemm() and clgemm_sgemm_ex(): multiplication on device buffers.
#include "api/enqueue.hpp"
#include "api/guard.hpp"

using namespace clgemm::core;

extern "C" {

clgemm_status clgemm_sgemm(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m, size_t n,
                           size_t k, float alpha, cl_mem A, size_t offA, size_t lda, cl_mem B, size_t offB, size_t ldb,
                           float beta, cl_mem C, size_t offC, size_t ldc, cl_command_queue queue, cl_uint numWait,
                           const cl_event* waitList, cl_event* event)
{
    return clgemm_sgemm_ex(layout, transA, transB, m, n, k, alpha, A, offA, lda, B, offB, ldb, beta, C, offC, ldc, queue,
                           numWait, waitList, event, nullptr);
}

clgemm_status clgemm_sgemm_ex(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m, size_t n,
                              size_t k, float alpha, cl_mem A, size_t offA, size_t lda, cl_mem B, size_t offB, size_t ldb,
                              float beta, cl_mem C, size_t offC, size_t ldc, cl_command_queue queue, cl_uint numWait,
                              const cl_event* waitList, cl_event* event, const clgemm_options* options)
{
    return guarded([&] {
        enqueue(Arguments{layout, transA, transB, m, n, k, alpha, offA, lda, offB, ldb, beta, offC, ldc}, {A, B, C},
                {queue, numWait, waitList, event, options});
    });
}

} // extern "C"
