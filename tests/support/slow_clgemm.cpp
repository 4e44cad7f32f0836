// A libclgemm whose products take five milliseconds longer: its calls go on to the real one, with which it is linked.
#include "clgemm/clgemm.h"

#include <dlfcn.h>

#include <chrono>
#include <thread>

namespace {

template <typename Function> Function* slowly(Function*, const char* name)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace

clgemm_status clgemm_sgemm(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m, size_t n,
                           size_t k, float alpha, cl_mem A, size_t offA, size_t lda, cl_mem B, size_t offB, size_t ldb,
                           float beta, cl_mem C, size_t offC, size_t ldc, cl_command_queue queue, cl_uint numWait,
                           const cl_event* waitList, cl_event* event)
{
    return slowly(clgemm_sgemm, "clgemm_sgemm")(layout, transA, transB, m, n, k, alpha, A, offA, lda, B, offB, ldb, beta, C,
                                                offC, ldc, queue, numWait, waitList, event);
}

clgemm_status clgemm_sgemm_host(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m, size_t n,
                                size_t k, float alpha, const float* A, size_t lda, const float* B, size_t ldb, float beta,
                                float* C, size_t ldc, cl_command_queue queue)
{
    return slowly(clgemm_sgemm_host, "clgemm_sgemm_host")(layout, transA, transB, m, n, k, alpha, A, lda, B, ldb, beta, C,
                                                          ldc, queue);
}
