// The door for programs that call clBLAS: its SGEMM, computed by clgemm. clgemm/clblas.h documents each function, and
// clblas_names.inc lists the routines that go on to the real clBLAS.
#include "clgemm/clblas.h"

#include "forwarding.hpp"
#include "operand.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <new>
#include <utility>
#include <vector>

namespace clgemm::doors {

NextLibrary& next_library()
{
    static constinit NextLibrary clblas("CLGEMM_REAL_CLBLAS", "libclBLAS.so.2");
    return clblas;
}

namespace {

std::atomic<bool> is_set_up{false};

// The arguments of a call. The enumerations as numbers: C callers may pass any.
struct Call {
    int order, trans_a, trans_b;
    std::size_t m, n, k;
    float alpha;
    Place a, b;
    float beta;
    Place c;
    cl_uint queue_count;
    const cl_command_queue* queues;
    cl_uint wait_count;
    const cl_event* wait_list;
};

bool is_other_than_buffer(cl_mem object)
{
    cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
    return clGetMemObjectInfo(object, CL_MEM_TYPE, sizeof type, &type, nullptr) == CL_SUCCESS &&
           type != CL_MEM_OBJECT_BUFFER;
}

int check_enumerators(const Call& call)
{
    const auto is_one = [](int value, int last) { return value >= 0 && value <= last; };
    return is_one(call.order, clblasColumnMajor) && is_one(call.trans_a, clblasConjTrans) &&
                   is_one(call.trans_b, clblasConjTrans)
               ? CL_SUCCESS
               : CL_INVALID_VALUE;
}

int check_matrices(const Call& call)
{
    for (const auto& [operand, place] : {std::pair{operand_a, call.a}, {operand_b, call.b}, {operand_c, call.c}})
        if (is_other_than_buffer(place.buffer))
            return invalid_matrix + operand;
    if (call.m == 0 || call.n == 0)
        return invalid_dimension;
    const bool column_major = call.order == clblasColumnMajor;
    int status = CL_SUCCESS;
    if (call.k != 0) {
        status = check_operand(operand_a, call.a, stored_shape(column_major, call.trans_a != clblasNoTrans, call.m, call.k));
        if (status == CL_SUCCESS)
            status =
                check_operand(operand_b, call.b, stored_shape(column_major, call.trans_b != clblasNoTrans, call.k, call.n));
    }
    return status != CL_SUCCESS ? status
                                : check_operand(operand_c, call.c, stored_shape(column_major, false, call.m, call.n));
}

int check_queues(const Call& call)
{
    if (call.queue_count == 0 || !call.queues)
        return CL_INVALID_VALUE;
    cl_context first = nullptr;
    for (cl_uint i = 0; i < call.queue_count; i++) {
        cl_context context = nullptr;
        if (!call.queues[i] || clGetCommandQueueInfo(call.queues[i], CL_QUEUE_CONTEXT, sizeof(cl_context),
                                                     static_cast<void*>(&context), nullptr) != CL_SUCCESS)
            return CL_INVALID_COMMAND_QUEUE;
        if (i == 0)
            first = context;
        if (context != first)
            return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

// Enqueues the operation on the first queue.
int enqueue(const Call& call, cl_event* done)
{
    constexpr clgemm_layout layouts[] = {CLGEMM_ROW_MAJOR, CLGEMM_COLUMN_MAJOR};
    constexpr clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
    // Where A and B have no elements, clBLAS takes any leading dimension and clgemm does not.
    const bool are_empty = call.k == 0;
    const std::size_t lda = are_empty ? call.m : call.a.ld, ldb = are_empty ? call.n : call.b.ld;
    return status_of(clgemm_sgemm_ex(layouts[call.order], transposes[call.trans_a], transposes[call.trans_b], call.m, call.n,
                                     call.k, call.alpha, call.a.buffer, call.a.offset, lda, call.b.buffer, call.b.offset,
                                     ldb, call.beta, call.c.buffer, call.c.offset, call.c.ld, call.queues[0],
                                     call.wait_count, call.wait_list, done, nullptr));
}

// Has the further queues wait for the operation, too. Fills the events of all queues.
int spread(const Call& call, cl_event done, std::vector<cl_event>& events)
{
    events.assign(1, done);
    // A queue that waits for what happens on another may wait for ever unless the other is flushed.
    int status = clFlush(call.queues[0]);
    for (cl_uint i = 1; i < call.queue_count && status == CL_SUCCESS; i++) {
        cl_event after = nullptr;
        status = clEnqueueBarrierWithWaitList(call.queues[i], 1, &done, &after);
        if (status == CL_SUCCESS)
            events.push_back(after);
    }
    return status;
}

void release(const std::vector<cl_event>& events)
{
    for (cl_event event : events)
        clReleaseEvent(event);
}

int multiply(const Call& call, cl_event* events)
{
    if (!is_set_up)
        return not_initialized;
    for (const auto check : {check_enumerators, check_matrices, check_queues})
        if (const int status = check(call); status != CL_SUCCESS)
            return status;
    if (call.queue_count == 1)
        return enqueue(call, events);

    std::vector<cl_event> all;
    all.reserve(call.queue_count);
    cl_event done = nullptr;
    int status = enqueue(call, &done);
    if (status != CL_SUCCESS)
        return status;
    status = spread(call, done, all);
    if (status == CL_SUCCESS && events)
        std::copy(all.begin(), all.end(), events);
    else
        release(all);
    return status;
}

} // namespace
} // namespace clgemm::doors

using namespace clgemm::doors;

clblasStatus clblasGetVersion(cl_uint* major, cl_uint* minor, cl_uint* patch)
{
    for (const auto& [part, value] : {std::pair{major, 2u}, {minor, 12u}, {patch, 0u}})
        if (part)
            *part = value;
    return clblasSuccess;
}

clblasStatus clblasSetup(void)
try {
    if (is_set_up)
        return clblasSuccess;
    auto* const real = next_library().function<clblasStatus()>("clblasSetup");
    const clblasStatus status = real ? real() : clblasSuccess;
    is_set_up = status == clblasSuccess;
    return status;
} catch (const std::bad_alloc&) {
    return clblasOutOfHostMemory;
}

void clblasTeardown(void)
try {
    if (!is_set_up.exchange(false))
        return;
    clgemm_teardown(nullptr);
    if (auto* const real = next_library().function<void()>("clblasTeardown"))
        real();
} catch (const std::bad_alloc&) {
    return; // it has no way to say so
}

clblasStatus clblasSgemm(clblasOrder order, clblasTranspose transA, clblasTranspose transB, size_t M, size_t N, size_t K,
                         cl_float alpha, cl_mem A, size_t offA, size_t lda, cl_mem B, size_t offB, size_t ldb, cl_float beta,
                         cl_mem C, size_t offC, size_t ldc, cl_uint numCommandQueues, cl_command_queue* commandQueues,
                         cl_uint numEventsInWaitList, const cl_event* eventWaitList, cl_event* events)
try {
    // An enumeration that has a value of none of its enumerators may not be read as such.
    const auto number = [](const auto& enumeration) { return std::bit_cast<int>(enumeration); };
    const Place a{A, offA, lda}, b{B, offB, ldb}, c{C, offC, ldc};
    const Call call{number(order), number(transA),      number(transB), M, N, K, alpha, a, b, beta, c, numCommandQueues,
                    commandQueues, numEventsInWaitList, eventWaitList};
    return static_cast<clblasStatus>(multiply(call, events));
} catch (const std::bad_alloc&) {
    return clblasOutOfHostMemory;
}
