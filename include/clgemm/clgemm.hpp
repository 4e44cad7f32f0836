/** @file
 * clgemm for C++: the functions of clgemm.h on CLHPP's types (cl::Buffer, cl::CommandQueue, ...), failures as exceptions.
 *
 *     #include <clgemm/clgemm.hpp>
 *
 *     float A[2 * 3] = {1, 2, 3, 4, 5, 6}, B[3 * 2] = {1, 0, 0, 1, 1, 1}, C[2 * 2];
 *     clgemm::sgemm(clgemm::Layout::row_major, clgemm::Transpose::no, clgemm::Transpose::no, 2, 2, 3,
 *                   1.0f, A, 3, B, 2, 0.0f, C, 2); // C is now {4, 5, 10, 11}
 *
 * This header only translates: clgemm.h says what each argument means, in which units, and what special cases do.
 * Errors:  every function throws clgemm::Error, and std::bad_alloc where there is no memory for its own lists and texts.
 *          When a call fails, C is as it was before the call, but for the two cases that clgemm.h names.
 * Threads: every function may be called from any number of threads at once.
 * Needs:   C++17 and CL/opencl.hpp, with CL_HPP_ENABLE_EXCEPTIONS or without.
 */
#ifndef CLGEMM_CLGEMM_HPP
#define CLGEMM_CLGEMM_HPP

// If the program has chosen versions, CLHPP's or those of OpenCL's own headers, they stay. Otherwise this header chooses
// OpenCL 1.2, so that the program runs on every device that clgemm runs on: CLHPP's own default fails at run time on a
// device that has no later version.
#if !defined(CL_HPP_TARGET_OPENCL_VERSION) && !defined(CL_HPP_MINIMUM_OPENCL_VERSION)
#if defined(CL_TARGET_OPENCL_VERSION)
#define CL_HPP_TARGET_OPENCL_VERSION CL_TARGET_OPENCL_VERSION
#else
#define CL_HPP_TARGET_OPENCL_VERSION 120
#endif
#if CL_HPP_TARGET_OPENCL_VERSION < 200
#define CL_HPP_MINIMUM_OPENCL_VERSION CL_HPP_TARGET_OPENCL_VERSION
#endif
#endif
#include <CL/opencl.hpp>

#include "clgemm.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clgemm {

/** How matrices lie in memory: clgemm_layout. */
enum class Layout : int { row_major = CLGEMM_ROW_MAJOR, column_major = CLGEMM_COLUMN_MAJOR };

/** Whether op(X) transposes: clgemm_transpose. */
enum class Transpose : int { no = CLGEMM_NO_TRANS, yes = CLGEMM_TRANS, conjugate = CLGEMM_CONJ_TRANS };

/** Which operand of a product: clgemm_operand. */
enum class Operand : int { a = CLGEMM_OPERAND_A, b = CLGEMM_OPERAND_B };

/** Which arithmetic may be used: clgemm_math. */
enum class Math : int {
    standard = CLGEMM_MATH_DEFAULT,
    strict = CLGEMM_MATH_STRICT,
    tf32 = CLGEMM_MATH_TF32,
    fast = CLGEMM_MATH_FAST,
    reproducible = CLGEMM_MATH_REPRODUCIBLE
};

/** What a caller may ask beyond the plain call: clgemm_options. */
struct Options {
    std::string kernel; ///< a kernel's name ("09_prefetch") or number ("9"), maybe with parameters ("06:TSM=32"); empty:
                        ///< the library chooses
    Math math = Math::standard; ///< which arithmetic may be used
    cl::Buffer workspace; ///< the caller's buffer for temporaries, at least workspace_size() bytes, used by nothing else
                          ///< until the call's event is complete, beginning at a multiple of 128 bytes; null: the
                          ///< library's own pool
    std::size_t workspace_limit = 0; ///< the most bytes of temporaries that the library may choose to take; 0: an eighth of
                                     ///< the device's memory
    std::size_t alignment = 0; ///< for the queries: a power of 2, bytes that the addresses of A, B and C are multiples of;
                               ///< 0: nothing is known
    double max_error = 0;      ///< instead of math: the largest error that will do, as a part of sum |a||b|; 0: math decides
};

