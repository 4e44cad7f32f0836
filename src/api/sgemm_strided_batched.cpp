// clgemm_sgemm_strided_batched() and its form with options: many products of one shape, at equal distances.
#include "api/enqueue.hpp"
#include "api/guard.hpp"

using namespace clgemm::core;

extern "C" {

clgemm_status clgemm_sgemm_strided_batched(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                           size_t n, size_t k, float alpha, cl_mem A, size_t offA, size_t lda, size_t distA,
                                           cl_mem B, size_t offB, size_t ldb, size_t distB, float beta, cl_mem C,
                                           size_t offC, size_t ldc, size_t distC, size_t count, cl_command_queue queue,
                                           cl_uint numWait, const cl_event* waitList, cl_event* event)
{
    return clgemm_sgemm_strided_batched_ex(layout, transA, transB, m, n, k, alpha, A, offA, lda, distA, B, offB, ldb, distB,
                                           beta, C, offC, ldc, distC, count, queue, numWait, waitList, event, nullptr);
}

clgemm_status clgemm_sgemm_strided_batched_ex(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB,
                                              size_t m, size_t n, size_t k, float alpha, cl_mem A, size_t offA, size_t lda,
                                              size_t distA, cl_mem B, size_t offB, size_t ldb, size_t distB, float beta,
                                              cl_mem C, size_t offC, size_t ldc, size_t distC, size_t count,
                                              cl_command_queue queue, cl_uint numWait, const cl_event* waitList,
                                              cl_event* event, const clgemm_options* options)
{
    return guarded([&] {
        Arguments arguments{layout, transA, transB, m, n, k, alpha, offA, lda, offB, ldb, beta, offC, ldc};
        arguments.batch.count = count;
        arguments.distance_a = distA;
        arguments.distance_b = distB;
        arguments.distance_c = distC;
        enqueue(arguments, {A, B, C}, {queue, numWait, waitList, event, options});
    });
}

} // extern "C"
