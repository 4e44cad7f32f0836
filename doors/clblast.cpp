// The door for programs that call CLBlast: its SGEMM in C and in C++, computed by clgemm, with the binary interface of
// CLBlast 1.3 to 1.6. clblast_names.inc lists the routines that go on to the real CLBlast.
//
// Arguments, enumerators and status codes are those of CLBlast's own headers, clblast_c.h and clblast.h, and so is the order
// in which wrong arguments are found: the queue (CLBlastInvalidCommandQueue), a number that is no enumerator
// (CLBlastInvalidValue; CLBlast takes any number), the number of batches, sizes (m, n and k must not be 0:
// CLBlastInvalidDimension), then of A, B, C: leading dimension, buffer, buffer's size. Every function may be called from any
// number of threads at once.
#include "forwarding.hpp"
#include "operand.hpp"

#include <algorithm>
#include <cstdint>

namespace clgemm::doors {

NextLibrary& next_library()
{
    static constinit NextLibrary clblast("CLGEMM_REAL_CLBLAST", "libclblast.so.1");
    return clblast;
}

namespace {

// What all products of a call share. The enumerations have clgemm's values, which are CBLAS's; they are numbers, since C
// callers may pass any.
struct Call {
    int layout, trans_a, trans_b;
    std::size_t m, n, k;
    const cl_command_queue* queue;
};

struct Product {
    float alpha;
    Place a, b;
    float beta;
    Place c;
};

int check_call(const Call& call, std::size_t batch_count = 1)
{
    if (!call.queue || !*call.queue)
        return CL_INVALID_COMMAND_QUEUE;
    const auto is_transpose = [](int value) { return value >= CLGEMM_NO_TRANS && value <= CLGEMM_CONJ_TRANS; };
    if ((call.layout != CLGEMM_ROW_MAJOR && call.layout != CLGEMM_COLUMN_MAJOR) || !is_transpose(call.trans_a) ||
        !is_transpose(call.trans_b))
        return CL_INVALID_VALUE;
    if (batch_count == 0)
        return invalid_batch_count;
    return call.m == 0 || call.n == 0 || call.k == 0 ? invalid_dimension : CL_SUCCESS;
}

int check_matrices(const Call& call, const Place& a, const Place& b, const Place& c)
{
    const bool column_major = call.layout == CLGEMM_COLUMN_MAJOR;
    int status = check_operand(operand_a, a, stored_shape(column_major, call.trans_a != CLGEMM_NO_TRANS, call.m, call.k));
    if (status == CL_SUCCESS)
        status = check_operand(operand_b, b, stored_shape(column_major, call.trans_b != CLGEMM_NO_TRANS, call.k, call.n));
    return status != CL_SUCCESS ? status : check_operand(operand_c, c, stored_shape(column_major, false, call.m, call.n));
}

int enqueue(const Call& call, const Product& product, cl_event* event, cl_mem temporary)
{
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.workspace = temporary;
    return status_of(clgemm_sgemm_ex(static_cast<clgemm_layout>(call.layout), static_cast<clgemm_transpose>(call.trans_a),
                                     static_cast<clgemm_transpose>(call.trans_b), call.m, call.n, call.k, product.alpha,
                                     product.a.buffer, product.a.offset, product.a.ld, product.b.buffer, product.b.offset,
                                     product.b.ld, product.beta, product.c.buffer, product.c.offset, product.c.ld,
                                     *call.queue, 0, nullptr, event, &options));
}

int multiply(const Call& call, const Product& product, cl_event* event, cl_mem temporary)
{
    int status = check_call(call);
    if (status == CL_SUCCESS)
        status = check_matrices(call, product.a, product.b, product.c);
    return status != CL_SUCCESS ? status : enqueue(call, product, event, temporary);
}

// Matrices in one buffer, each at an offset of its own.
struct Places {
    cl_mem buffer;
    const std::size_t* offsets;
    std::size_t ld;

    Place last(std::size_t count) const { return {buffer, *std::max_element(offsets, offsets + count), ld}; }
};

struct Batch {
    std::size_t count;
    const float* alphas;
    Places a, b;
    const float* betas;
    Places c;
};

int multiply(const Call& call, const Batch& batch, cl_event* event)
{
    const auto& [count, alphas, a, b, betas, c] = batch;
    int status = check_call(call, count);
    if (status == CL_SUCCESS)
        status = check_matrices(call, a.last(count), b.last(count), c.last(count));
    if (status != CL_SUCCESS)
        return status;
    return status_of(clgemm_sgemm_batched(
        static_cast<clgemm_layout>(call.layout), static_cast<clgemm_transpose>(call.trans_a),
        static_cast<clgemm_transpose>(call.trans_b), call.m, call.n, call.k, count, alphas, a.buffer, a.offsets, a.ld,
        b.buffer, b.offsets, b.ld, betas, c.buffer, c.offsets, c.ld, count, *call.queue, 0, nullptr, event));
}

// The first of some matrices that lie a stride apart.
struct StridedPlaces {
    Place first;
    std::size_t stride;