/** A call that is to come, for warm_up() and the queries: clgemm_call. */
struct Call {
    Layout layout = Layout::column_major; ///< of all three matrices
    Transpose transA = Transpose::no;     ///< whether A is transposed
    Transpose transB = Transpose::no;     ///< whether B is transposed
    std::size_t m = 0;                    ///< rows of C
    std::size_t n = 0;                    ///< columns of C
    std::size_t k = 0;                    ///< columns of op(A)
    float alpha = 1.0f;                   ///< the factor of the product
    std::size_t offA = 0;                 ///< where A begins in its buffer
    std::size_t lda = 0;                  ///< A's leading dimension
    std::size_t offB = 0;                 ///< where B begins in its buffer
    std::size_t ldb = 0;                  ///< B's leading dimension
    float beta = 0.0f;                    ///< the factor of C
    std::size_t offC = 0;                 ///< where C begins in its buffer
    std::size_t ldc = 0;                  ///< C's leading dimension
    std::size_t batch = 0;                ///< how many products sgemm_strided_batched() computes; 0: it is a call for one
    std::size_t distA = 0;                ///< from one matrix A of the batch to the next
    std::size_t distB = 0;                ///< from one matrix B of the batch to the next
    std::size_t distC = 0;                ///< from one matrix C of the batch to the next
    bool indirect = false;                ///< it is sgemm_indirect_batched(): offsets, factors and distances are in its list
};

/** A call that failed. what() is the library's sentence on this very case. */
class Error : public std::runtime_error {
public:
    /** Construct it right after the failed call, in the same thread: it copies clgemm_last_error(). */
    explicit Error(clgemm_status status) : std::runtime_error(clgemm_last_error()), status_(status) {}

    /** One of clgemm.h's CLGEMM_ codes, or OpenCL's. */
    clgemm_status status() const noexcept { return status_; }

private:
    clgemm_status status_;
};

namespace detail {

inline void check(clgemm_status status)
{
    if (status != CLGEMM_SUCCESS)
        throw Error(status);
}

inline clgemm_layout to_c(Layout layout)
{
    return static_cast<clgemm_layout>(layout);
}

inline clgemm_transpose to_c(Transpose transpose)
{
    return static_cast<clgemm_transpose>(transpose);
}

inline clgemm_operand to_c(Operand operand)
{
    return static_cast<clgemm_operand>(operand);
}

/** Handles, not owned. */
inline std::vector<cl_event> to_c(const cl::vector<cl::Event>* events)
{
    std::vector<cl_event> result;
    if (events)
        for (const cl::Event& event : *events)
            result.push_back(event());
    return result;
}

/** The text that `write(text, size, needed)` writes. Between two calls it may change, by what other threads do. */
template <typename Write> std::string text_of(const Write& write)
{
    std::size_t needed = 0;
    check(write(nullptr, 0, &needed));
    std::string text;
    do {
        text.resize(needed);
        check(write(&text[0], text.size(), &needed));
    } while (needed > text.size());
    text.resize(needed - 1); // without the zero byte
    return text;
}

/** Points into `options`, so it must not outlive them. */
inline clgemm_options to_c(const Options& options)
{
    clgemm_options result = CLGEMM_OPTIONS_INIT;
    result.kernel = options.kernel.empty() ? nullptr : options.kernel.c_str();
    result.math = static_cast<clgemm_math>(options.math);
    result.workspace = options.workspace();
    result.workspace_limit = options.workspace_limit;
    result.alignment = options.alignment;
    result.max_error = options.max_error;
    return result;
}

inline clgemm_call to_c(const Call& call)
{
    return {sizeof(clgemm_call),
            to_c(call.layout),
            to_c(call.transA),
            to_c(call.transB),
            call.m,
            call.n,
            call.k,
            call.alpha,
            call.offA,
            call.lda,
            call.offB,
            call.ldb,
            call.beta,
            call.offC,
            call.ldc,
            call.batch,
            call.distA,
            call.distB,
            call.distC,
            call.indirect ? std::size_t{1} : 0};
}

} // namespace detail

/** C = alpha * op(A) * op(B) + beta * C on device buffers, asynchronously: clgemm_sgemm_ex().
 *
 * op(A) is m x k, op(B) is k x n; sizes, offsets and leading dimensions in elements. As in CLHPP's enqueue functions, the
 * work starts when `events` are complete (null or empty: at once), and `event`, if not null, is complete when all of it is.
 * Throws Error. Thread-safe. Follows: BLAS SGEMM, clBLAS's clblasSgemm. */
inline void sgemm(Layout layout, Transpose transA, Transpose transB, std::size_t m, std::size_t n, std::size_t k,
                  float alpha, const cl::Buffer& A, std::size_t offA, std::size_t lda, const cl::Buffer& B, std::size_t offB,
                  std::size_t ldb, float beta, const cl::Buffer& C, std::size_t offC, std::size_t ldc,
                  const cl::CommandQueue& queue, const cl::vector<cl::Event>* events = nullptr, cl::Event* event = nullptr,
                  const Options& options = {})
{
    const std::vector<cl_event> waitList = detail::to_c(events);
    const clgemm_options asked = detail::to_c(options);
    cl_event done = nullptr;
    detail::check(clgemm_sgemm_ex(detail::to_c(layout), detail::to_c(transA), detail::to_c(transB), m, n, k, alpha, A(),
                                  offA, lda, B(), offB, ldb, beta, C(), offC, ldc, queue(),
                                  static_cast<cl_uint>(waitList.size()), waitList.empty() ? nullptr : waitList.data(),
                                  event ? &done : nullptr, &asked));
    if (event)
        *event = cl::Event(done); // which releases it
}

