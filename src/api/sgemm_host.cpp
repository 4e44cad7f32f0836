// clgemm_sgemm_host() and clgemm_sgemm_host_ex(): multiplication on host memory.
#include "api/guard.hpp"
#include "host/multiply_on_host.hpp"

using namespace clgemm::core;

extern "C" {

clgemm_status clgemm_sgemm_host(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m, size_t n,
                                size_t k, float alpha, const float* A, size_t lda, const float* B, size_t ldb, float beta,
                                float* C, size_t ldc, cl_command_queue queue)
{
    return clgemm_sgemm_host_ex(layout, transA, transB, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, queue, nullptr);
}

clgemm_status clgemm_sgemm_host_ex(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                   size_t n, size_t k, float alpha, const float* A, size_t lda, const float* B, size_t ldb,
                                   float beta, float* C, size_t ldc, cl_command_queue queue, const clgemm_options* options)
{
    return guarded([&] {
        const Request request = read_request(options);
        const Problem problem = make_problem(
            {layout, transA, transB, m, n, k, alpha, 0, lda, 0, ldb, beta, 0, ldc, {.accuracy = request.accuracy}});
        multiply_on_host(problem, {A, B, C}, queue, request);
    });
}

} // extern "C"
