// clgemm_sgemm_host(), its forms for batches, and all with options: multiplication on host memory.
#include "api/guard.hpp"
#include "host/multiply_list_on_host.hpp"
#include "host/multiply_on_host.hpp"

namespace clgemm::core {
namespace {

// `arguments`: as the caller gave them; their arithmetic is what the options ask for.
void multiply(Arguments arguments, const HostOperands& host, cl_command_queue queue, const clgemm_options* options)
{
    const Request request = read_request(options);
    arguments.arithmetic = request.arithmetic_for(arguments.k);
    multiply_on_host(make_problem(arguments), host, queue, request);
}

} // namespace
} // namespace clgemm::core

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
        multiply({layout, transA, transB, m, n, k, alpha, 0, lda, 0, ldb, beta, 0, ldc}, {A, B, C}, queue, options);
    });
}

clgemm_status clgemm_sgemm_host_strided_batched(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB,
                                                size_t m, size_t n, size_t k, float alpha, const float* A, size_t lda,
                                                size_t distA, const float* B, size_t ldb, size_t distB, float beta, float* C,
                                                size_t ldc, size_t distC, size_t count, cl_command_queue queue)
{
    return clgemm_sgemm_host_strided_batched_ex(layout, transA, transB, m, n, k, alpha, A, lda, distA, B, ldb, distB, beta,
                                                C, ldc, distC, count, queue, nullptr);
}

clgemm_status clgemm_sgemm_host_strided_batched_ex(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB,
                                                   size_t m, size_t n, size_t k, float alpha, const float* A, size_t lda,
                                                   size_t distA, const float* B, size_t ldb, size_t distB, float beta,
                                                   float* C, size_t ldc, size_t distC, size_t count, cl_command_queue queue,
                                                   const clgemm_options* options)
{
    return guarded([&] {
        Arguments arguments{layout, transA, transB, m, n, k, alpha, 0, lda, 0, ldb, beta, 0, ldc};
        arguments.batch.count = count;
        arguments.distance_a = distA;
        arguments.distance_b = distB;
        arguments.distance_c = distC;
        multiply(arguments, {A, B, C}, queue, options);
    });
}

clgemm_status clgemm_sgemm_host_batched(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                        size_t n, size_t k, size_t numScalars, const float* alpha, const float* const* A,
                                        size_t lda, const float* const* B, size_t ldb, const float* beta, float* const* C,
                                        size_t ldc, size_t count, cl_command_queue queue)
{
    return clgemm_sgemm_host_batched_ex(layout, transA, transB, m, n, k, numScalars, alpha, A, lda, B, ldb, beta, C, ldc,
                                        count, queue, nullptr);
}

clgemm_status clgemm_sgemm_host_batched_ex(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                           size_t n, size_t k, size_t numScalars, const float* alpha, const float* const* A,
                                           size_t lda, const float* const* B, size_t ldb, const float* beta, float* const* C,
                                           size_t ldc, size_t count, cl_command_queue queue, const clgemm_options* options)
{
    return guarded([&] {
        const Request request = read_request(options);
        const ProductList list{
            .shape = {layout, transA, transB, m, n, k, 1, 0, lda, 0, ldb, 0, 0, ldc, request.arithmetic_for(k)},
            .count = count,
            .alpha = alpha,
            .beta = beta,
            .scalars = numScalars,
            .offset_a = nullptr,
            .offset_b = nullptr,
            .offset_c = nullptr,
            .by_pointers = true};
        multiply_on_host(list, {A, B, C}, queue, request);
    });
}

} // extern "C"