/** As many products of one shape as `count` says, on device buffers, asynchronously: clgemm_sgemm_strided_batched_ex().
 *
 * Product i takes the matrices that begin at offA + i * distA, offB + i * distB and offC + i * distC, in elements; a
 * distance of 0 for A or B shares one. events, event: as in sgemm(). Throws Error. Thread-safe. */
inline void sgemm_strided_batched(Layout layout, Transpose transA, Transpose transB, std::size_t m, std::size_t n,
                                  std::size_t k, float alpha, const cl::Buffer& A, std::size_t offA, std::size_t lda,
                                  std::size_t distA, const cl::Buffer& B, std::size_t offB, std::size_t ldb,
                                  std::size_t distB, float beta, const cl::Buffer& C, std::size_t offC, std::size_t ldc,
                                  std::size_t distC, std::size_t count, const cl::CommandQueue& queue,
                                  const cl::vector<cl::Event>* events = nullptr, cl::Event* event = nullptr,
                                  const Options& options = {})
{
    const std::vector<cl_event> waitList = detail::to_c(events);
    const clgemm_options asked = detail::to_c(options);
    cl_event done = nullptr;
    detail::check(clgemm_sgemm_strided_batched_ex(
        detail::to_c(layout), detail::to_c(transA), detail::to_c(transB), m, n, k, alpha, A(), offA, lda, distA, B(), offB,
        ldb, distB, beta, C(), offC, ldc, distC, count, queue(), static_cast<cl_uint>(waitList.size()),
        waitList.empty() ? nullptr : waitList.data(), event ? &done : nullptr, &asked));
    if (event)
        *event = cl::Event(done); // which releases it
}

/** Products of one shape whose matrices lie anywhere in their buffers, asynchronously: clgemm_sgemm_batched_ex().
 *
 * Product i takes the matrices that begin at offsA[i], offsB[i] and offsC[i], in elements; the three lists are of the same
 * length. alpha and beta have one factor each for all products, or one for each. events, event: as in sgemm(). Throws Error,
 * and std::invalid_argument where the lists' lengths differ. Thread-safe. */
inline void sgemm_batched(Layout layout, Transpose transA, Transpose transB, std::size_t m, std::size_t n, std::size_t k,
                          const std::vector<float>& alpha, const cl::Buffer& A, const std::vector<std::size_t>& offsA,
                          std::size_t lda, const cl::Buffer& B, const std::vector<std::size_t>& offsB, std::size_t ldb,
                          const std::vector<float>& beta, const cl::Buffer& C, const std::vector<std::size_t>& offsC,
                          std::size_t ldc, const cl::CommandQueue& queue, const cl::vector<cl::Event>* events = nullptr,
                          cl::Event* event = nullptr, const Options& options = {})
{
    if (offsA.size() != offsC.size() || offsB.size() != offsC.size() || alpha.size() != beta.size())
        throw std::invalid_argument("offsA, offsB and offsC, or alpha and beta, have different lengths");
    const std::vector<cl_event> waitList = detail::to_c(events);
    const clgemm_options asked = detail::to_c(options);
    cl_event done = nullptr;
    detail::check(clgemm_sgemm_batched_ex(detail::to_c(layout), detail::to_c(transA), detail::to_c(transB), m, n, k,
                                          alpha.size(), alpha.data(), A(), offsA.data(), lda, B(), offsB.data(), ldb,
                                          beta.data(), C(), offsC.data(), ldc, offsC.size(), queue(),
                                          static_cast<cl_uint>(waitList.size()),
                                          waitList.empty() ? nullptr : waitList.data(), event ? &done : nullptr, &asked));
    if (event)
        *event = cl::Event(done); // which releases it
}

/** Products of one shape whose list lies in the device's memory, asynchronously: clgemm_sgemm_indirect_batched_ex().
 *
 * products: a buffer of clgemm_product, of which `count` count from place `first` on. Nothing on the host reads it, so
 * nobody checks its offsets. Options::alignment promises how far all matrices are aligned. events, event: as in sgemm().
 * Throws Error. Thread-safe. */