    Place last(std::size_t count) const
    {
        std::size_t way = 0, offset = 0;
        const bool is_countable =
            !__builtin_mul_overflow(count - 1, stride, &way) && !__builtin_add_overflow(first.offset, way, &offset);
        return {first.buffer, is_countable ? offset : SIZE_MAX, first.ld};
    }
};

struct StridedBatch {
    std::size_t count;
    float alpha;
    StridedPlaces a, b;
    float beta;
    StridedPlaces c;
};

int multiply(const Call& call, const StridedBatch& batch, cl_event* event)
{
    const auto& [count, alpha, a, b, beta, c] = batch;
    int status = check_call(call, count);
    if (status == CL_SUCCESS && c.stride == 0)
        status = invalid_dimension;
    if (status == CL_SUCCESS)
        status = check_matrices(call, a.last(count), b.last(count), c.last(count));
    if (status != CL_SUCCESS)
        return status;
    return status_of(clgemm_sgemm_strided_batched(
        static_cast<clgemm_layout>(call.layout), static_cast<clgemm_transpose>(call.trans_a),
        static_cast<clgemm_transpose>(call.trans_b), call.m, call.n, call.k, alpha, a.first.buffer, a.first.offset,
        a.first.ld, a.stride, b.first.buffer, b.first.offset, b.first.ld, b.stride, beta, c.first.buffer, c.first.offset,
        c.first.ld, c.stride, count, *call.queue, 0, nullptr, event));
}

// The bytes of temporaries that the call needs, whatever alpha and beta are: what counts is whether beta is 0.
int temporary_size(const Call& call, const Product& product, std::size_t* bytes)
{
    if (const int status = check_call(call); status != CL_SUCCESS)
        return status;
    cl_device_id device = nullptr;
    if (clGetCommandQueueInfo(*call.queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), static_cast<void*>(&device), nullptr) !=
        CL_SUCCESS)
        return CL_INVALID_COMMAND_QUEUE;
    std::size_t most = 0;
    for (const float beta : {0.0f, 1.0f}) {
        std::size_t needed = 0;
        const int status = status_of(clgemm_sgemm_workspace_size(
            static_cast<clgemm_layout>(call.layout), static_cast<clgemm_transpose>(call.trans_a),
            static_cast<clgemm_transpose>(call.trans_b), call.m, call.n, call.k, 1.0f, product.a.offset, product.a.ld,
            product.b.offset, product.b.ld, beta, product.c.offset, product.c.ld, device, nullptr, &needed));
        if (status != CL_SUCCESS)
            return status;
        most = std::max(most, needed);
    }
    *bytes = most;
    return CL_SUCCESS;
}

} // namespace
} // namespace clgemm::doors

using namespace clgemm::doors;

