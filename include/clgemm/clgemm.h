/** @file
 * clgemm: single-precision matrix multiplication (SGEMM) on OpenCL devices, with a BLAS-style C API.
 *
 *     C = alpha * op(A) * op(B) + beta * C        op(X) = X, or X transposed
 *
 * op(A) is m x k, op(B) is k x n, C is m x n. The operation, its arguments and its special cases are those of the
 * reference BLAS routine SGEMM (netlib.org/blas); the calling convention on device buffers is clBLAS's and CLBlast's.
 *
 * The shortest correct use, in host memory, on the best device of the machine:
 *
 *     float A[2 * 3] = {1, 2, 3, 4, 5, 6}, B[3 * 2] = {1, 0, 0, 1, 1, 1}, C[2 * 2];
 *     if (clgemm_sgemm_host(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 2, 2, 3,
 *                           1.0f, A, 3, B, 2, 0.0f, C, 2, NULL) != CLGEMM_SUCCESS)
 *         puts(clgemm_last_error()); // else C is now {4, 5, 10, 11}
 *
 * Threads: every function may be called from any number of threads at once, on any mix of queues, contexts and devices.
 * Errors: every function that can fail returns a status; clgemm_last_error() says more. No argument is read past what is
 *         documented, and when a call fails, C is as it was before the call. There are two exceptions: CLGEMM_INCOMPLETE;
 *         and calls that write C by several launches. These compute C in blocks, where the workspace does not hold the
 *         temporaries of all of it; or many products one after the other; or a reproducible product whose k is more than
 *         512. There a driver may refuse a later launch when it has taken the first ones, or memory may run out between
 *         them, which leaves C computed in part.
 * Units: sizes, leading dimensions and offsets count elements (floats); workspace and text sizes count bytes.
 * Lifetimes: when a function returns, the caller may change or free everything in host memory that it was given: options
 * with their strings, wait lists, descriptions, lists of offsets and scalars; and matrices, which are read and written until
 * then and no longer. The caller may also release events of a wait list, buffers, a workspace, the queue and the context,
 * since OpenCL keeps them for as long as enqueued work needs them. What is *in* buffers must stay as it is until the call's
 * event is complete. Texts that functions return live as each of them says; nobody frees them.
 */
#ifndef CLGEMM_CLGEMM_H
#define CLGEMM_CLGEMM_H

#include <stddef.h>

/** @mainpage Multiplying matrices with clgemm
 *
 * | to do this | call |
 * |---|---|
 * | multiply in host memory | clgemm_sgemm_host(), clgemm_sgemm_host_strided_batched(), clgemm_sgemm_host_batched() |
 * | multiply on device buffers | clgemm_sgemm(), and with options clgemm_sgemm_ex() |
 * | many products in one call | clgemm_sgemm_strided_batched(), clgemm_sgemm_batched() |
 * | many products that a kernel lists | clgemm_sgemm_indirect_batched() |
 * | the same matrix again and again | clgemm_prepare(), clgemm_sgemm_prepared(), clgemm_release_prepared() |
 * | the same matrices in many products | clgemm_prepare_strided_batched(), clgemm_sgemm_prepared_strided_batched() |
 * | the same matrix again and again, in host memory | clgemm_prepare_host(), clgemm_sgemm_host_prepared() |
 * | learn what went wrong | clgemm_last_error(), clgemm_status_string() |
 * | learn what a call will do, and need | clgemm_call_explain(), clgemm_call_workspace_size(), clgemm_default_device() |
 * | watch what calls do; list the kernels | clgemm_set_log(); clgemm_kernel_count(), clgemm_kernel_name() |
 * | build kernels beforehand, or give memory back | clgemm_warm_up(), clgemm_teardown() |
 *
 * clgemm.h says what holds for all of them: threads, errors, units and lifetimes. clgemm.hpp has the same for C++, with
 * exceptions and owning objects; clblas.h has clBLAS's interface. */

#define CLGEMM_VERSION_MAJOR 0 /**< of this header's version; clgemm_version() returns the loaded library's */
#define CLGEMM_VERSION_MINOR 2 /**< of this header's version */
#define CLGEMM_VERSION_PATCH 0 /**< of this header's version */

/** @cond */
/* The program may choose its OpenCL version before or after including this header. If it has not chosen yet, all of OpenCL
 * is declared here, without warnings for functions that later versions deprecate, and the choice stays open. */
#if !defined(CL_TARGET_OPENCL_VERSION)
#define CL_TARGET_OPENCL_VERSION 300
#define CLGEMM_LEAVES_OPENCL_VERSION_OPEN
#if !defined(CL_USE_DEPRECATED_OPENCL_1_2_APIS)
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#endif
#if defined(__APPLE__)
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif
#if defined(CLGEMM_LEAVES_OPENCL_VERSION_OPEN)
#undef CL_TARGET_OPENCL_VERSION
#undef CLGEMM_LEAVES_OPENCL_VERSION_OPEN
#endif
/** @endcond */

#if defined(_WIN32) && defined(CLGEMM_BUILDING_SHARED)
#define CLGEMM_API __declspec(dllexport)
#elif defined(_WIN32)
#define CLGEMM_API
#else
#define CLGEMM_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** How matrices lie in memory; the values are CBLAS's. */
typedef enum clgemm_layout {
    CLGEMM_ROW_MAJOR = 101,   /**< element (i, j) at i * ld + j */
    CLGEMM_COLUMN_MAJOR = 102 /**< element (i, j) at j * ld + i */
} clgemm_layout;

/** op(X); the values are CBLAS's. For real matrices the conjugate transpose is the transpose. */
typedef enum clgemm_transpose { CLGEMM_NO_TRANS = 111, CLGEMM_TRANS = 112, CLGEMM_CONJ_TRANS = 113 } clgemm_transpose;

/** Which arithmetic may be used. DEFAULT and STRICT compute each element of op(A) op(B) with an error of at most
 *
 *     (k + 3) * 2^-24 * sum over l of |op(A)(i, l)| |op(B)(l, j)|
 *
 * for k below 2^23 - 2 (and some 2^-149, the smallest float, for each product that underflows). "Any means" includes tensor
 * cores on NVIDIA's A100 and Hopper GPUs (on others from compute capability 8.0 on, if tuning found them faster), and AMX
 * tiles on Intel's CPUs. These multiply each float in three pieces.
 *
 * TF32 and FAST are used only if the caller asks for them. They are faster where tensor cores gain by it (on Hopper GPUs);
 * elsewhere they are the same as DEFAULT. TF32's error is at most
 *
 *     (2^-10 + 2^-14 + (2.5 * k + 3) * 2^-24) * sum over l of |op(A)(i, l)| |op(B)(l, j)|
 *
 * and FAST's
 *
 *     (3 * 2^-22 + (2.5 * k + 3) * 2^-24) * sum over l of |op(A)(i, l)| |op(B)(l, j)|
 *     + 2^-38 * sum over l of (|op(A)(i, l)| max |op(B)(., j)| + max |op(A)(i, .)| |op(B)(l, j)|)
 *
 * since elements below 2^-16 of the largest of their row of op(A), or column of op(B), have fewer than 22 bits.
 *
 * All modes treat NaN and infinity in A and B, and subnormal numbers there, as the plain triple loop does. */
typedef enum clgemm_math {
    CLGEMM_MATH_DEFAULT = 0, /**< as accurate as FP32 arithmetic, by any means */
    CLGEMM_MATH_STRICT = 1,  /**< FP32 multiplications and additions (fused where the device fuses them) only */
    CLGEMM_MATH_TF32 = 2,    /**< A and B may be rounded to 11 bits, as many as a TF32 number has */
    CLGEMM_MATH_FAST = 3,    /**< A and B may be rounded to 22 bits, relatively to the largest of a row or column */
    /** The same bits on every device, by every driver and kernel, in every batch, and for a part of C alone as for all of
     * it: fused multiply-adds in ascending l, in blocks of 512, which are added one after the other (docs/accuracy.md has
     * the loop that defines it). It keeps the bound above, makes every NaN in C the same one, and is refused
     * (CLGEMM_KERNEL_NOT_SUPPORTED) where a device or its compiler cannot do that. */
    CLGEMM_MATH_REPRODUCIBLE = 4
} clgemm_math;

/** 0 is success. Negative codes down to -2999 are OpenCL's own (and its extensions'), passed through as they came.
 * clgemm's lie from -3001 on, apart from OpenCL's and from those of clBLAS and CLBlast. */
typedef int clgemm_status;
enum {
    CLGEMM_SUCCESS = 0,

    CLGEMM_INVALID_LAYOUT = -3001,  /**< layout is not a clgemm_layout */
    CLGEMM_INVALID_TRANS_A = -3002, /**< transA is not a clgemm_transpose */
    CLGEMM_INVALID_TRANS_B = -3003, /**< transB is not a clgemm_transpose */