inline void sgemm_indirect_batched(Layout layout, Transpose transA, Transpose transB, std::size_t m, std::size_t n,
                                   std::size_t k, const cl::Buffer& A, std::size_t lda, const cl::Buffer& B, std::size_t ldb,
                                   const cl::Buffer& C, std::size_t ldc, const cl::Buffer& products, std::size_t first,
                                   std::size_t count, const cl::CommandQueue& queue,
                                   const cl::vector<cl::Event>* events = nullptr, cl::Event* event = nullptr,
                                   const Options& options = {})
{
    const std::vector<cl_event> waitList = detail::to_c(events);
    const clgemm_options asked = detail::to_c(options);
    cl_event done = nullptr;
    detail::check(clgemm_sgemm_indirect_batched_ex(
        detail::to_c(layout), detail::to_c(transA), detail::to_c(transB), m, n, k, A(), lda, B(), ldb, C(), ldc, products(),
        first, count, queue(), static_cast<cl_uint>(waitList.size()), waitList.empty() ? nullptr : waitList.data(),
        event ? &done : nullptr, &asked));
    if (event)
        *event = cl::Event(done); // which releases it
}

/** C = alpha * op(A) * op(B) + beta * C on host memory; returns when C holds the result: clgemm_sgemm_host_ex().
 *
 * The arguments up to ldc are cblas_sgemm's. queue: where to compute; null: on default_device().
 * Throws Error. Thread-safe. Follows: CBLAS cblas_sgemm. */
inline void sgemm(Layout layout, Transpose transA, Transpose transB, std::size_t m, std::size_t n, std::size_t k,
                  float alpha, const float* A, std::size_t lda, const float* B, std::size_t ldb, float beta, float* C,
                  std::size_t ldc, const cl::CommandQueue& queue = cl::CommandQueue(), const Options& options = {})
{
    const clgemm_options asked = detail::to_c(options);
    detail::check(clgemm_sgemm_host_ex(detail::to_c(layout), detail::to_c(transA), detail::to_c(transB), m, n, k, alpha, A,
                                       lda, B, ldb, beta, C, ldc, queue(), &asked));
}

/** sgemm_strided_batched() on host memory; returns when all C's hold their results: clgemm_sgemm_host_strided_batched_ex().
 * queue: where to compute; null: on default_device(). Throws Error. Thread-safe. */
inline void sgemm_strided_batched(Layout layout, Transpose transA, Transpose transB, std::size_t m, std::size_t n,
                                  std::size_t k, float alpha, const float* A, std::size_t lda, std::size_t distA,
                                  const float* B, std::size_t ldb, std::size_t distB, float beta, float* C, std::size_t ldc,
                                  std::size_t distC, std::size_t count, const cl::CommandQueue& queue = cl::CommandQueue(),
                                  const Options& options = {})
{
    const clgemm_options asked = detail::to_c(options);
    detail::check(clgemm_sgemm_host_strided_batched_ex(detail::to_c(layout), detail::to_c(transA), detail::to_c(transB), m,
                                                       n, k, alpha, A, lda, distA, B, ldb, distB, beta, C, ldc, distC, count,
                                                       queue(), &asked));
}

/** sgemm_batched() on host memory, with a pointer to each matrix; returns when all C's hold their results:
 * clgemm_sgemm_host_batched_ex(). The three lists are of the same length; alpha and beta have one factor for all products,
 * or one for each. queue: where to compute; null: on default_device(). Throws Error, and std::invalid_argument where the
 * lists' lengths differ. Thread-safe. */
inline void sgemm_batched(Layout layout, Transpose transA, Transpose transB, std::size_t m, std::size_t n, std::size_t k,
                          const std::vector<float>& alpha, const std::vector<const float*>& A, std::size_t lda,
                          const std::vector<const float*>& B, std::size_t ldb, const std::vector<float>& beta,
                          const std::vector<float*>& C, std::size_t ldc, const cl::CommandQueue& queue = cl::CommandQueue(),
                          const Options& options = {})
{
    if (A.size() != C.size() || B.size() != C.size() || alpha.size() != beta.size())
        throw std::invalid_argument("A, B and C, or alpha and beta, have different lengths");
    const clgemm_options asked = detail::to_c(options);
    detail::check(clgemm_sgemm_host_batched_ex(detail::to_c(layout), detail::to_c(transA), detail::to_c(transB), m, n, k,
                                               alpha.size(), alpha.data(), A.data(), lda, B.data(), ldb, beta.data(),
                                               C.data(), ldc, C.size(), queue(), &asked));
}

/** The bytes of Options::workspace that a call with these arguments needs, 0 if none: clgemm_sgemm_workspace_size().
 * device: where the call would run; null: default_device(). Throws Error. Thread-safe. */
inline std::size_t workspace_size(Layout layout, Transpose transA, Transpose transB, std::size_t m, std::size_t n,
                                  std::size_t k, float alpha, std::size_t offA, std::size_t lda, std::size_t offB,
                                  std::size_t ldb, float beta, std::size_t offC, std::size_t ldc,
                                  const cl::Device& device = cl::Device(), const Options& options = {})
{
    const clgemm_options asked = detail::to_c(options);
    std::size_t bytes = 0;
    detail::check(clgemm_sgemm_workspace_size(detail::to_c(layout), detail::to_c(transA), detail::to_c(transB), m, n, k,
                                              alpha, offA, lda, offB, ldb, beta, offC, ldc, device(), &asked, &bytes));
    return bytes;
}