extern "C" {

// C = alpha * op(A) * op(B) + beta * C on device buffers, asynchronously: op(A) is m x k, op(B) is k x n, C is m x n;
// offsets and leading dimensions count elements. With beta = 0, C is only written. *queue is in order or out of order;
// *event, if event is not null, receives an event that is complete when the whole operation is. temp_buffer: null, or a
// buffer of at least the bytes that CLBlastSGemmTempBufferSize() says, which is used instead of one of clgemm's own; if it
// is smaller, CLBlastInsufficientMemoryTemp. On error C is as it was. Follows: CLBlast.
int CLBlastSgemmWithTempBuffer(int layout, int a_transpose, int b_transpose, size_t m, size_t n, size_t k, float alpha,
                               cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem b_buffer, size_t b_offset, size_t b_ld,
                               float beta, cl_mem c_buffer, size_t c_offset, size_t c_ld, cl_command_queue* queue,
                               cl_event* event, cl_mem temp_buffer)
{
    return multiply({layout, a_transpose, b_transpose, m, n, k, queue},
                    {alpha, {a_buffer, a_offset, a_ld}, {b_buffer, b_offset, b_ld}, beta, {c_buffer, c_offset, c_ld}}, event,
                    temp_buffer);
}

// The same without a temporary buffer. Follows: CLBlast.
int CLBlastSgemm(int layout, int a_transpose, int b_transpose, size_t m, size_t n, size_t k, float alpha, cl_mem a_buffer,
                 size_t a_offset, size_t a_ld, cl_mem b_buffer, size_t b_offset, size_t b_ld, float beta, cl_mem c_buffer,
                 size_t c_offset, size_t c_ld, cl_command_queue* queue, cl_event* event)
{
    return CLBlastSgemmWithTempBuffer(layout, a_transpose, b_transpose, m, n, k, alpha, a_buffer, a_offset, a_ld, b_buffer,
                                      b_offset, b_ld, beta, c_buffer, c_offset, c_ld, queue, event, nullptr);
}

// How many bytes the temporary buffer of such a call must have, to *temp_buffer_size; 0 if it needs none. Follows: CLBlast.
int CLBlastSGemmTempBufferSize(int layout, int a_transpose, int b_transpose, size_t m, size_t n, size_t k, size_t a_offset,
                               size_t a_ld, size_t b_offset, size_t b_ld, size_t c_offset, size_t c_ld,
                               cl_command_queue* queue, size_t* temp_buffer_size)
{
    return temporary_size({layout, a_transpose, b_transpose, m, n, k, queue},
                          {1, {nullptr, a_offset, a_ld}, {nullptr, b_offset, b_ld}, 1, {nullptr, c_offset, c_ld}},
                          temp_buffer_size);
}

// batch_count products, the i-th with alphas[i], betas[i] and the matrices that start at the i-th offsets. The lists are
// read before the call returns, and the event covers all products. Where two matrices C share elements, which CLBlast leaves
// open, CL_INVALID_OPERATION. Follows: CLBlast.
int CLBlastSgemmBatched(int layout, int a_transpose, int b_transpose, size_t m, size_t n, size_t k, const float* alphas,
                        cl_mem a_buffer, const size_t* a_offsets, size_t a_ld, cl_mem b_buffer, const size_t* b_offsets,
                        size_t b_ld, const float* betas, cl_mem c_buffer, const size_t* c_offsets, size_t c_ld,
                        size_t batch_count, cl_command_queue* queue, cl_event* event)
{
    return multiply({layout, a_transpose, b_transpose, m, n, k, queue},
                    Batch{batch_count,
                          alphas,
                          {a_buffer, a_offsets, a_ld},
                          {b_buffer, b_offsets, b_ld},
                          betas,
                          {c_buffer, c_offsets, c_ld}},
                    event);
}

// The same with one alpha and beta, and matrices that start a stride apart. c_stride must not be 0, even for one product:
// CLBlastInvalidDimension. Follows: CLBlast.
int CLBlastSgemmStridedBatched(int layout, int a_transpose, int b_transpose, size_t m, size_t n, size_t k, float alpha,
                               cl_mem a_buffer, size_t a_offset, size_t a_ld, size_t a_stride, cl_mem b_buffer,
                               size_t b_offset, size_t b_ld, size_t b_stride, float beta, cl_mem c_buffer, size_t c_offset,
                               size_t c_ld, size_t c_stride, size_t batch_count, cl_command_queue* queue, cl_event* event)
{
    return multiply({layout, a_transpose, b_transpose, m, n, k, queue},
                    StridedBatch{batch_count,
                                 alpha,
                                 {{a_buffer, a_offset, a_ld}, a_stride},
                                 {{b_buffer, b_offset, b_ld}, b_stride},
                                 beta,
                                 {{c_buffer, c_offset, c_ld}, c_stride}},
                    event);
}

// CLBlastFillCache() where there is no real CLBlast: clgemm compiles a kernel when it is first needed, and keeps it on disk.
int clgemm_door_fill_cache(cl_device_id)
{
    return CL_SUCCESS;
}

} // extern "C"