    CLGEMM_INVALID_LDA = -3011, /**< lda is smaller than the length of A's rows (row-major) or columns (column-major) */
    CLGEMM_INVALID_LDB = -3012, /**< the same of ldb and B */
    CLGEMM_INVALID_LDC = -3013, /**< the same of ldc and C */

    CLGEMM_OVERFLOW_A = -3021, /**< A's offset, sizes and lda reach past what size_t counts in bytes */
    CLGEMM_OVERFLOW_B = -3022, /**< the same of B */
    CLGEMM_OVERFLOW_C = -3023, /**< the same of C */

    CLGEMM_OVERLAPPING_C = -3024, /**< C shares elements with A or B, or two matrices C of a batch do */

    CLGEMM_INVALID_A = -3031, /**< A is null or is not a buffer (or pointer) that the device can read */
    CLGEMM_INVALID_B = -3032, /**< the same of B */
    CLGEMM_INVALID_C = -3033, /**< C is null or is not a buffer (or pointer) that the device can write */

    CLGEMM_INVALID_PRODUCTS = -3034, /**< products is null or is not a buffer that the device can read */

    CLGEMM_A_TOO_SMALL = -3041, /**< the buffer A ends before the matrix does */
    CLGEMM_B_TOO_SMALL = -3042, /**< the same of B */
    CLGEMM_C_TOO_SMALL = -3043, /**< the same of C */

    CLGEMM_PRODUCTS_TOO_SMALL = -3044, /**< the buffer products ends before the list does */

    CLGEMM_WRONG_CONTEXT_A = -3051,        /**< A belongs to another context than the queue */
    CLGEMM_WRONG_CONTEXT_B = -3052,        /**< the same of B */
    CLGEMM_WRONG_CONTEXT_C = -3053,        /**< the same of C */
    CLGEMM_WRONG_CONTEXT_PRODUCTS = -3054, /**< products belongs to another context than the queue */

    CLGEMM_INVALID_QUEUE = -3061, /**< queue is null or not a command queue (as far as the driver can tell handles apart) */
    CLGEMM_INVALID_WAIT_LIST =
        -3062,                      /**< numWait and waitList disagree, or an event is null, invalid or of another context */
    CLGEMM_INVALID_DEVICE = -3063,  /**< device is not an OpenCL device (as far as the driver can tell), or not one of the
                                       context's */
    CLGEMM_INVALID_CONTEXT = -3064, /**< context is not an OpenCL context */
    CLGEMM_INVALID_OPTIONS = -3071, /**< options->size, options->alignment or options->max_error is wrong, max_error and
                                       math are both set, or a field is set that this version does not know */
    CLGEMM_UNKNOWN_KERNEL = -3072,  /**< options->kernel names no kernel of this library, or parameters that it
                                       does not have or that do not fit together */
    CLGEMM_KERNEL_NOT_SUPPORTED = -3073, /**< the device or its driver cannot run the kernel asked for, or it is not as
                                            accurate as math asks */
    CLGEMM_INVALID_MATH = -3074,         /**< options->math is not a clgemm_math */
    CLGEMM_INVALID_WORKSPACE = -3075,    /**< options->workspace is not a writable buffer of the queue's context, does not
                                            begin at a multiple of 128 bytes, or shares memory with A, B, C or products */
    CLGEMM_WORKSPACE_TOO_SMALL = -3076,  /**< options->workspace is smaller than clgemm_sgemm_workspace_size() says */
    CLGEMM_INVALID_CALL = -3077,         /**< a description's size is wrong, or it sets a field that this version does not
                                            know */
    CLGEMM_INVALID_SCALARS = -3078,      /**< numScalars is neither 1 nor count */
    CLGEMM_MAX_ERROR_TOO_SMALL = -3079,  /**< options->max_error is less than FP32 promises for this k */
    CLGEMM_INVALID_POINTER = -3081,      /**< a pointer for a result, or to a list or descriptions of calls, is null; or
                                            what is to be released is no prepared operand */
    CLGEMM_INVALID_ENVIRONMENT = -3091,  /**< CLGEMM_KERNEL, CLGEMM_MATH, CLGEMM_AMX or CLGEMM_DEVICES means nothing */
    CLGEMM_NO_DEVICE = -3092,            /**< no OpenCL device: none installed, or none that CLGEMM_DEVICE names */
    CLGEMM_FORKED_CHILD = -3093,         /**< the process was forked after a call of clgemm (and has not called exec) */
    CLGEMM_INCOMPLETE = -3094,           /**< the device failed when it might have written C in host memory: C may be in
                                            part the result and in part what it was (of a batch, maybe whole products) */
    CLGEMM_INTERNAL_ERROR = -3099,       /**< a defect of clgemm: please report it with clgemm_last_error() */

    CLGEMM_INVALID_OPERAND = -3101,    /**< operand is not a clgemm_operand */
    CLGEMM_INVALID_PREPARED_A = -3102, /**< preparedA is no prepared operand or was released, has other sizes than op(A), is
                                          of several matrices, but of another number than the call has products, or belongs
                                          to another device; or neither operand of a prepared call is prepared */
    CLGEMM_INVALID_PREPARED_B = -3103  /**< the same of preparedB and op(B) */
};

/** What a caller may ask beyond the plain call. Start from CLGEMM_OPTIONS_INIT and set what you need. The structure grows
 * at its end in later versions; `size` tells the library which one the caller was compiled with. */
typedef struct clgemm_options {
    size_t size;            /**< sizeof(clgemm_options), in bytes */
    const char* kernel;     /**< a kernel's name ("09_prefetch") or number ("9"), maybe with some of its parameters behind
                               a colon ("06:TSM=32,WPTM=4"; its source says what they are); NULL: the library chooses */
    clgemm_math math;       /**< which arithmetic may be used; CLGEMM_MATH_DEFAULT: what the variable CLGEMM_MATH asks for */
    cl_mem workspace;       /**< a buffer of the caller's for temporaries, not used by anything else until the call's event
                               is complete; NULL: the library's own pool. It must not share memory with A, B, C or a list of
                               products: a call that sees that it does returns CLGEMM_INVALID_WORKSPACE, and touches nothing.
                               It sees three cases: the same buffer; overlapping sub-buffers of one buffer; and two buffers
                               over the same memory of the host's (CL_MEM_USE_HOST_PTR). Calls that multiply without
                               one check it, too, but for its size */
    size_t workspace_limit; /**< the most bytes of temporaries that the library may choose to take; 0: an eighth of the
                               device's memory. Less may be slower. Kernels 2 to 12, asked for, take what they need; others
                               that are asked for and need more return CL_MEM_OBJECT_ALLOCATION_FAILURE */
    size_t alignment; /**< for the queries, which see no buffers: a power of 2 from 4 on, bytes that the addresses of A, B
                         and C are multiples of; 0: nothing is known. Memory that OpenCL allocated has 128; memory of the
                         host's (CL_MEM_USE_HOST_PTR) has what its pointer has. Calls look at the buffers themselves; but see
                         clgemm_sgemm_indirect_batched() */
    double max_error; /**< instead of math: the largest error of an element of alpha * op(A) * op(B) + beta * C that will do,
                         as a part of |alpha| * sum over l of |op(A)(i, l)| |op(B)(l, j)| + |beta| * |C(i, j)|. The fastest
                         mode that promises it for this k is taken (clgemm_math); CLGEMM_MATH_FAST never, since it promises
                         something else. What underflows, or overflows on the way, is not counted. 0: math decides. (Other
                         values count before the variable CLGEMM_MATH, too.) FP32 promises (k + 3) * 2^-24 for k below
                         2^23 - 2; for larger ones no mode promises anything finite. If that does not do, the call returns
                         CLGEMM_MAX_ERROR_TOO_SMALL, even if other arguments leave nothing to multiply */
} clgemm_options;
/* clang-format off */
/** Options that ask for nothing. */
#define CLGEMM_OPTIONS_INIT { sizeof(clgemm_options), NULL, CLGEMM_MATH_DEFAULT, NULL, 0, 0, 0.0 }
/* clang-format on */