/** What a call with these arguments would do, as text for people: clgemm_explain().
 * device: where the call would run; null: default_device(). Throws Error. Thread-safe. */
inline std::string explain(Layout layout, Transpose transA, Transpose transB, std::size_t m, std::size_t n, std::size_t k,
                           float alpha, std::size_t offA, std::size_t lda, std::size_t offB, std::size_t ldb, float beta,
                           std::size_t offC, std::size_t ldc, const cl::Device& device = cl::Device(),
                           const Options& options = {})
{
    const clgemm_options asked = detail::to_c(options);
    return detail::text_of([&](char* text, std::size_t size, std::size_t* needed) {
        return clgemm_explain(detail::to_c(layout), detail::to_c(transA), detail::to_c(transB), m, n, k, alpha, offA, lda,
                              offB, ldb, beta, offC, ldc, device(), &asked, text, size, needed);
    });
}

/** workspace_size() for a call that is described, of one product or of a batch: clgemm_call_workspace_size().
 * Throws Error. Thread-safe. */
inline std::size_t workspace_size(const Call& call, const cl::Device& device = cl::Device(), const Options& options = {})
{
    const clgemm_options asked = detail::to_c(options);
    const clgemm_call described = detail::to_c(call);
    std::size_t bytes = 0;
    detail::check(clgemm_call_workspace_size(&described, device(), &asked, &bytes));
    return bytes;
}

/** explain() for a call that is described, of one product or of a batch: clgemm_call_explain().
 * Throws Error. Thread-safe. */
inline std::string explain(const Call& call, const cl::Device& device = cl::Device(), const Options& options = {})
{
    const clgemm_options asked = detail::to_c(options);
    const clgemm_call described = detail::to_c(call);
    return detail::text_of([&](char* text, std::size_t size, std::size_t* needed) {
        return clgemm_call_explain(&described, device(), &asked, text, size, needed);
    });
}

// ---- Prepared operands

/** A matrix that the library keeps on a device for many products: clgemm_prepare(). It may be moved, not copied, and gives
 * up what it keeps at its end; calls under way finish undisturbed. */
class Prepared {
public:
    /** Keeps nothing. */
    Prepared() = default;

    /** Keeps op(X) of typical products of m x n x k, X of which lies in a buffer as sgemm() has it of A or B. event: when X
     * has been read. Throws Error. Thread-safe. */
    Prepared(Layout layout, Operand operand, Transpose trans, std::size_t m, std::size_t n, std::size_t k,
             const cl::Buffer& X, std::size_t offX, std::size_t ldX, const cl::CommandQueue& queue,
             const cl::vector<cl::Event>* events = nullptr, cl::Event* event = nullptr, const Options& options = {})
        : Prepared(layout, operand, trans, m, n, k, X, offX, ldX, 0, 1, queue, events, event, options)
    {
    }

    /** Keeps such a matrix for each product of a batch, as many as `count` says, which begin distX elements apart:
     * clgemm_prepare_strided_batched(). Throws Error. Thread-safe. */
    Prepared(Layout layout, Operand operand, Transpose trans, std::size_t m, std::size_t n, std::size_t k,
             const cl::Buffer& X, std::size_t offX, std::size_t ldX, std::size_t distX, std::size_t count,
             const cl::CommandQueue& queue, const cl::vector<cl::Event>* events = nullptr, cl::Event* event = nullptr,
             const Options& options = {})
    {
        const std::vector<cl_event> waitList = detail::to_c(events);
        const clgemm_options asked = detail::to_c(options);
        cl_event read = nullptr;
        detail::check(clgemm_prepare_strided_batched(
            detail::to_c(layout), detail::to_c(operand), detail::to_c(trans), m, n, k, X(), offX, ldX, distX, count, queue(),
            static_cast<cl_uint>(waitList.size()), waitList.empty() ? nullptr : waitList.data(), event ? &read : nullptr,
            &asked, &handle_));
        if (event)
            *event = cl::Event(read); // which releases it
    }

    /** Keeps op(X) of X in host memory: clgemm_prepare_host(). queue: where; null: on the default device. Returns when X has
     * been read. Throws Error. Thread-safe. */
    Prepared(Layout layout, Operand operand, Transpose trans, std::size_t m, std::size_t n, std::size_t k, const float* X,
             std::size_t ldX, const cl::CommandQueue& queue = cl::CommandQueue(), const Options& options = {})
        : Prepared(layout, operand, trans, m, n, k, X, ldX, 0, 1, queue, options)
    {
    }

