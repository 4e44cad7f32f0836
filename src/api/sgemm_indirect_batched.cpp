// clgemm_sgemm_indirect_batched() and its form with options: many products of one shape, whose places and factors stand in
// a list in the device's memory.
#include "api/enqueue.hpp"
#include "api/guard.hpp"

#include "kernels/arguments.h"

#include <cstddef>

using namespace clgemm::core;
using kernel_arguments::Product;

// The caller's kernels write a list of one type, and the library's kernels read it as the other.
static_assert(sizeof(clgemm_product) == sizeof(Product) && offsetof(clgemm_product, offA) == offsetof(Product, offA) &&
              offsetof(clgemm_product, offB) == offsetof(Product, offB) &&
              offsetof(clgemm_product, offC) == offsetof(Product, offC) &&
              offsetof(clgemm_product, alpha) == offsetof(Product, alpha) &&
              offsetof(clgemm_product, beta) == offsetof(Product, beta));

extern "C" {

clgemm_status clgemm_sgemm_indirect_batched(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                            size_t n, size_t k, cl_mem A, size_t lda, cl_mem B, size_t ldb, cl_mem C,
                                            size_t ldc, cl_mem products, size_t first, size_t count, cl_command_queue queue,
                                            cl_uint numWait, const cl_event* waitList, cl_event* event)
{
    return clgemm_sgemm_indirect_batched_ex(layout, transA, transB, m, n, k, A, lda, B, ldb, C, ldc, products, first, count,
                                            queue, numWait, waitList, event, nullptr);
}

clgemm_status clgemm_sgemm_indirect_batched_ex(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB,
                                               size_t m, size_t n, size_t k, cl_mem A, size_t lda, cl_mem B, size_t ldb,
                                               cl_mem C, size_t ldc, cl_mem products, size_t first, size_t count,
                                               cl_command_queue queue, cl_uint numWait, const cl_event* waitList,
                                               cl_event* event, const clgemm_options* options)
{
    return guarded([&] {
        Arguments arguments{layout, transA, transB, m, n, k, 1, 0, lda, 0, ldb, 1, 0, ldc};
        arguments.batch = {count, true, first};
        Buffers buffers{A, B, C};
        buffers.list = products;
        enqueue(arguments, buffers, {queue, numWait, waitList, event, options});
    });
}

} // extern "C"