/** C = alpha * op(A) * op(B) + beta * C on device buffers, asynchronously.
 *
 * @param layout row- or column-major, for all three matrices
 * @param transA,transB whether op() transposes
 * @param m,n,k op(A) is m x k, op(B) is k x n, C is m x n; each may be 0
 * @param alpha,beta with beta = 0 C is only written, never read: NaN in C does not survive
 * @param A,offA,lda the buffer, the element at which the matrix starts, and its leading dimension: elements between the
 *     starts of two neighbouring columns (column-major) or rows (row-major). As stored, A is m x k, or k x m when
 *     transposed; lda is at least its number of rows (column-major) or columns (row-major), and at least 1
 * @param B,offB,ldb the same; as stored B is k x n, or n x k when transposed
 * @param C,offC,ldc the same; m x n. Elements outside the m x n window keep their bits. C must not share elements
 *     with A or B. (It may lie in the same buffer, even between their rows or columns: blocks of one matrix are right.)
 *     If they share elements within one buffer, the call sees it, and returns CLGEMM_OVERLAPPING_C. It does not see it if
 *     they share elements through sub-buffers, or through host memory that two buffers have: then C's elements become
 *     anything. In a batch the call compares A, B and C of each product. It mostly does not see that a C shares elements
 *     with the A or B of another product. This is as wrong, since products are computed in any order
 * @param queue in order or out of order; its device does the work. The caller flushes or finishes it, as after OpenCL's own
 *     enqueueing functions
 * @param numWait,waitList the operation starts when these events are complete; 0 and NULL for none
 * @param event if not NULL, receives an event that is complete when the *whole* operation is; the caller releases it. On
 *     error it is left as it was. (Its profiling times are those of the last kernel only: time whole calls on the host.)
 *
 * m = 0 or n = 0: success, nothing is touched; the event is complete when the wait list is. k = 0 or alpha = 0: A and B are
 * not looked at, C = beta * C. (Leading dimensions are checked all the same, and so are offsets and sizes whose last element
 * has no address.) Otherwise NaN and infinity in A and B propagate as in the plain triple loop. How the calling thread
 * rounds, and whether it takes subnormal numbers for zero, makes no difference. Kernels for CPUs multiply sums of parts of k
 * by alpha: what overflows there is infinite. The same inputs on the same device give the same bits (unless its memory is
 * too full for a call's temporaries: such a call is computed without them, and CLGEMM_LOG says so).
 *
 * Returns CLGEMM_SUCCESS when the work is enqueued; CLGEMM_INVALID_*, CLGEMM_*_TOO_SMALL, CLGEMM_OVERFLOW_* or
 * CLGEMM_WRONG_CONTEXT_* for the argument at fault; CLGEMM_OVERLAPPING_C where C shares elements with A or B in one buffer;
 * CLGEMM_KERNEL_NOT_SUPPORTED where CLGEMM_KERNEL or CLGEMM_MATH asks for what the device cannot do; CLGEMM_FORKED_CHILD;
 * OpenCL's code where OpenCL failed (CL_MEM_OBJECT_ALLOCATION_FAILURE when temporaries cannot be had,
 * CL_BUILD_PROGRAM_FAILURE). On error nothing that touches C is enqueued, unless a driver refuses a later one of several
 * launches ("Errors" at the top of this file).
 * Thread-safe. Follows: reference BLAS SGEMM; the form with buffers and events is clBLAS's clblasSgemm. Example, of
 * column-major matrices without gaps:
 *
 *     cl_event done;
 *     if (clgemm_sgemm(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1.0f, A, 0, m, B, 0, k,
 *                      0.0f, C, 0, m, queue, 0, NULL, &done) != CLGEMM_SUCCESS)
 *         puts(clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_sgemm(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                      size_t n, size_t k, float alpha, cl_mem A, size_t offA, size_t lda, cl_mem B,
                                      size_t offB, size_t ldb, float beta, cl_mem C, size_t offC, size_t ldc,
                                      cl_command_queue queue, cl_uint numWait, const cl_event* waitList, cl_event* event);

/** clgemm_sgemm() with options (NULL: none). Also returns CLGEMM_INVALID_OPTIONS, CLGEMM_UNKNOWN_KERNEL,
 * CLGEMM_KERNEL_NOT_SUPPORTED, CLGEMM_INVALID_MATH, CLGEMM_MAX_ERROR_TOO_SMALL, CLGEMM_INVALID_WORKSPACE,
 * CLGEMM_WORKSPACE_TOO_SMALL. Thread-safe. Example, in FP32 arithmetic alone:
 *
 *     clgemm_options options = CLGEMM_OPTIONS_INIT;
 *     options.math = CLGEMM_MATH_STRICT;
 *     if (clgemm_sgemm_ex(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1.0f, A, 0, m, B, 0, k,
 *                         0.0f, C, 0, m, queue, 0, NULL, NULL, &options) != CLGEMM_SUCCESS)
 *         puts(clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_sgemm_ex(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                         size_t n, size_t k, float alpha, cl_mem A, size_t offA, size_t lda, cl_mem B,
                                         size_t offB, size_t ldb, float beta, cl_mem C, size_t offC, size_t ldc,
                                         cl_command_queue queue, cl_uint numWait, const cl_event* waitList, cl_event* event,
                                         const clgemm_options* options);

/** Products of one shape, as many as `count` says, in one call on device buffers, asynchronously. For each i from 0 on
 *
 *     C_i = alpha * op(A_i) * op(B_i) + beta * C_i
 *
 * where A_i begins at element offA + i * distA of its buffer, B_i at offB + i * distB and C_i at offC + i * distC.
 *
 * @param layout,transA,transB,m,n,k,alpha,beta of all products, as clgemm_sgemm() takes them
 * @param A,offA,lda,distA the buffer, where the first matrix starts, the leading dimension of each, and the elements from
 *     the start of one to the start of the next. 0: all products share one A. Any distance will do, also one that is
 *     smaller than a matrix, so that they overlap
 * @param B,offB,ldb,distB the same
 * @param C,offC,ldc,distC the same, but no two matrices C may share elements. Mostly they lie behind one another: distC is
 *     at least what one of them spans, (columns - 1) * ldc + rows (column-major) or (rows - 1) * ldc + columns (row-major).
 *     Or they lie side by side within ldc: row-major, distC is at least n, and ldc at least (count - 1) * distC + n.
 *     Elements between the matrices keep their bits
 * @param count how many products; 0: success, nothing is touched, if the other arguments are right. With 1 the call is
 *     clgemm_sgemm() and no distance counts
 * @param queue,numWait,waitList,event as clgemm_sgemm(): one event covers all products
 *
 * Each product has the special cases of clgemm_sgemm(), and the bits that a single call by the same kernel gives, if its
 * sums are added in the same order. (Some kernels, such as cpu_vector, have two orders.) Nothing is copied to the device for
 * the call's sake. Temporaries are those of one product. On devices that have no kernel for many products at once, there is
 * at least one launch for each.
 *
 * Returns what clgemm_sgemm() returns. CLGEMM_OVERFLOW_* and CLGEMM_*_TOO_SMALL are about all matrices of a batch, and
 * CLGEMM_OVERLAPPING_C is also returned where two matrices C share elements. On error nothing that touches C is enqueued,
 * unless a driver takes some products and refuses a later one. Thread-safe. Follows: cuBLAS's cublasSgemmStridedBatched,
 * CLBlast's GemmStridedBatched. Example, of 16 products of 64 x 100 x 64 whose matrices lie behind one another:
 *
 *     if (clgemm_sgemm_strided_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 64, 100, 64, 1.0f,
 *                                      A, 0, 64, 64 * 64, B, 0, 64, 64 * 100, 0.0f, C, 0, 64, 64 * 100, 16,
 *                                      queue, 0, NULL, NULL) != CLGEMM_SUCCESS)
 *         puts(clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_sgemm_strided_batched(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB,
                                                      size_t m, size_t n, size_t k, float alpha, cl_mem A, size_t offA,
                                                      size_t lda, size_t distA, cl_mem B, size_t offB, size_t ldb,
                                                      size_t distB, float beta, cl_mem C, size_t offC, size_t ldc,
                                                      size_t distC, size_t count, cl_command_queue queue, cl_uint numWait,
                                                      const cl_event* waitList, cl_event* event);

/** clgemm_sgemm_strided_batched() with options (NULL: none); returns what clgemm_sgemm_ex() returns besides, whose example
 * shows how options are given. clgemm_call_workspace_size() says how much workspace the call needs. Thread-safe. */
CLGEMM_API clgemm_status clgemm_sgemm_strided_batched_ex(clgemm_layout layout, clgemm_transpose transA,
                                                         clgemm_transpose transB, size_t m, size_t n, size_t k, float alpha,
                                                         cl_mem A, size_t offA, size_t lda, size_t distA, cl_mem B,
                                                         size_t offB, size_t ldb, size_t distB, float beta, cl_mem C,
                                                         size_t offC, size_t ldc, size_t distC, size_t count,
                                                         cl_command_queue queue, cl_uint numWait, const cl_event* waitList,
                                                         cl_event* event, const clgemm_options* options);