    /** Keeps such a matrix for each product of a batch: clgemm_prepare_host_strided_batched(). Throws Error. Thread-safe. */
    Prepared(Layout layout, Operand operand, Transpose trans, std::size_t m, std::size_t n, std::size_t k, const float* X,
             std::size_t ldX, std::size_t distX, std::size_t count, const cl::CommandQueue& queue = cl::CommandQueue(),
             const Options& options = {})
    {
        const clgemm_options asked = detail::to_c(options);
        detail::check(clgemm_prepare_host_strided_batched(detail::to_c(layout), detail::to_c(operand), detail::to_c(trans),
                                                          m, n, k, X, ldX, distX, count, queue(), &asked, &handle_));
    }

    /** Takes over what the other one keeps. */
    Prepared(Prepared&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
    /** Takes over what the other one keeps, which gets what this one kept. */
    Prepared& operator=(Prepared&& other) noexcept
    {
        std::swap(handle_, other.handle_);
        return *this;
    }
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;
    ~Prepared() { clgemm_release_prepared(handle_); }

    /** The C handle, which stays this object's; NULL: it keeps nothing. */
    clgemm_prepared operator()() const noexcept { return handle_; }

private:
    clgemm_prepared handle_ = nullptr;
};

/** One of the two factors of a product: a matrix in a buffer, or a prepared one. It refers to what it is made of. */
struct Factor {
    /** In a buffer, of which only the queries need none; offset and leading dimension in elements; so is the distance to the
     * same matrix of a batch's next product. */
    Factor(const cl::Buffer& its_buffer, std::size_t its_offset, std::size_t its_ld, Transpose its_trans = Transpose::no,
           std::size_t its_distance = 0)
        : buffer(its_buffer()), offset(its_offset), ld(its_ld), trans(its_trans), distance(its_distance)
    {
    }
    /** Prepared. */
    Factor(const Prepared& its_prepared) : prepared(its_prepared()) {} // NOLINT(google-explicit-constructor)

    cl_mem buffer = nullptr;            ///< not owned
    std::size_t offset = 0;             ///< where the matrix begins
    std::size_t ld = 0;                 ///< its leading dimension
    Transpose trans = Transpose::no;    ///< whether it is transposed
    std::size_t distance = 0;           ///< in a batch, from each to the next; 0: all products share it
    clgemm_prepared prepared = nullptr; ///< not owned; what is above does not count then
};

/** The same of a product on host memory. */
struct HostFactor {
    /** In host memory, as Factor has it. */
    HostFactor(const float* its_memory, std::size_t its_ld, Transpose its_trans = Transpose::no,
               std::size_t its_distance = 0)
        : memory(its_memory), ld(its_ld), trans(its_trans), distance(its_distance)
    {
    }
    /** Prepared. */
    HostFactor(const Prepared& its_prepared) : prepared(its_prepared()) {} // NOLINT(google-explicit-constructor)

