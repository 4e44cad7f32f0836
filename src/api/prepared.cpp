// clgemm_prepare(), clgemm_release_prepared(), clgemm_sgemm_prepared(), its form for batches, and their queries:
// multiplication by operands that are kept.
#include "api/answers.hpp"
#include "api/described_call.hpp"
#include "api/enqueue.hpp"
#include "api/guard.hpp"
#include "engine/explanation.hpp"
#include "engine/multiply.hpp"
#include "engine/prepare_operand.hpp"
#include "engine/prepared_call.hpp"
#include "support/error.hpp"

#include <memory>
#include <string>

namespace clgemm::core {
namespace {

// `arguments`: as the caller gave them; their arithmetic is what the options ask for.
void enqueue_prepared(Arguments arguments, clgemm_prepared prepared_a, clgemm_prepared prepared_b, const Buffers& buffers,
                      const QueueArguments& to)
{
    enqueue(to, [&](const Request& request, const CallersQueue& callers, const Submission& submission) {
        arguments.arithmetic = request.arithmetic_for(arguments.k);
        const auto [problem, operands] = read_prepared_call(arguments, prepared_a, prepared_b);
        check_place(operands, callers.context, callers.device);
        return problem.touches_nothing()
                   ? cl::Event()
                   : multiply(*device_state(callers, buffers.c), problem, buffers, submission, request, operands);
    });
}

std::size_t workspace_of(const PreparedCall& call, const Request& request)
{
    return most_workspace(*planner_for(device_of(call.operands)), call.problem, request);
}

std::string explanation_of(const PreparedCall& call, const Request& request)
{
    const Problem problem = aligned(call.problem, request);
    const auto planner = planner_for(device_of(call.operands));
    std::string result = explain(problem, planner->device(), planner->tuning(), planner->plan(problem, request.options));
    if (call.operands.a)
        result += "prepared A: " + call.operands.a->contents() + "\n";
    if (call.operands.b)
        result += "prepared B: " + call.operands.b->contents() + "\n";
    return result;
}

PreparedCall read_described(const clgemm_call* call, clgemm_prepared a, clgemm_prepared b, const Request& request)
{
    const Arguments arguments = read_arguments(call, 0, "call", request);
    if (arguments.batch.listed)
        throw Error(CLGEMM_INVALID_CALL, "call: indirect is 1, but no call takes a list and prepared operands");
    return read_prepared_call(arguments, a, b);
}

} // namespace
} // namespace clgemm::core

using namespace clgemm::core;