/** Products of one shape whose matrices lie anywhere in their buffers, in one call, asynchronously. For each i from 0 on
 *
 *     C_i = alpha[i] * op(A_i) * op(B_i) + beta[i] * C_i
 *
 * where A_i begins at element offsA[i] of its buffer, B_i at offsB[i] and C_i at offsC[i].
 *
 * @param layout,transA,transB,m,n,k of all products, as clgemm_sgemm() takes them
 * @param numScalars how many alphas and betas there are: 1, which is for all products, or count
 * @param alpha,beta so many factors, in host memory
 * @param A,offsA,lda the buffer, count offsets in host memory, in any order, and the leading dimension of each matrix.
 *     Matrices may be listed more than once, and overlap
 * @param B,offsB,ldb the same
 * @param C,offsC,ldc the same, but no two matrices C may share elements
 * @param count how many products; 0: success, nothing is touched, and no list is looked at
 * @param queue,numWait,waitList,event as clgemm_sgemm(): one event covers all products
 *
 * The lists are read before the call returns, and nothing of them goes to the device. Products that follow one another at
 * equal distances with the same factors are computed as clgemm_sgemm_strided_batched() computes them, also parts of a list;
 * each other product has launches of its own.
 *
 * Returns what clgemm_sgemm_strided_batched() returns, CLGEMM_INVALID_POINTER for a list that is null, and
 * CLGEMM_INVALID_SCALARS. On error nothing that touches C is enqueued, unless a driver takes some products and refuses a
 * later one, or memory runs out between them. Thread-safe. Follows: CLBlast's GemmBatched. Example: three products of
 * 64 x 100 x 64, two of which share B:
 *
 *     const size_t offsA[] = {0, 4096, 20000}, offsB[] = {0, 0, 6400}, offsC[] = {6400, 0, 12800};
 *     const float alpha = 1.0f, beta = 0.0f;
 *     if (clgemm_sgemm_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 64, 100, 64, 1, &alpha,
 *                              A, offsA, 64, B, offsB, 64, &beta, C, offsC, 64, 3, queue, 0, NULL, NULL) !=
 *         CLGEMM_SUCCESS)
 *         puts(clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_sgemm_batched(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB,
                                              size_t m, size_t n, size_t k, size_t numScalars, const float* alpha, cl_mem A,
                                              const size_t* offsA, size_t lda, cl_mem B, const size_t* offsB, size_t ldb,
                                              const float* beta, cl_mem C, const size_t* offsC, size_t ldc, size_t count,
                                              cl_command_queue queue, cl_uint numWait, const cl_event* waitList,
                                              cl_event* event);

/** clgemm_sgemm_batched() with options (NULL: none); returns what clgemm_sgemm_ex() returns besides. A workspace of the
 * caller's is also the limit of what the library chooses to take. The bytes that clgemm_sgemm_workspace_size() tells for
 * one of the products whose alpha is not 0 suffice. Thread-safe. */
CLGEMM_API clgemm_status clgemm_sgemm_batched_ex(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB,
                                                 size_t m, size_t n, size_t k, size_t numScalars, const float* alpha,
                                                 cl_mem A, const size_t* offsA, size_t lda, cl_mem B, const size_t* offsB,
                                                 size_t ldb, const float* beta, cl_mem C, const size_t* offsC, size_t ldc,
                                                 size_t count, cl_command_queue queue, cl_uint numWait,
                                                 const cl_event* waitList, cl_event* event, const clgemm_options* options);

/** One product of the list of clgemm_sgemm_indirect_batched(), 32 bytes. A kernel in OpenCL C may write it as
 *
 *     typedef struct { ulong offA, offB, offC; float alpha, beta; } clgemm_product; */
typedef struct clgemm_product {
    cl_ulong offA;  /**< the element of A at which the product's matrix begins */
    cl_ulong offB;  /**< the same of B */
    cl_ulong offC;  /**< the same of C */
    cl_float alpha; /**< the factor of the product */
    cl_float beta;  /**< the factor of C */
} clgemm_product;

/** Products of one shape whose list lies in the device's memory, in one call, asynchronously. It is for lists that a kernel
 * writes: the host never reads them. For each i from 0 on, with p = products[first + i],
 *
 *     C_i = p.alpha * op(A_i) * op(B_i) + p.beta * C_i
 *
 * where A_i begins at element p.offA of its buffer, B_i at p.offB and C_i at p.offC.
 *
 * @param layout,transA,transB,m,n,k of all products, as clgemm_sgemm() takes them
 * @param A,lda,B,ldb,C,ldc the buffers, and the leading dimension of each matrix
 * @param products,first a buffer of clgemm_product, and the place of the first product in it. The call's kernels read it
 *     when they run. So what writes it comes before the call on an in-order queue, or is in waitList; and what changes it
 *     later waits for event
 * @param count how many products; 0: success, nothing is touched
 * @param queue,numWait,waitList,event as clgemm_sgemm(): one event covers all products
 *
 * Each product has the special cases of clgemm_sgemm(): where alpha is 0, A and B are not looked at, whatever their offsets;
 * where beta is 0, C is not read. Nothing is copied, there are no temporaries, and one launch computes all products (or
 * 65,535 of them, and the next launch as many more). Products are computed in FP32, by kernels that take a list: 01_naive,
 * 13_warp_tiled, small_batch, shallow and cpu_fused.
 *
 * Since nobody sees the offsets beforehand, nobody checks them. Matrices C that share elements with one another, or with an
 * A or B, get anything in these elements, and in those that are computed from them; nothing else is harmed. An offset by
 * which a matrix reaches past its buffer is an error of the program's as in any kernel: other memory is read or written. So
 * is a C that shares memory with the list, whose offsets it overwrites. (All may lie in one buffer, apart from one another.)
 *
 * options->alignment, in the form with options, promises that each matrix of the list begins at a multiple of so many bytes
 * from its buffer's start (0: of 4). Kernels then read vectors; if the promise is broken, results are anything.
 *
 * Returns what clgemm_sgemm() returns but for CLGEMM_OVERLAPPING_C, where CLGEMM_*_TOO_SMALL and CLGEMM_OVERFLOW_* are about
 * a matrix at offset 0; CLGEMM_INVALID_PRODUCTS, CLGEMM_PRODUCTS_TOO_SMALL and CLGEMM_WRONG_CONTEXT_PRODUCTS. Thread-safe.
 * Follows: the indirect commands of Vulkan, which read their arguments from a buffer; cuBLAS's cublasSgemmBatched, whose
 * lists of pointers lie in the device's memory. Example, of a list that an earlier kernel on the queue, which is in order,
 * has written:
 *
 *     if (clgemm_sgemm_indirect_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 64, 100, 64, A, 64,
 *                                       B, 64, C, 64, products, 0, count, queue, 0, NULL, NULL) != CLGEMM_SUCCESS)
 *         puts(clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_sgemm_indirect_batched(clgemm_layout layout, clgemm_transpose transA,
                                                       clgemm_transpose transB, size_t m, size_t n, size_t k, cl_mem A,
                                                       size_t lda, cl_mem B, size_t ldb, cl_mem C, size_t ldc,
                                                       cl_mem products, size_t first, size_t count, cl_command_queue queue,
                                                       cl_uint numWait, const cl_event* waitList, cl_event* event);

/** clgemm_sgemm_indirect_batched() with options (NULL: none); returns what clgemm_sgemm_ex() returns besides, and
 * CLGEMM_KERNEL_NOT_SUPPORTED for a kernel that takes no list. Thread-safe. */
CLGEMM_API clgemm_status clgemm_sgemm_indirect_batched_ex(clgemm_layout layout, clgemm_transpose transA,
                                                          clgemm_transpose transB, size_t m, size_t n, size_t k, cl_mem A,
                                                          size_t lda, cl_mem B, size_t ldb, cl_mem C, size_t ldc,
                                                          cl_mem products, size_t first, size_t count,
                                                          cl_command_queue queue, cl_uint numWait, const cl_event* waitList,
                                                          cl_event* event, const clgemm_options* options);

