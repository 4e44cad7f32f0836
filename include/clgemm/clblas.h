/** @file
 * clBLAS's SGEMM, computed by clgemm: the names, argument order, enumerators and status codes of clBLAS 2.12, for programs
 * that are written against clBLAS.h. Include this instead and link libclgemm_clblas instead of libclBLAS; or change nothing
 * and load libclgemm_clblas at run time (docs/porting.md).
 *
 * The library also has clBLAS's other routines, for programs that call them. Each goes on to the real libclBLAS if there
 * is one, and otherwise returns clblasNotImplemented. Only the real clBLAS.h declares them.
 */

/* clBLAS's own guard: the first of the two headers that a program includes counts. */
#ifndef CLBLAS_H_
#define CLBLAS_H_

#include <stddef.h>

/* The program may choose its OpenCL version. If it has not chosen, OpenCL's headers declare everything, as they do by
 * themselves, and the functions of OpenCL 1 that programs for clBLAS use give no warnings. */
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#endif
#if defined(__APPLE__)
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** How matrices lie in memory. */
typedef enum clblasOrder_ {
    clblasRowMajor,   /**< element (i, j) at i * ld + j */
    clblasColumnMajor /**< element (i, j) at j * ld + i */
} clblasOrder;

/** op(X). For real matrices the conjugate transpose is the transpose. */
typedef enum clblasTranspose_ { clblasNoTrans, clblasTrans, clblasConjTrans } clblasTranspose;

/** OpenCL's codes have their own values. Functions may also return codes of OpenCL's that have no name here. */
typedef enum clblasStatus_ {
    clblasSuccess = CL_SUCCESS,
    clblasInvalidValue = CL_INVALID_VALUE,                   /**< an enumerator that is none, or no queues */
    clblasInvalidCommandQueue = CL_INVALID_COMMAND_QUEUE,    /**< a queue is null, or none */
    clblasInvalidContext = CL_INVALID_CONTEXT,               /**< a queue is of another context than the first */
    clblasInvalidMemObject = CL_INVALID_MEM_OBJECT,          /**< a buffer is of another context than the queue */
    clblasInvalidDevice = CL_INVALID_DEVICE,                 /**< (never from SGEMM) */
    clblasInvalidEventWaitList = CL_INVALID_EVENT_WAIT_LIST, /**< count and list disagree, or an event in it is wrong */
    clblasOutOfResources = CL_OUT_OF_RESOURCES,
    clblasOutOfHostMemory = CL_OUT_OF_HOST_MEMORY,
    clblasInvalidOperation = CL_INVALID_OPERATION, /**< an error without a code here; clgemm_last_error() has the words */
    clblasCompilerNotAvailable = CL_COMPILER_NOT_AVAILABLE,
    clblasBuildProgramFailure = CL_BUILD_PROGRAM_FAILURE,

    clblasNotImplemented = -1024, /**< a routine that clgemm does not have, and no real clBLAS is there */
    clblasNotInitialized,         /**< clblasSetup() has not been called */
    clblasInvalidMatA,            /**< A is null or not a buffer */
    clblasInvalidMatB,
    clblasInvalidMatC,
    clblasInvalidVecX, /**< (vectors: never from SGEMM) */
    clblasInvalidVecY,
    clblasInvalidDim,      /**< M or N is 0 */
    clblasInvalidLeadDimA, /**< lda is less than the length of a row (row-major) or column (column-major) of A as stored */
    clblasInvalidLeadDimB,
    clblasInvalidLeadDimC,
    clblasInvalidIncX,
    clblasInvalidIncY,
    clblasInsufficientMemMatA, /**< the buffer A ends before the matrix does */
    clblasInsufficientMemMatB,
    clblasInsufficientMemMatC,
    clblasInsufficientMemVecX,
    clblasInsufficientMemVecY
} clblasStatus;

/** Writes the version of clBLAS whose interface this is, 2.12.0. It skips null pointers. Always clblasSuccess.
 * Thread-safe, at any time. Follows: clBLAS. */
clblasStatus clblasGetVersion(cl_uint* major, cl_uint* minor, cl_uint* patch);

/** Call it before any other routine; calls after the first do nothing. It also sets up the real clBLAS if there is one, and
 * then returns its status, otherwise clblasSuccess. Not from several threads at once. Follows: clBLAS. */
clblasStatus clblasSetup(void);

/** Drops what clgemm keeps for all contexts, and tears down the real clBLAS if there is one. clblasSetup() may follow.
 * Does nothing without a clblasSetup() before. Operations under way finish undisturbed. Not from several threads at once.
 * Follows: clBLAS. */
void clblasTeardown(void);

/** C = alpha * op(A) * op(B) + beta * C on device buffers, asynchronously. op(A) is M x K, op(B) is K x N, C is M x N.
 *
 * @param order row- or column-major, for all three matrices
 * @param transA,transB op()
 * @param M,N,K sizes in elements, of any magnitude; M and N at least 1. K = 0 or alpha = 0: A and B are not read, and
 *     C = beta * C. (With K = 0, neither A, lda nor B, ldb are looked at.)
 * @param alpha,beta factors of the product and of C as it was
 * @param A,offA,lda the buffer, the element at which the matrix starts, and the elements between the starts of two columns
 *     (column-major) or rows (row-major)
 * @param B,offB,ldb,C,offC,ldc the same. With beta = 0, C is only written
 * @param numCommandQueues,commandQueues at least one queue, all of one context. The first one's device does all the work. On
 *     the others, commands that are enqueued after the call start when the operation is complete
 * @param numEventsInWaitList,eventWaitList the operation starts when these events are complete; 0 and null for none
 * @param events null, or room for one event for each queue. Each is complete when the whole operation is; the caller
 *     releases them
 *
 * Returns clblasSuccess when the work is enqueued, otherwise the code for the first wrong argument, in clBLAS's order:
 * clblasNotInitialized; order, transA or transB (clblasInvalidValue); A, B or C is an image (clblasInvalidMatA, ...); of A,
 * then B, then C: sizes (clblasInvalidDim), leading dimension, buffer, buffer's size; no queues (clblasInvalidValue); a
 * queue (clblasInvalidCommandQueue, clblasInvalidContext); the wait list (clblasInvalidEventWaitList); then OpenCL's codes.
 * On error C is as it was, and `events` is not written. (There is one exception: if OpenCL fails for one of the further
 * queues, the operation has been enqueued already, and takes its course.)
 *
 * Thread-safe. Follows: clBLAS 2.12. */
clblasStatus clblasSgemm(clblasOrder order, clblasTranspose transA, clblasTranspose transB, size_t M, size_t N, size_t K,
                         cl_float alpha, cl_mem A, size_t offA, size_t lda, cl_mem B, size_t offB, size_t ldb, cl_float beta,
                         cl_mem C, size_t offC, size_t ldc, cl_uint numCommandQueues, cl_command_queue* commandQueues,
                         cl_uint numEventsInWaitList, const cl_event* eventWaitList, cl_event* events);

#ifdef __cplusplus
}
#endif

#endif
