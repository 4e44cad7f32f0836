/* Stands for the real clBLAS in tests of the door: it computes nothing, but tells that a call has reached it, with all of
 * its arguments. */
#include "clgemm/clblas.h"

static int is_set_up = 0;

clblasStatus clblasGetVersion(cl_uint* major, cl_uint* minor, cl_uint* patch)
{
    *major = *minor = *patch = 99;
    return clblasSuccess;
}

clblasStatus clblasSetup(void)
{
    is_set_up = 1;
    return clblasSuccess;
}

void clblasTeardown(void)
{
    is_set_up = 0;
}

/* Never to be reached. */
clblasStatus clblasSgemm(clblasOrder order, clblasTranspose transA, clblasTranspose transB, size_t M, size_t N, size_t K,
                         cl_float alpha, cl_mem A, size_t offA, size_t lda, cl_mem B, size_t offB, size_t ldb, cl_float beta,
                         cl_mem C, size_t offC, size_t ldc, cl_uint numCommandQueues, cl_command_queue* commandQueues,
                         cl_uint numEventsInWaitList, const cl_event* eventWaitList, cl_event* events)
{
    (void)order, (void)transA, (void)transB, (void)M, (void)N, (void)K, (void)alpha, (void)A, (void)offA, (void)lda, (void)B;
    (void)offB, (void)ldb, (void)beta, (void)C, (void)offC, (void)ldc, (void)numCommandQueues, (void)commandQueues;
    (void)numEventsInWaitList, (void)eventWaitList, (void)events;
    return clblasNotImplemented;
}

clblasStatus clblasDgemm(clblasOrder order, clblasTranspose transA, clblasTranspose transB, size_t M, size_t N, size_t K,
                         cl_double alpha, cl_mem A, size_t offA, size_t lda, cl_mem B, size_t offB, size_t ldb,
                         cl_double beta, cl_mem C, size_t offC, size_t ldc, cl_uint numCommandQueues,
                         cl_command_queue* commandQueues, cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                         cl_event* events);

/* The sum of all arguments, each times its number, or "not initialized". */
clblasStatus clblasDgemm(clblasOrder order, clblasTranspose transA, clblasTranspose transB, size_t M, size_t N, size_t K,
                         cl_double alpha, cl_mem A, size_t offA, size_t lda, cl_mem B, size_t offB, size_t ldb,
                         cl_double beta, cl_mem C, size_t offC, size_t ldc, cl_uint numCommandQueues,
                         cl_command_queue* commandQueues, cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                         cl_event* events)
{
    if (!is_set_up)
        return clblasNotInitialized;
    return (clblasStatus)(1 * (size_t)order + 2 * (size_t)transA + 3 * (size_t)transB + 4 * M + 5 * N + 6 * K +
                          7 * (size_t)alpha + 8 * (size_t)A + 9 * offA + 10 * lda + 11 * (size_t)B + 12 * offB + 13 * ldb +
                          14 * (size_t)beta + 15 * (size_t)C + 16 * offC + 17 * ldc + 18 * (size_t)numCommandQueues +
                          19 * (size_t)commandQueues + 20 * (size_t)numEventsInWaitList + 21 * (size_t)eventWaitList +
                          22 * (size_t)events);
}

cl_ulong clblasAddScratchImage(cl_command_queue queue, size_t width, size_t height, clblasStatus* error);

cl_ulong clblasAddScratchImage(cl_command_queue queue, size_t width, size_t height, clblasStatus* error)
{
    (void)queue, (void)error;
    return width * height;
}