/** C = alpha * op(A) * op(B) + beta * C on host memory; returns when C holds the result.
 *
 * The arguments up to ldc are cblas_sgemm's, sizes as size_t. Matrices may begin at any address. queue: where to compute;
 * NULL: on the default device (the one CLGEMM_DEVICE names, else a GPU, else an accelerator, else a CPU). The variable
 * CLGEMM_DEVICES lets the default device share the work with others. Earlier commands of an in-order queue come before the
 * call. With an out-of-order queue the caller waits for everything that the call depends on. On a device that shares the
 * host's memory nothing is copied, unless one of the matrices takes more than a third of the device's largest buffer
 * (CL_DEVICE_MAX_MEM_ALLOC_SIZE); and unless the device is no CPU, and C has gaps. Then, and on all other devices, the
 * matrices travel in tiles, by several threads that end with the call, while the device multiplies. They may be larger than
 * its memory, of which the tiles take at most half. Returns what clgemm_sgemm() returns, where CLGEMM_OVERLAPPING_C is about
 * any memory that C shares with A or B; CLGEMM_NO_DEVICE; and CLGEMM_INCOMPLETE, after which C may be in part the result and
 * in part what it was. Thread-safe. Follows: CBLAS cblas_sgemm. Example:
 *
 *     if (clgemm_sgemm_host(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1.0f, A, k, B, n,
 *                           0.0f, C, n, NULL) != CLGEMM_SUCCESS)
 *         puts(clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_sgemm_host(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                           size_t n, size_t k, float alpha, const float* A, size_t lda, const float* B,
                                           size_t ldb, float beta, float* C, size_t ldc, cl_command_queue queue);

/** clgemm_sgemm_host() with options (NULL: none); returns what clgemm_sgemm_ex() returns besides. Thread-safe. Example, for
 * which an error of a ten thousandth is small enough:
 *
 *     clgemm_options options = CLGEMM_OPTIONS_INIT;
 *     options.max_error = 1e-4; // relative to the sum of magnitudes
 *     if (clgemm_sgemm_host_ex(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1.0f, A, k, B, n,
 *                              0.0f, C, n, NULL, &options) != CLGEMM_SUCCESS)
 *         puts(clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_sgemm_host_ex(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB,
                                              size_t m, size_t n, size_t k, float alpha, const float* A, size_t lda,
                                              const float* B, size_t ldb, float beta, float* C, size_t ldc,
                                              cl_command_queue queue, const clgemm_options* options);

/** clgemm_sgemm_strided_batched() on host memory; returns when all C's hold their results.
 *
 * The arguments are clgemm_sgemm_host()'s, and distA, distB, distC and count as clgemm_sgemm_strided_batched() has them. On
 * a device that shares the host's memory nothing is copied, unless clgemm_sgemm_host() copies one of the products. On
 * others, small products travel together, up to 6 MiB at once; larger ones travel one after the other, each as
 * clgemm_sgemm_host() sends it.
 * Returns what clgemm_sgemm_host() returns, and CLGEMM_OVERLAPPING_C also where two matrices C share elements. After
 * CLGEMM_INCOMPLETE some matrices C may be computed, and others as they were. Thread-safe. Follows: MKL's
 * cblas_sgemm_batch_strided. Example, of 8 matrices A that lie behind one another, and one B for all:
 *
 *     if (clgemm_sgemm_host_strided_batched(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1.0f,
 *                                           A, k, m * k, B, n, 0, 0.0f, C, n, m * n, 8, NULL) != CLGEMM_SUCCESS)
 *         puts(clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_sgemm_host_strided_batched(clgemm_layout layout, clgemm_transpose transA,
                                                           clgemm_transpose transB, size_t m, size_t n, size_t k,
                                                           float alpha, const float* A, size_t lda, size_t distA,
                                                           const float* B, size_t ldb, size_t distB, float beta, float* C,
                                                           size_t ldc, size_t distC, size_t count, cl_command_queue queue);

/** clgemm_sgemm_host_strided_batched() with options (NULL: none); returns what clgemm_sgemm_host_ex() returns besides.
 * Thread-safe. */
CLGEMM_API clgemm_status clgemm_sgemm_host_strided_batched_ex(clgemm_layout layout, clgemm_transpose transA,
                                                              clgemm_transpose transB, size_t m, size_t n, size_t k,
                                                              float alpha, const float* A, size_t lda, size_t distA,
                                                              const float* B, size_t ldb, size_t distB, float beta, float* C,
                                                              size_t ldc, size_t distC, size_t count, cl_command_queue queue,
                                                              const clgemm_options* options);

/** clgemm_sgemm_batched() on host memory, with a pointer to each matrix; returns when all C's hold their results.
 *
 * A, B and C are arrays of `count` pointers each, to matrices anywhere in the program's memory. Matrices A and B may be
 * listed more than once, and overlap; no two matrices C may share elements. All matrices A must lie whole floats apart, and
 * so must all B and all C. The pointers to A_i and B_i may also be null where they are not looked at, which is where
 * alpha[i] or k is 0. numScalars, alpha and beta are clgemm_sgemm_batched()'s, and the others clgemm_sgemm_host()'s.
 * Products that follow one another at equal distances with the same factors are computed as
 * clgemm_sgemm_host_strided_batched() computes them, also parts of a list; each other product as clgemm_sgemm_host() does.
 * Returns what clgemm_sgemm_host_strided_batched() returns, CLGEMM_INVALID_POINTER for an array that is null, and
 * CLGEMM_INVALID_SCALARS. Thread-safe. Follows: MKL's cblas_sgemm_batch, with one group. Example, of two products:
 *
 *     const float* A[] = {A0, A1};
 *     const float* B[] = {B0, B1};
 *     float* C[] = {C0, C1};
 *     const float alpha = 1.0f, beta = 0.0f;
 *     if (clgemm_sgemm_host_batched(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1, &alpha, A, k,
 *                                   B, n, &beta, C, n, 2, NULL) != CLGEMM_SUCCESS)
 *         puts(clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_sgemm_host_batched(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB,
                                                   size_t m, size_t n, size_t k, size_t numScalars, const float* alpha,
                                                   const float* const* A, size_t lda, const float* const* B, size_t ldb,
                                                   const float* beta, float* const* C, size_t ldc, size_t count,
                                                   cl_command_queue queue);

/** clgemm_sgemm_host_batched() with options (NULL: none); returns what clgemm_sgemm_host_ex() returns besides. A workspace
 * of the caller's is used where all products are one strided batch. Thread-safe. */
CLGEMM_API clgemm_status clgemm_sgemm_host_batched_ex(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB,
                                                      size_t m, size_t n, size_t k, size_t numScalars, const float* alpha,
                                                      const float* const* A, size_t lda, const float* const* B, size_t ldb,
                                                      const float* beta, float* const* C, size_t ldc, size_t count,
                                                      cl_command_queue queue, const clgemm_options* options);

/** How many bytes of workspace a call with these arguments needs, for options->workspace: written to *bytes, 0 if none.
 * device: where the call would run (NULL: the default device). options: as the call's; its workspace is not looked at. The
 * bytes suffice however A, B and C are aligned, or, with options->alignment, where they are aligned at least so far; the
 * workspace itself must begin at a multiple of 128 bytes, as memory that OpenCL allocated does.
 * Returns what clgemm_sgemm_ex() returns for the arguments that the two share, CLGEMM_INVALID_DEVICE,
 * CLGEMM_INVALID_POINTER, and CLGEMM_NO_DEVICE. Thread-safe. New programs should call clgemm_call_workspace_size(), which
 * takes the same arguments as a structure, and knows batches.
 * Follows: the *_bufferSize queries of the cuBLAS family. */
CLGEMM_API clgemm_status clgemm_sgemm_workspace_size(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB,
                                                     size_t m, size_t n, size_t k, float alpha, size_t offA, size_t lda,
                                                     size_t offB, size_t ldb, float beta, size_t offC, size_t ldc,
                                                     cl_device_id device, const clgemm_options* options, size_t* bytes);

/** What a call with these arguments would do, as text for people: the kernel, why it was chosen, its parameters, its steps
 * and its workspace. New programs should call clgemm_call_explain(), which takes the same arguments as a structure, and
 * knows batches. Arguments as clgemm_sgemm_workspace_size(), but without options->alignment it assumes that the matrices lie
 * in memory that OpenCL allocated. If memory is lacking, or a driver does not take a kernel, only the call itself finds that
 * out, and falls back to another kernel. text: receives at most textSize bytes, always ended by a zero byte when
 * textSize > 0; may be NULL when textSize is 0. needed: if not NULL, receives the bytes that the whole text takes, its zero
 * byte included. On error both are left as they were. Returns what clgemm_sgemm_workspace_size() returns. Thread-safe. */
CLGEMM_API clgemm_status clgemm_explain(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                        size_t n, size_t k, float alpha, size_t offA, size_t lda, size_t offB, size_t ldb,
                                        float beta, size_t offC, size_t ldc, cl_device_id device,
                                        const clgemm_options* options, char* text, size_t textSize, size_t* needed);

/** @name Prepared operands
 * For a matrix by which a program multiplies again and again, such as the weights of a neural network.
 * @{ */

/** Which operand of a product; the values are those of MKL's CBLAS. */
typedef enum clgemm_operand {
    CLGEMM_OPERAND_A = 161, /**< op(A), m x k */
    CLGEMM_OPERAND_B = 162  /**< op(B), k x n */
} clgemm_operand;