// What clblast.h declares in C++ has names that the compiler makes of these types. The values are as in C.
namespace clblast {

enum class StatusCode {};
enum class Layout {};
enum class Transpose {};

template <typename T>
StatusCode Gemm(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n, size_t k, T alpha,
                cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem b_buffer, size_t b_offset, size_t b_ld, T beta,
                cl_mem c_buffer, size_t c_offset, size_t c_ld, cl_command_queue* queue, cl_event* event, cl_mem temp_buffer);

// CLBlastSgemmWithTempBuffer()
template <>
StatusCode Gemm(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n, size_t k, float alpha,
                cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem b_buffer, size_t b_offset, size_t b_ld, float beta,
                cl_mem c_buffer, size_t c_offset, size_t c_ld, cl_command_queue* queue, cl_event* event, cl_mem temp_buffer)
{
    return static_cast<StatusCode>(CLBlastSgemmWithTempBuffer(
        static_cast<int>(layout), static_cast<int>(a_transpose), static_cast<int>(b_transpose), m, n, k, alpha, a_buffer,
        a_offset, a_ld, b_buffer, b_offset, b_ld, beta, c_buffer, c_offset, c_ld, queue, event, temp_buffer));
}

template <typename T>
StatusCode GemmTempBufferSize(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n, size_t k,
                              size_t a_offset, size_t a_ld, size_t b_offset, size_t b_ld, size_t c_offset, size_t c_ld,
                              cl_command_queue* queue, size_t& temp_buffer_size);

// CLBlastSGemmTempBufferSize()
template <>
StatusCode GemmTempBufferSize<float>(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n,
                                     size_t k, size_t a_offset, size_t a_ld, size_t b_offset, size_t b_ld, size_t c_offset,
                                     size_t c_ld, cl_command_queue* queue, size_t& temp_buffer_size)
{
    return static_cast<StatusCode>(CLBlastSGemmTempBufferSize(static_cast<int>(layout), static_cast<int>(a_transpose),
                                                              static_cast<int>(b_transpose), m, n, k, a_offset, a_ld,
                                                              b_offset, b_ld, c_offset, c_ld, queue, &temp_buffer_size));
}

template <typename T>
StatusCode GemmBatched(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n, size_t k,
                       const T* alphas, cl_mem a_buffer, const size_t* a_offsets, size_t a_ld, cl_mem b_buffer,
                       const size_t* b_offsets, size_t b_ld, const T* betas, cl_mem c_buffer, const size_t* c_offsets,
                       size_t c_ld, size_t batch_count, cl_command_queue* queue, cl_event* event);

// CLBlastSgemmBatched()
template <>
StatusCode GemmBatched(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n, size_t k,
                       const float* alphas, cl_mem a_buffer, const size_t* a_offsets, size_t a_ld, cl_mem b_buffer,
                       const size_t* b_offsets, size_t b_ld, const float* betas, cl_mem c_buffer, const size_t* c_offsets,
                       size_t c_ld, size_t batch_count, cl_command_queue* queue, cl_event* event)
{
    return static_cast<StatusCode>(CLBlastSgemmBatched(
        static_cast<int>(layout), static_cast<int>(a_transpose), static_cast<int>(b_transpose), m, n, k, alphas, a_buffer,
        a_offsets, a_ld, b_buffer, b_offsets, b_ld, betas, c_buffer, c_offsets, c_ld, batch_count, queue, event));
}

template <typename T>
StatusCode GemmStridedBatched(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n, size_t k,
                              T alpha, cl_mem a_buffer, size_t a_offset, size_t a_ld, size_t a_stride, cl_mem b_buffer,
                              size_t b_offset, size_t b_ld, size_t b_stride, T beta, cl_mem c_buffer, size_t c_offset,
                              size_t c_ld, size_t c_stride, size_t batch_count, cl_command_queue* queue, cl_event* event);

// CLBlastSgemmStridedBatched()
template <>
StatusCode GemmStridedBatched(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n, size_t k,
                              float alpha, cl_mem a_buffer, size_t a_offset, size_t a_ld, size_t a_stride, cl_mem b_buffer,
                              size_t b_offset, size_t b_ld, size_t b_stride, float beta, cl_mem c_buffer, size_t c_offset,
                              size_t c_ld, size_t c_stride, size_t batch_count, cl_command_queue* queue, cl_event* event)
{
    return static_cast<StatusCode>(
        CLBlastSgemmStridedBatched(static_cast<int>(layout), static_cast<int>(a_transpose), static_cast<int>(b_transpose), m,
                                   n, k, alpha, a_buffer, a_offset, a_ld, a_stride, b_buffer, b_offset, b_ld, b_stride, beta,
                                   c_buffer, c_offset, c_ld, c_stride, batch_count, queue, event));
}

// Drops what clgemm keeps for all contexts, and the real CLBlast's cache where there is one. Follows: CLBlast.
StatusCode ClearCache()
{
    clgemm_teardown(nullptr);
    // Not the real one's C function, which calls this one.
    auto* const real = next_library().function<StatusCode()>("_ZN7clblast10ClearCacheEv");
    return real ? real() : StatusCode{CL_SUCCESS};
}

} // namespace clblast

extern "C" int CLBlastClearCache()
{
    return static_cast<int>(clblast::ClearCache());
}
