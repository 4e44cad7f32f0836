// Prepared operands of products on host memory: clgemm_prepare_host(), clgemm_sgemm_host_prepared(), and their forms for
// batches.
#include "api/answers.hpp"
#include "api/guard.hpp"
#include "engine/prepare_operand.hpp"
#include "engine/prepared_call.hpp"
#include "host/multiply_on_host.hpp"

using namespace clgemm::core;

extern "C" {

clgemm_status clgemm_prepare_host(clgemm_layout layout, clgemm_operand operand, clgemm_transpose trans, size_t m, size_t n,
                                  size_t k, const float* X, size_t ldX, cl_command_queue queue,
                                  const clgemm_options* options, clgemm_prepared* prepared)
{
    return clgemm_prepare_host_strided_batched(layout, operand, trans, m, n, k, X, ldX, 0, 1, queue, options, prepared);
}

clgemm_status clgemm_prepare_host_strided_batched(clgemm_layout layout, clgemm_operand operand, clgemm_transpose trans,
                                                  size_t m, size_t n, size_t k, const float* X, size_t ldX, size_t distX,
                                                  size_t count, cl_command_queue queue, const clgemm_options* options,
                                                  clgemm_prepared* prepared)
{
    return guarded([&] {
        must_be_there(prepared, "prepared");
        const OperandToKeep matrix = read_operand(operand, trans, 0, ldX, distX, count);
        Request request = read_request(options);
        request.workspace = nullptr;
        const Arguments typical = typical_products(layout, matrix, m, n, k, request.arithmetic_for(k));
        *prepared = handle_of(prepare_on_host(typical, matrix, X, queue, request));
    });
}

clgemm_status clgemm_sgemm_host_prepared(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                         size_t n, size_t k, float alpha, const float* A, size_t lda,
                                         clgemm_prepared preparedA, const float* B, size_t ldb, clgemm_prepared preparedB,
                                         float beta, float* C, size_t ldc, cl_command_queue queue,
                                         const clgemm_options* options)
{
    return clgemm_sgemm_host_prepared_strided_batched(layout, transA, transB, m, n, k, alpha, A, lda, 0, preparedA, B, ldb,
                                                      0, preparedB, beta, C, ldc, 0, 1, queue, options);
}

clgemm_status clgemm_sgemm_host_prepared_strided_batched(clgemm_layout layout, clgemm_transpose transA,
                                                         clgemm_transpose transB, size_t m, size_t n, size_t k, float alpha,
                                                         const float* A, size_t lda, size_t distA, clgemm_prepared preparedA,
                                                         const float* B, size_t ldb, size_t distB, clgemm_prepared preparedB,
                                                         float beta, float* C, size_t ldc, size_t distC, size_t count,
                                                         cl_command_queue queue, const clgemm_options* options)
{
    return guarded([&] {
        const Request request = read_request(options);
        const Arguments arguments{
            layout,  transA, transB, m,    n, k, alpha, 0, lda, 0, ldb, beta, 0, ldc, request.arithmetic_for(k),
            {count}, distA,  distB,  distC};
        const auto [problem, operands] = read_prepared_call(arguments, preparedA, preparedB);
        multiply_on_host(problem, {A, B, C}, queue, request, operands);
    });
}

} // extern "C"
