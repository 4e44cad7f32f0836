// clgemm_sgemm_batched() and its form with options: many products of one shape, whose places are listed.
#include "api/enqueue.hpp"
#include "api/guard.hpp"

using namespace clgemm::core;

extern "C" {

clgemm_status clgemm_sgemm_batched(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                   size_t n, size_t k, size_t numScalars, const float* alpha, cl_mem A, const size_t* offsA,
                                   size_t lda, cl_mem B, const size_t* offsB, size_t ldb, const float* beta, cl_mem C,
                                   const size_t* offsC, size_t ldc, size_t count, cl_command_queue queue, cl_uint numWait,
                                   const cl_event* waitList, cl_event* event)
{
    return clgemm_sgemm_batched_ex(layout, transA, transB, m, n, k, numScalars, alpha, A, offsA, lda, B, offsB, ldb, beta, C,
                                   offsC, ldc, count, queue, numWait, waitList, event, nullptr);
}

clgemm_status clgemm_sgemm_batched_ex(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                      size_t n, size_t k, size_t numScalars, const float* alpha, cl_mem A,
                                      const size_t* offsA, size_t lda, cl_mem B, const size_t* offsB, size_t ldb,
                                      const float* beta, cl_mem C, const size_t* offsC, size_t ldc, size_t count,
                                      cl_command_queue queue, cl_uint numWait, const cl_event* waitList, cl_event* event,
                                      const clgemm_options* options)
{
    return guarded([&] {
        enqueue(ProductList{{layout, transA, transB, m, n, k, 1, 0, lda, 0, ldb, 0, 0, ldc},
                            count,
                            alpha,
                            beta,
                            numScalars,
                            offsA,
                            offsB,
                            offsC},
                {A, B, C}, {queue, numWait, waitList, event, options});
    });
}

} // extern "C"