extern "C" {

clgemm_status clgemm_prepare(clgemm_layout layout, clgemm_operand operand, clgemm_transpose trans, size_t m, size_t n,
                             size_t k, cl_mem X, size_t offX, size_t ldX, cl_command_queue queue, cl_uint numWait,
                             const cl_event* waitList, cl_event* event, const clgemm_options* options,
                             clgemm_prepared* prepared)
{
    return clgemm_prepare_strided_batched(layout, operand, trans, m, n, k, X, offX, ldX, 0, 1, queue, numWait, waitList,
                                          event, options, prepared);
}

clgemm_status clgemm_prepare_strided_batched(clgemm_layout layout, clgemm_operand operand, clgemm_transpose trans, size_t m,
                                             size_t n, size_t k, cl_mem X, size_t offX, size_t ldX, size_t distX,
                                             size_t count, cl_command_queue queue, cl_uint numWait, const cl_event* waitList,
                                             cl_event* event, const clgemm_options* options, clgemm_prepared* prepared)
{
    return guarded([&] {
        must_be_there(prepared, "prepared");
        const OperandToKeep matrix = read_operand(operand, trans, offX, ldX, distX, count);
        Request request = read_request(options);
        request.workspace = nullptr;
        const CallersQueue callers = ask(queue);
        const auto wait_for = checked_wait_list(numWait, waitList, callers.context);
        const Arguments typical = typical_products(layout, matrix, m, n, k, request.arithmetic_for(k));
        const auto state = device_state(callers, X);
        const BorrowedQueue borrowed(queue);
        const Submission submission(borrowed, callers.is_in_order, wait_for);
        const auto made = prepare_operand(typical, matrix, X, *state, submission, request);
        cl::Event read = made->copy().made;
        if (event && !read())
            read = event_after(queue, callers.context, callers.is_in_order, {});
        *prepared = handle_of(made);
        give(read, event);
    });
}

clgemm_status clgemm_release_prepared(clgemm_prepared prepared)
{
    const WithoutCancellation from_here(false);
    return guarded([&] {
        if (prepared && !release(prepared))
            throw Error(CLGEMM_INVALID_POINTER, "prepared is no prepared operand, or was released before");
    });
}

clgemm_status clgemm_sgemm_prepared(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                    size_t n, size_t k, float alpha, cl_mem A, size_t offA, size_t lda,
                                    clgemm_prepared preparedA, cl_mem B, size_t offB, size_t ldb, clgemm_prepared preparedB,
                                    float beta, cl_mem C, size_t offC, size_t ldc, cl_command_queue queue, cl_uint numWait,
                                    const cl_event* waitList, cl_event* event, const clgemm_options* options)
{
    return guarded([&] {
        enqueue_prepared({layout, transA, transB, m, n, k, alpha, offA, lda, offB, ldb, beta, offC, ldc}, preparedA,
                         preparedB, {A, B, C}, {queue, numWait, waitList, event, options});
    });
}

clgemm_status clgemm_sgemm_prepared_strided_batched(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB,
                                                    size_t m, size_t n, size_t k, float alpha, cl_mem A, size_t offA,
                                                    size_t lda, size_t distA, clgemm_prepared preparedA, cl_mem B,
                                                    size_t offB, size_t ldb, size_t distB, clgemm_prepared preparedB,
                                                    float beta, cl_mem C, size_t offC, size_t ldc, size_t distC,
                                                    size_t count, cl_command_queue queue, cl_uint numWait,
                                                    const cl_event* waitList, cl_event* event, const clgemm_options* options)
{
    return guarded([&] {
        const Arguments arguments{layout, transA, transB, m,   n,  k,       alpha, offA,  lda,  offB,
                                  ldb,    beta,   offC,   ldc, {}, {count}, distA, distB, distC};
        enqueue_prepared(arguments, preparedA, preparedB, {A, B, C}, {queue, numWait, waitList, event, options});
    });
}

clgemm_status clgemm_sgemm_prepared_workspace_size(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB,
                                                   size_t m, size_t n, size_t k, float alpha, size_t offA, size_t lda,
                                                   clgemm_prepared preparedA, size_t offB, size_t ldb,
                                                   clgemm_prepared preparedB, float beta, size_t offC, size_t ldc,
                                                   const clgemm_options* options, size_t* bytes)
{
    return guarded([&] {
        must_be_there(bytes, "bytes");
        const Request request = read_request(options);
        Arguments arguments{layout, transA, transB, m, n, k, alpha, offA, lda, offB, ldb, beta, offC, ldc};
        arguments.arithmetic = request.arithmetic_for(k);
        *bytes = workspace_of(read_prepared_call(arguments, preparedA, preparedB), request);
    });
}

clgemm_status clgemm_sgemm_prepared_explain(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                            size_t n, size_t k, float alpha, size_t offA, size_t lda,
                                            clgemm_prepared preparedA, size_t offB, size_t ldb, clgemm_prepared preparedB,
                                            float beta, size_t offC, size_t ldc, const clgemm_options* options, char* text,
                                            size_t textSize, size_t* needed)
{
    return guarded([&] {
        check_text(text, textSize);
        const Request request = read_request(options);
        Arguments arguments{layout, transA, transB, m, n, k, alpha, offA, lda, offB, ldb, beta, offC, ldc};
        arguments.arithmetic = request.arithmetic_for(k);
        write_text(explanation_of(read_prepared_call(arguments, preparedA, preparedB), request), text, textSize, needed);
    });
}

clgemm_status clgemm_call_prepared_workspace_size(const clgemm_call* call, clgemm_prepared preparedA,
                                                  clgemm_prepared preparedB, const clgemm_options* options, size_t* bytes)
{
    return guarded([&] {
        must_be_there(bytes, "bytes");
        must_be_there(call, "call");
        const Request request = read_request(options);
        *bytes = workspace_of(read_described(call, preparedA, preparedB, request), request);
    });
}

clgemm_status clgemm_call_prepared_explain(const clgemm_call* call, clgemm_prepared preparedA, clgemm_prepared preparedB,
                                           const clgemm_options* options, char* text, size_t textSize, size_t* needed)
{
    return guarded([&] {
        check_text(text, textSize);
        must_be_there(call, "call");
        const Request request = read_request(options);
        write_text(explanation_of(read_described(call, preparedA, preparedB, request), request), text, textSize, needed);
    });
}

} // extern "C"