    const float* memory = nullptr;      ///< not owned
    std::size_t ld = 0;                 ///< its leading dimension
    Transpose trans = Transpose::no;    ///< whether it is transposed
    std::size_t distance = 0;           ///< in a batch, from each to the next; 0: all products share it
    clgemm_prepared prepared = nullptr; ///< not owned; what is above does not count then
};

/** C = alpha * op(A) * op(B) + beta * C on host memory, where one factor or both are prepared: clgemm_sgemm_host_prepared().
 * queue: of the device that keeps them; null: the default device's. Throws Error. Thread-safe. */
inline void sgemm(Layout layout, std::size_t m, std::size_t n, std::size_t k, float alpha, const HostFactor& A,
                  const HostFactor& B, float beta, float* C, std::size_t ldc,
                  const cl::CommandQueue& queue = cl::CommandQueue(), const Options& options = {})
{
    const clgemm_options asked = detail::to_c(options);
    detail::check(clgemm_sgemm_host_prepared(detail::to_c(layout), detail::to_c(A.trans), detail::to_c(B.trans), m, n, k,
                                             alpha, A.memory, A.ld, A.prepared, B.memory, B.ld, B.prepared, beta, C, ldc,
                                             queue(), &asked));
}

/** As many such products as `count` says: clgemm_sgemm_host_prepared_strided_batched(). Throws Error. Thread-safe. */
inline void sgemm_strided_batched(Layout layout, std::size_t m, std::size_t n, std::size_t k, float alpha,
                                  const HostFactor& A, const HostFactor& B, float beta, float* C, std::size_t ldc,
                                  std::size_t distC, std::size_t count, const cl::CommandQueue& queue = cl::CommandQueue(),
                                  const Options& options = {})
{
    const clgemm_options asked = detail::to_c(options);
    detail::check(clgemm_sgemm_host_prepared_strided_batched(
        detail::to_c(layout), detail::to_c(A.trans), detail::to_c(B.trans), m, n, k, alpha, A.memory, A.ld, A.distance,
        A.prepared, B.memory, B.ld, B.distance, B.prepared, beta, C, ldc, distC, count, queue(), &asked));
}

/** C = alpha * op(A) * op(B) + beta * C, where one factor or both are prepared, asynchronously: clgemm_sgemm_prepared().
 * Throws Error. Thread-safe. */
inline void sgemm(Layout layout, std::size_t m, std::size_t n, std::size_t k, float alpha, const Factor& A, const Factor& B,
                  float beta, const cl::Buffer& C, std::size_t offC, std::size_t ldc, const cl::CommandQueue& queue,
                  const cl::vector<cl::Event>* events = nullptr, cl::Event* event = nullptr, const Options& options = {})
{
    const std::vector<cl_event> waitList = detail::to_c(events);
    const clgemm_options asked = detail::to_c(options);
    cl_event done = nullptr;
    detail::check(clgemm_sgemm_prepared(detail::to_c(layout), detail::to_c(A.trans), detail::to_c(B.trans), m, n, k, alpha,
                                        A.buffer, A.offset, A.ld, A.prepared, B.buffer, B.offset, B.ld, B.prepared, beta,
                                        C(), offC, ldc, queue(), static_cast<cl_uint>(waitList.size()),
                                        waitList.empty() ? nullptr : waitList.data(), event ? &done : nullptr, &asked));
    if (event)
        *event = cl::Event(done); // which releases it
}

/** As many such products as `count` says, whose factors and C's lie at equal distances; all share a prepared factor, or
 * have one each, if it was prepared so: clgemm_sgemm_prepared_strided_batched(). Throws Error. Thread-safe. */
inline void sgemm_strided_batched(Layout layout, std::size_t m, std::size_t n, std::size_t k, float alpha, const Factor& A,
                                  const Factor& B, float beta, const cl::Buffer& C, std::size_t offC, std::size_t ldc,
                                  std::size_t distC, std::size_t count, const cl::CommandQueue& queue,
                                  const cl::vector<cl::Event>* events = nullptr, cl::Event* event = nullptr,
                                  const Options& options = {})
{
    const std::vector<cl_event> waitList = detail::to_c(events);
    const clgemm_options asked = detail::to_c(options);
    cl_event done = nullptr;
    detail::check(clgemm_sgemm_prepared_strided_batched(
        detail::to_c(layout), detail::to_c(A.trans), detail::to_c(B.trans), m, n, k, alpha, A.buffer, A.offset, A.ld,
        A.distance, A.prepared, B.buffer, B.offset, B.ld, B.distance, B.prepared, beta, C(), offC, ldc, distC, count,
        queue(), static_cast<cl_uint>(waitList.size()), waitList.empty() ? nullptr : waitList.data(),
        event ? &done : nullptr, &asked));
    if (event)
        *event = cl::Event(done); // which releases it
}

/** The bytes of Options::workspace that such a call needs: clgemm_sgemm_prepared_workspace_size(). Throws Error.
 * Thread-safe. */
inline std::size_t workspace_size(Layout layout, std::size_t m, std::size_t n, std::size_t k, float alpha, const Factor& A,
                                  const Factor& B, float beta, std::size_t offC, std::size_t ldc,
                                  const Options& options = {})
{
    const clgemm_options asked = detail::to_c(options);
    std::size_t bytes = 0;
    detail::check(clgemm_sgemm_prepared_workspace_size(detail::to_c(layout), detail::to_c(A.trans), detail::to_c(B.trans), m,
                                                       n, k, alpha, A.offset, A.ld, A.prepared, B.offset, B.ld, B.prepared,
                                                       beta, offC, ldc, &asked, &bytes));
    return bytes;
}

/** What such a call would do, and what its prepared factors keep, as text for people: clgemm_sgemm_prepared_explain().
 * Throws Error. Thread-safe. */
inline std::string explain(Layout layout, std::size_t m, std::size_t n, std::size_t k, float alpha, const Factor& A,
                           const Factor& B, float beta, std::size_t offC, std::size_t ldc, const Options& options = {})
{
    const clgemm_options asked = detail::to_c(options);
    return detail::text_of([&](char* text, std::size_t size, std::size_t* needed) {
        return clgemm_sgemm_prepared_explain(detail::to_c(layout), detail::to_c(A.trans), detail::to_c(B.trans), m, n, k,
                                             alpha, A.offset, A.ld, A.prepared, B.offset, B.ld, B.prepared, beta, offC, ldc,
                                             &asked, text, size, needed);
    });
}

/** The bytes of Options::workspace that a described call needs, of one product or of a batch, with these operands (null: not
 * prepared): clgemm_call_prepared_workspace_size(). Throws Error. Thread-safe. */
inline std::size_t workspace_size(const Call& call, const Prepared* A, const Prepared* B, const Options& options = {})
{
    const clgemm_options asked = detail::to_c(options);
    const clgemm_call described = detail::to_c(call);
    std::size_t bytes = 0;
    detail::check(
        clgemm_call_prepared_workspace_size(&described, A ? (*A)() : nullptr, B ? (*B)() : nullptr, &asked, &bytes));
    return bytes;
}

/** What such a call would do, and what its prepared operands keep, as text for people: clgemm_call_prepared_explain().
 * Throws Error. Thread-safe. */
inline std::string explain(const Call& call, const Prepared* A, const Prepared* B, const Options& options = {})
{
    const clgemm_options asked = detail::to_c(options);
    const clgemm_call described = detail::to_c(call);
    return detail::text_of([&](char* text, std::size_t size, std::size_t* needed) {
        return clgemm_call_prepared_explain(&described, A ? (*A)() : nullptr, B ? (*B)() : nullptr, &asked, text, size,
                                            needed);
    });
}

// ---- Beforehand, and about the library

/** Builds beforehand what calls like these will need, so that the first of them takes no longer than others:
 * clgemm_warm_up(). context: whose programs are built; null: what sgemm() on host memory without a queue will need. device:
 * where the calls will run; null: each device of the context. Throws Error. Thread-safe. */
inline void warm_up(const std::vector<Call>& calls, const cl::Context& context = cl::Context(),
                    const cl::Device& device = cl::Device(), const Options& options = {})
{
    const clgemm_options asked = detail::to_c(options);
    std::vector<clgemm_call> described;
    described.reserve(calls.size());
    for (const Call& call : calls)
        described.push_back(detail::to_c(call));
    detail::check(clgemm_warm_up(context(), device(), described.size(), described.data(), &asked));
}

/** The device that sgemm() on host memory uses without a queue: clgemm_default_device(). Throws Error. Thread-safe. */
inline cl::Device default_device()
{
    cl_device_id device = nullptr;
    detail::check(clgemm_default_device(&device));
    return cl::Device(device, true); // the library keeps its own reference
}

/** All kernels' names, as Options::kernel takes them: clgemm_kernel_count(), clgemm_kernel_name(). Thread-safe. */
inline std::vector<std::string> kernel_names()
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < clgemm_kernel_count(); i++)
        names.emplace_back(clgemm_kernel_name(i));
    return names;
}