/** An operand that the library keeps on a device. NULL is none. No handle is given twice. */
typedef struct clgemm_prepared_operand* clgemm_prepared;

/** Keeps op(A) or op(B) on the queue's device as products there want it (padded, transposed, in panels, or split into pieces
 * for tensor cores), so that calls of clgemm_sgemm_prepared() do not do that each time.
 *
 * The library keeps a copy of the matrix, with which every product can be computed, and images, which kernels read in its
 * place. The images for a product of m x n x k are made now. If a call of another size needs other images, the first such
 * call makes them. The library keeps the four images that were used last. (Those of the kernels tensor_tf32 and
 * tensor_fast, which modes TF32 and FAST use, are not kept: each call makes them.) The copy takes as many bytes as the
 * matrix (a little more, as its columns or rows are aligned), and each image about as many, or half as many again for tensor
 * cores; clgemm_sgemm_prepared_explain() says how many. This memory is not part of the library's pool, and no limit on
 * workspaces applies to it.
 *
 * @param layout,trans,offX,ldX how the matrix X lies in its buffer, as clgemm_sgemm() has it of A (transA, offA, lda) or B.
 *     Errors call X by its operand's name ("ldb is 3, but must be at least 5")
 * @param operand of which operand the sizes are: op(X) is m x k (A) or k x n (B)
 * @param m,n,k a typical product. For operand B, m may be 0, and for operand A, n may be 0: then no image is made yet.
 *     Later calls may have any m (n)
 * @param X the buffer; it must be one even if the matrix has no elements
 * @param queue in order or out of order: what is enqueued here fills the copy and the images. Its device is the one on which
 *     the operand can be used, in its context. Calls on other queues wait for that by themselves
 * @param numWait,waitList X is read when these events are complete; 0 and NULL for none
 * @param event if not NULL, receives an event that is complete when X has been read: then the caller may change or release
 *     X; the caller releases the event
 * @param options as the calls' (NULL: none), for the typical product; its workspace is not looked at
 * @param prepared receives the handle, for clgemm_release_prepared()
 *
 * The operand may be used as A and as B, wherever op(X)'s sizes fit, and in calls of either layout. clgemm_teardown() leaves
 * it alone. It holds its context.
 *
 * Returns CLGEMM_SUCCESS when the work is enqueued; CLGEMM_INVALID_OPERAND, CLGEMM_INVALID_POINTER; what clgemm_sgemm_ex()
 * returns for the arguments that the two share; OpenCL's code where OpenCL failed (CL_MEM_OBJECT_ALLOCATION_FAILURE where
 * the device has no memory). After an error *prepared is as it was. Thread-safe. Example, a layer's weights W for batches of
 * about 64:
 *
 *     clgemm_prepared weights;
 *     if (clgemm_prepare(CLGEMM_ROW_MAJOR, CLGEMM_OPERAND_B, CLGEMM_NO_TRANS, 64, n, k, W, 0, n, queue, 0, NULL, NULL,
 *                        NULL, &weights) != CLGEMM_SUCCESS)
 *         puts(clgemm_last_error());
 *
 * Follows: MKL's cblas_sgemm_pack, for any m and on devices. */
CLGEMM_API clgemm_status clgemm_prepare(clgemm_layout layout, clgemm_operand operand, clgemm_transpose trans, size_t m,
                                        size_t n, size_t k, cl_mem X, size_t offX, size_t ldX, cl_command_queue queue,
                                        cl_uint numWait, const cl_event* waitList, cl_event* event,
                                        const clgemm_options* options, clgemm_prepared* prepared);

/** clgemm_prepare() for the operands of a batch, of which each product has its own: the experts of a layer, say, or the
 * transformed filters of a Winograd convolution. Their images are made by one launch, and lie in one buffer.
 *
 * @param layout,operand,trans,m,n,k of each product, as clgemm_prepare() takes them
 * @param X,offX,ldX,distX the buffer, where the first matrix starts, the leading dimension of each, and the elements from
 *     the start of one to the start of the next. Any distance will do; with 0 it is one matrix, which all products share
 * @param count how many matrices; a batch of as many products takes them, matrix i for product i. With 1 the call is
 *     clgemm_prepare(), and any batch shares the matrix. With 0 nothing is read, and a batch of 0 products takes the handle.
 *     Of more than 65,535 matrices the library keeps only the copy
 * @param queue,numWait,waitList,event,options,prepared as clgemm_prepare() takes them
 *
 * Returns what clgemm_prepare() returns, where CLGEMM_OVERFLOW_* and CLGEMM_*_TOO_SMALL are about all matrices. Thread-safe.
 * Follows: cuBLAS's cublasSgemmStridedBatched for the distance, MKL's cblas_sgemm_pack for the rest. Example, for
 * clgemm_sgemm_prepared_strided_batched(), of 8 experts' weights behind one another:
 *
 *     clgemm_prepared experts;
 *     if (clgemm_prepare_strided_batched(CLGEMM_ROW_MAJOR, CLGEMM_OPERAND_B, CLGEMM_NO_TRANS, 64, n, k, W, 0, n,
 *                                        k * n, 8, queue, 0, NULL, NULL, NULL, &experts) != CLGEMM_SUCCESS)
 *         puts(clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_prepare_strided_batched(clgemm_layout layout, clgemm_operand operand, clgemm_transpose trans,
                                                        size_t m, size_t n, size_t k, cl_mem X, size_t offX, size_t ldX,
                                                        size_t distX, size_t count, cl_command_queue queue, cl_uint numWait,
                                                        const cl_event* waitList, cl_event* event,
                                                        const clgemm_options* options, clgemm_prepared* prepared);

/** Gives up a prepared operand (NULL: does nothing). Calls that have been enqueued finish undisturbed; the device's memory
 * is free when they have. Returns CLGEMM_INVALID_POINTER if it is none, or was released before. Thread-safe. */
CLGEMM_API clgemm_status clgemm_release_prepared(clgemm_prepared prepared);

/** C = alpha * op(A) * op(B) + beta * C on device buffers, asynchronously, where op(A) is what preparedA keeps, or op(B)
 * what preparedB keeps, or both.
 *
 * The other arguments are those of clgemm_sgemm_ex(). If an operand's handle is not NULL, its buffer, trans, offset and
 * leading dimension are not looked at (0 and NULL will do). C has the bits of clgemm_sgemm_ex() on the same matrices by the
 * same kernel, in the same size, with as many parts of K and in the same order of sums; clgemm_sgemm_prepared_explain() and
 * clgemm_explain() tell the first two. Since steps are left out, the library may choose otherwise than for that call. The
 * call is not among those of CLGEMM_RECORD.
 *
 * Returns what clgemm_sgemm_ex() returns; CLGEMM_INVALID_PREPARED_A or _B where a handle was released, its sizes are not the
 * call's or its device is not the queue's, and where both are NULL; CLGEMM_WRONG_CONTEXT_A or _B; and
 * CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST where the operand's matrix could not be read, since the device or an event
 * of clgemm_prepare()'s wait list failed. (If it fails later, so does the call's event.) Thread-safe; a handle may be
 * released meanwhile. Follows: MKL's cblas_sgemm_compute. Example, of 64 rows of X by the weights above:
 *
 *     if (clgemm_sgemm_prepared(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 64, n, k, 1.0f, X, 0, k, NULL,
 *                               NULL, 0, 0, weights, 0.0f, Y, 0, n, queue, 0, NULL, NULL, NULL) != CLGEMM_SUCCESS)
 *         puts(clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_sgemm_prepared(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB,
                                               size_t m, size_t n, size_t k, float alpha, cl_mem A, size_t offA, size_t lda,
                                               clgemm_prepared preparedA, cl_mem B, size_t offB, size_t ldb,
                                               clgemm_prepared preparedB, float beta, cl_mem C, size_t offC, size_t ldc,
                                               cl_command_queue queue, cl_uint numWait, const cl_event* waitList,
                                               cl_event* event, const clgemm_options* options);

/** clgemm_sgemm_strided_batched_ex() where op(A) is what preparedA keeps, or op(B) what preparedB keeps, or both. All
 * products share what clgemm_prepare() has kept: for a layer's weights and many sequences, say. Of what
 * clgemm_prepare_strided_batched() has kept each product takes its own matrix.
 *
 * The arguments are those of clgemm_sgemm_strided_batched_ex() and clgemm_sgemm_prepared(); of an operand whose handle is
 * not NULL, the distance does not count, either: the library keeps matrices at a distance of its own. Each product has the
 * bits that clgemm_sgemm_prepared() gives by the same kernel, in the same size and with as many parts of K.
 * clgemm_call_prepared_explain() tells these.
 *
 * Returns what either of the two returns, and CLGEMM_INVALID_PREPARED_A or _B where a handle is of several matrices, but not
 * of `count`. Thread-safe. Example, of 16 sequences of 64 rows each, which begin 100 rows apart, by the weights above:
 *
 *     if (clgemm_sgemm_prepared_strided_batched(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 64, n, k, 1.0f,
 *                                               X, 0, k, 100 * k, NULL, NULL, 0, 0, 0, weights, 0.0f,
 *                                               Y, 0, n, 64 * n, 16, queue, 0, NULL, NULL, NULL) != CLGEMM_SUCCESS)
 *         puts(clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_sgemm_prepared_strided_batched(
    clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m, size_t n, size_t k, float alpha,
    cl_mem A, size_t offA, size_t lda, size_t distA, clgemm_prepared preparedA, cl_mem B, size_t offB, size_t ldb,
    size_t distB, clgemm_prepared preparedB, float beta, cl_mem C, size_t offC, size_t ldc, size_t distC, size_t count,
    cl_command_queue queue, cl_uint numWait, const cl_event* waitList, cl_event* event, const clgemm_options* options);

/** clgemm_sgemm_workspace_size() for clgemm_sgemm_prepared(): the bytes of options->workspace, written to *bytes, on the
 * device of the prepared operands. They suffice also if the device turns out to have no memory for an image. Returns what
 * either of the two returns. Thread-safe. */
CLGEMM_API clgemm_status clgemm_sgemm_prepared_workspace_size(clgemm_layout layout, clgemm_transpose transA,
                                                              clgemm_transpose transB, size_t m, size_t n, size_t k,
                                                              float alpha, size_t offA, size_t lda,
                                                              clgemm_prepared preparedA, size_t offB, size_t ldb,
                                                              clgemm_prepared preparedB, float beta, size_t offC, size_t ldc,
                                                              const clgemm_options* options, size_t* bytes);

/** clgemm_explain() for clgemm_sgemm_prepared(), and what each prepared operand keeps by now: the copy and the images, with
 * their bytes. If the call needs an image that is not among them, the first such call makes it. text, textSize and needed
 * are those of clgemm_explain(). Returns what either of the two returns. Thread-safe. */
CLGEMM_API clgemm_status clgemm_sgemm_prepared_explain(clgemm_layout layout, clgemm_transpose transA,
                                                       clgemm_transpose transB, size_t m, size_t n, size_t k, float alpha,
                                                       size_t offA, size_t lda, clgemm_prepared preparedA, size_t offB,
                                                       size_t ldb, clgemm_prepared preparedB, float beta, size_t offC,
                                                       size_t ldc, const clgemm_options* options, char* text,
                                                       size_t textSize, size_t* needed);

/** clgemm_prepare() for a matrix in host memory, mostly for clgemm_sgemm_host_prepared(): the operand is kept on a device,
 * so that it need not travel there with each call.
 *
 * The arguments are those of clgemm_prepare(), but for X, a pointer to the matrix, which may be null if that has no
 * elements. queue: where it is kept; NULL: on the default device, as clgemm_sgemm_host() has it, but on that one alone where
 * CLGEMM_DEVICES names several. Returns when X has been read: the caller may change or free it. A handle of a queue's
 * context and device also serves calls on buffers there, and the handles of clgemm_prepare() serve calls on host memory.
 *
 * Returns what clgemm_prepare() returns; CLGEMM_NO_DEVICE; and CL_INVALID_BUFFER_SIZE where X, with the gaps between its
 * columns, is larger than the device's largest buffer. After an error *prepared is as it was. Thread-safe. Follows: MKL's
 * cblas_sgemm_pack. Example, a layer's weights W for batches of about 64:
 *
 *     clgemm_prepared weights;
 *     if (clgemm_prepare_host(CLGEMM_ROW_MAJOR, CLGEMM_OPERAND_B, CLGEMM_NO_TRANS, 64, n, k, W, n, NULL, NULL,
 *                             &weights) != CLGEMM_SUCCESS)
 *         puts(clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_prepare_host(clgemm_layout layout, clgemm_operand operand, clgemm_transpose trans, size_t m,
                                             size_t n, size_t k, const float* X, size_t ldX, cl_command_queue queue,
                                             const clgemm_options* options, clgemm_prepared* prepared);

/** clgemm_prepare_strided_batched() for matrices in host memory, as clgemm_prepare_host() has it. Returns what either of the
 * two returns. Thread-safe. */
CLGEMM_API clgemm_status clgemm_prepare_host_strided_batched(clgemm_layout layout, clgemm_operand operand,
                                                             clgemm_transpose trans, size_t m, size_t n, size_t k,
                                                             const float* X, size_t ldX, size_t distX, size_t count,
                                                             cl_command_queue queue, const clgemm_options* options,
                                                             clgemm_prepared* prepared);

/** C = alpha * op(A) * op(B) + beta * C on host memory, where op(A) is what preparedA keeps, or op(B) what preparedB keeps,
 * or both; returns when C holds the result.
 *
 * The other arguments are those of clgemm_sgemm_host_ex(). If preparedA is not NULL, the call ignores A, transA and lda;
 * if preparedB is not NULL, it ignores B, transB and ldb. queue: of the device that keeps the operands; NULL: the default
 * device's. It alone computes. On a device that shares the host's memory nothing is copied, unless a matrix that is not
 * kept takes more than a third of the device's largest buffer, or C has gaps and the device is no CPU. Then, and on all
 * other devices, what is not kept travels through pinned memory, up to 6 MiB at once: whole matrices, or rows of op(A)
 * and C (columns of op(B) and C, if A is kept) while others are multiplied.
 *
 * Returns what clgemm_sgemm_host_ex() returns, and CLGEMM_INVALID_PREPARED_A or _B and CLGEMM_WRONG_CONTEXT_A or _B as
 * clgemm_sgemm_prepared(). clgemm_call_prepared_explain() tells what the device does with matrices in one piece.
 * Thread-safe; a handle may be released meanwhile. Follows: MKL's cblas_sgemm_compute. Example, of 64 rows of X by the
 * weights above:
 *
 *     if (clgemm_sgemm_host_prepared(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 64, n, k, 1.0f, X, k, NULL,
 *                                    NULL, 0, weights, 0.0f, Y, n, NULL, NULL) != CLGEMM_SUCCESS)
 *         puts(clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_sgemm_host_prepared(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB,
                                                    size_t m, size_t n, size_t k, float alpha, const float* A, size_t lda,
                                                    clgemm_prepared preparedA, const float* B, size_t ldb,
                                                    clgemm_prepared preparedB, float beta, float* C, size_t ldc,
                                                    cl_command_queue queue, const clgemm_options* options);

/** clgemm_sgemm_prepared_strided_batched() on host memory, as clgemm_sgemm_host_prepared() has it; returns when all C's hold
 * their results. Returns what either of the two returns, and CLGEMM_INCOMPLETE. Thread-safe. */
CLGEMM_API clgemm_status clgemm_sgemm_host_prepared_strided_batched(clgemm_layout layout, clgemm_transpose transA,
                                                                    clgemm_transpose transB, size_t m, size_t n, size_t k,
                                                                    float alpha, const float* A, size_t lda, size_t distA,
                                                                    clgemm_prepared preparedA, const float* B, size_t ldb,
                                                                    size_t distB, clgemm_prepared preparedB, float beta,
                                                                    float* C, size_t ldc, size_t distC, size_t count,
                                                                    cl_command_queue queue, const clgemm_options* options);

/** @} */

/** A call that is to come, for clgemm_warm_up() and the queries: the arguments that it will have, without its buffers. Start
 * from CLGEMM_CALL_INIT and set the others. The structure grows at its end in later versions, as clgemm_options does. */
typedef struct clgemm_call {
    size_t size;             /**< sizeof(clgemm_call), in bytes; the same in all calls of an array */
    clgemm_layout layout;    /**< as clgemm_sgemm() takes it, like all that follow */
    clgemm_transpose transA; /**< whether A is transposed */
    clgemm_transpose transB; /**< whether B is transposed */
    size_t m;                /**< rows of C */
    size_t n;                /**< columns of C */
    size_t k;                /**< columns of op(A) */
    float alpha;             /**< the factor of the product */
    size_t offA;             /**< where A begins in its buffer */
    size_t lda;              /**< A's leading dimension */
    size_t offB;             /**< where B begins in its buffer */
    size_t ldb;              /**< B's leading dimension */
    float beta;              /**< the factor of C */
    size_t offC;             /**< where C begins in its buffer */
    size_t ldc;              /**< C's leading dimension */
    size_t batch;            /**< how many products clgemm_sgemm_strided_batched() computes; 0: it is a call for one */
    size_t distA;            /**< from one matrix A of the batch to the next, like the two that follow */
    size_t distB;            /**< from one matrix B of the batch to the next */
    size_t distC;            /**< from one matrix C of the batch to the next */
    size_t indirect;         /**< 1: it is clgemm_sgemm_indirect_batched() for `batch` products, whose offsets, factors and
                                distances stand in its list; those in the description are not looked at. 0: it is not */
} clgemm_call;
/* clang-format off */
/** A column-major call without transposes, with alpha = 1, beta = 0 and no offsets, whose sizes are still to be set. */
#define CLGEMM_CALL_INIT \
    { sizeof(clgemm_call), CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 0, 0, 0, 1.0f, 0, 0, 0, 0, 0.0f, 0, 0, \
      0, 0, 0, 0, 0 }