/** Takes a line of the log: a sentence without a line's end, which lives until the function returns. */
using LogFunction = std::function<void(std::string_view line)>;

namespace detail {

/** What set_log() was given. Never destroyed, so that static destructors may make calls that are logged. */
struct Log {
    std::mutex mutex;
    std::unique_ptr<LogFunction> function;
};

inline Log& log()
{
    static auto* const process = new Log;
    return *process;
}

inline void write_log_line(const char* line, void* function) noexcept
{
    try {
        (*static_cast<const LogFunction*>(function))(line);
    } catch (...) { // The library is no place for it, and the call that is logged goes on.
        return;
    }
}

} // namespace detail

/** Sends the log to `function` instead of standard error: the lines that CLGEMM_LOG=1 prints, which are then written
 * whatever that variable says, and warnings: clgemm_set_log(). An empty function, or nullptr: as before.
 *
 * The function is copied and kept until the next set_log() has returned; then nobody is in it any more. What it refers to
 * must live as long, so call set_log(nullptr) before that ends, and before code of the function's own is unloaded. It is
 * called by the thread whose call the line is about, or by one that builds a program for it, so by several at once if calls
 * are made at once. It must not call clgemm, and set_log()'s caller must hold no lock that it takes. A line for which it
 * throws is lost. Throws Error, and std::bad_alloc; then the former function stays. Thread-safe. Example:
 *
 *     clgemm::set_log([](std::string_view line) { std::clog << line << std::endl; }); */
inline void set_log(LogFunction function)
{
    std::unique_ptr<LogFunction> kept;
    if (function)
        kept = std::make_unique<LogFunction>(std::move(function));
    detail::Log& log = detail::log();
    const std::lock_guard<std::mutex> lock(log.mutex);
    detail::check(clgemm_set_log(kept ? detail::write_log_line : nullptr, kept.get()));
    log.function.swap(kept);
}

/** Drops what the library keeps for a context, or for all of them (null): clgemm_teardown(). Not needed before exit.
 * Throws Error. Thread-safe. */
inline void teardown(const cl::Context& context = cl::Context())
{
    detail::check(clgemm_teardown(context()));
}

} // namespace clgemm

#endif