/* clang-format on */

/** clgemm_sgemm_workspace_size() for a call that is described, of one product or of a batch. Returns the same;
 * CLGEMM_INVALID_POINTER and CLGEMM_INVALID_CALL for `call`; and CLGEMM_OVERLAPPING_C where two matrices C of a batch would
 * share elements. Thread-safe. Example:
 *
 *     clgemm_call call = CLGEMM_CALL_INIT; size_t bytes;
 *     call.m = call.n = call.k = call.lda = call.ldb = call.ldc = 100;
 *     call.batch = 16; call.distA = call.distC = 100 * 100; // and all share B
 *     if (clgemm_call_workspace_size(&call, device, NULL, &bytes) != CLGEMM_SUCCESS) puts(clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_call_workspace_size(const clgemm_call* call, cl_device_id device,
                                                    const clgemm_options* options, size_t* bytes);

/** clgemm_explain() for a call that is described, of one product or of a batch. Returns the same;
 * CLGEMM_INVALID_POINTER and CLGEMM_INVALID_CALL for `call`; and CLGEMM_OVERLAPPING_C where two matrices C of a batch would
 * share elements. Thread-safe. Example:
 *
 *     clgemm_call call = CLGEMM_CALL_INIT; char text[4096];
 *     call.m = call.n = call.k = call.lda = call.ldb = call.ldc = 100;
 *     const clgemm_status status = clgemm_call_explain(&call, device, NULL, text, sizeof text, NULL);
 *     puts(status == CLGEMM_SUCCESS ? text : clgemm_last_error()); */
CLGEMM_API clgemm_status clgemm_call_explain(const clgemm_call* call, cl_device_id device, const clgemm_options* options,
                                             char* text, size_t textSize, size_t* needed);

/** clgemm_sgemm_prepared_workspace_size() for a call that is described, be it of one product or of a batch. Of a prepared
 * operand, the offset, leading dimension and distance in the description do not count. Returns the same, and
 * CLGEMM_INVALID_POINTER and CLGEMM_INVALID_CALL for `call`. Thread-safe. */
CLGEMM_API clgemm_status clgemm_call_prepared_workspace_size(const clgemm_call* call, clgemm_prepared preparedA,
                                                             clgemm_prepared preparedB, const clgemm_options* options,
                                                             size_t* bytes);

/** clgemm_sgemm_prepared_explain() for a call that is described, as clgemm_call_prepared_workspace_size() has it. Returns
 * the same, and CLGEMM_INVALID_POINTER and CLGEMM_INVALID_CALL for `call`. Thread-safe. */
CLGEMM_API clgemm_status clgemm_call_prepared_explain(const clgemm_call* call, clgemm_prepared preparedA,
                                                      clgemm_prepared preparedB, const clgemm_options* options, char* text,
                                                      size_t textSize, size_t* needed);

/** Builds beforehand what calls like these will need, so that the first of them takes no longer than others: the kernels'
 * programs, side by side by several threads that end with this call, and what they fall back to where the driver refuses
 * one. Returns when everything is built. Nothing is enqueued on a queue of the caller's. (If the driver compiles at the
 * first launch, as PoCL does, or if a kernel is new to the device, a small product is computed, on a queue and buffers of
 * the library's own.)
 *
 * context: whose programs are built; they are kept as those of calls are (see clgemm_teardown()). NULL: what
 * clgemm_sgemm_host() without a queue will need, on the default device and those that share its work. device: where the
 * calls will run; NULL: each device of the context. Without a context it must be NULL.
 * count, calls: the calls; 0 and NULL for none. What kernels need depends on sizes, transposes, layout and alignment, on
 * whether beta is 0, and hardly on other scalars. options: as the calls' (NULL: none); its workspace is not looked at.
 * Without options->alignment the matrices are taken to lie in memory that OpenCL allocated; for clgemm_sgemm_host() on a
 * device that shares the host's memory, say what the arrays have.
 *
 * CLGEMM_LOG=1 prints a line for each program, with the time that it took, and one at the end.
 * Returns CLGEMM_INVALID_CONTEXT, CLGEMM_INVALID_DEVICE, CLGEMM_INVALID_POINTER, CLGEMM_INVALID_CALL; what clgemm_sgemm_ex()
 * returns for the arguments the two share (clgemm_last_error() says which call it is about: "calls[2]: ldb is 3, ...");
 * CLGEMM_NO_DEVICE; and OpenCL's code where OpenCL failed. After an error a part may have been built, which is kept.
 * Thread-safe; calls may run meanwhile, and wait for no other program than their own. Example:
 *
 *     clgemm_call call = CLGEMM_CALL_INIT;
 *     call.m = call.n = call.k = call.lda = call.ldb = call.ldc = 1000;
 *     if (clgemm_warm_up(context, device, 1, &call, NULL) != CLGEMM_SUCCESS) puts(clgemm_last_error());
 *
 * Follows: CLBlast's FillCache, for chosen calls. */
CLGEMM_API clgemm_status clgemm_warm_up(cl_context context, cl_device_id device, size_t count, const clgemm_call* calls,
                                        const clgemm_options* options);

/** The device that clgemm_sgemm_host() uses when no queue is given, to *device; the caller must not release it.
 * Returns CLGEMM_NO_DEVICE, CLGEMM_INVALID_POINTER, CLGEMM_INVALID_ENVIRONMENT, or OpenCL's code. Thread-safe. */
CLGEMM_API clgemm_status clgemm_default_device(cl_device_id* device);

/** How many kernels there are. Thread-safe. */
CLGEMM_API size_t clgemm_kernel_count(void);

/** The name of kernel number `index` (0 up to the count, exclusive; NULL outside), as options->kernel takes it. The names
 * live as long as the library is loaded. Thread-safe. */
CLGEMM_API const char* clgemm_kernel_name(size_t index);

/** Drops what the library keeps for a context (programs, workspace, its reference to the context), or for all of them
 * (NULL). Calls under way finish undisturbed; a later call builds everything anew. Only the call with NULL makes the library
 * read again what it knows of devices, such as their tuning data. Without this call, the library keeps the last 16 pairs of
 * context and device that it met, and what it knows of the last 64 devices. Not needed before exit. Returns CLGEMM_SUCCESS
 * for any context, whether the library knows it or not (CLGEMM_FORKED_CHILD in such a child). Thread-safe. Follows:
 * clblasTeardown, CLBlast's ClearCache. */
CLGEMM_API clgemm_status clgemm_teardown(cl_context context);

/** Takes a line of the log: a sentence without "clgemm: " before it and without a line's end. `line` lives until the
 * function returns; `user` is what clgemm_set_log() was given. */
typedef void (*clgemm_log_function)(const char* line, void* user);

/** Sends the log to `function` instead of standard error: the lines that CLGEMM_LOG=1 prints, which are then written
 * whatever that variable says, and warnings. NULL: as before. `user` is handed on.
 *
 * The function is called by the thread whose call the line is about, or by one that builds a program for it, so by several
 * at once if calls are made at once. It must throw nothing, and call nothing of clgemm (clgemm_set_log() would wait for
 * itself). When clgemm_set_log() returns, nobody is in the former function any more, nor will be. It waits for those who
 * are, so its caller must hold no lock that the function takes. Returns CLGEMM_SUCCESS. Thread-safe. */
CLGEMM_API clgemm_status clgemm_set_log(clgemm_log_function function, void* user);

/** A status as text, one line, never NULL; also OpenCL's own codes. Lives as long as the library. Thread-safe. */
CLGEMM_API const char* clgemm_status_string(clgemm_status status);

/** What went wrong in this thread's last failed clgemm call: a sentence that names the argument and the values
 * ("ldb is 3, but must be at least 5"), with the compiler's log if a kernel did not build. It has at most 4095 bytes; the
 * rest is cut. Never NULL; valid until this thread's next call. */
CLGEMM_API const char* clgemm_last_error(void);

/** The library's version, "major.minor.patch". */
CLGEMM_API const char* clgemm_version(void);

#ifdef __cplusplus
}
#endif

#endif
