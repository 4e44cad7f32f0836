// clgemm_prepare(), clgemm_release_prepared(), clgemm_sgemm_prepared(), its form for batches, and their queries:
// multiplication by operands that are kept.
#include "api/answers.hpp"
#include "api/described_call.hpp"
#include "api/enqueue.hpp"
#include "api/guard.hpp"
#include "engine/explanation.hpp"
#include "engine/multiply.hpp"
#include "engine/prepare.hpp"
#include "engine/prepared_call.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <memory>
#include <string>

namespace clgemm::core {
namespace {

// A matrix of the caller's that is to be kept, or as many as `count` says.
struct Kept {
    bool is_a;
    clgemm_transpose trans;
    cl_mem buffer;
    std::size_t offset, ld, distance, count;
};

Kept read_kept(clgemm_operand operand, clgemm_transpose trans, cl_mem buffer, std::size_t offset, std::size_t ld,
               std::size_t distance, std::size_t count)
{
    if (operand != CLGEMM_OPERAND_A && operand != CLGEMM_OPERAND_B)
        throw Error(CLGEMM_INVALID_OPERAND, "operand is " + std::to_string(static_cast<int>(operand)) +
                                                ", but must be CLGEMM_OPERAND_A (161) or CLGEMM_OPERAND_B (162)");
    // Without a distance all are the same matrix.
    return {operand == CLGEMM_OPERAND_A,
            trans,
            buffer,
            offset,
            ld,
            distance,
            distance == 0 ? std::min<std::size_t>(count, 1) : count};
}

// Typical products, whose other matrices have no gaps.
Arguments typical_products(clgemm_layout layout, const Kept& kept, std::size_t m, std::size_t n, std::size_t k,
                           const Arithmetic& arithmetic)
{
    const bool row_major = layout == CLGEMM_ROW_MAJOR;
    const auto without_gaps = [&](std::size_t rows, std::size_t cols) {
        return std::max<std::size_t>(1, row_major ? cols : rows);
    };
    Arguments result{layout,
                     CLGEMM_NO_TRANS,
                     CLGEMM_NO_TRANS,
                     m,
                     n,
                     k,
                     1,
                     0,
                     without_gaps(m, k),
                     0,
                     without_gaps(k, n),
                     0,
                     0,
                     without_gaps(m, n),
                     arithmetic,
                     {kept.count},
                     std::max<std::size_t>(1, m * k),
                     std::max<std::size_t>(1, k * n),
                     m * n};
    (kept.is_a ? result.trans_a : result.trans_b) = kept.trans;
    (kept.is_a ? result.offset_a : result.offset_b) = kept.offset;
    (kept.is_a ? result.lda : result.ldb) = kept.ld;
    (kept.is_a ? result.distance_a : result.distance_b) = kept.distance;
    return result;
}

// Makes what the product wants of its prepared operand.
void make_images(PreparedOperand& operand, DeviceState& state, const Problem& problem, const Submission& submission,
                 const Request& request)
{
    if (problem.touches_nothing() || problem.only_scales_c())
        return;
    Attempt attempt = first_attempt(problem, request);
    const auto call = prepare(state, problem, 0, attempt, request);
    for (const Image& image : call->ready.plan.images)
        operand.image(image, state, submission);
}

// Enqueues the copy and the images that the typical products want.
std::shared_ptr<PreparedOperand> prepare_operand(const Arguments& typical, const Kept& kept, DeviceState& state,
                                                 const Submission& submission, const Request& request)
{
    Problem problem = make_problem(typical);
    const Memory which = kept.is_a ? Memory::a : Memory::b;
    Buffers buffers;
    buffers[which] = kept.buffer;
    check_operand(problem, which, buffers, state);
    const Matrix& matrix = problem.matrix_in(which);
    auto made = std::make_shared<PreparedOperand>(state, typical.layout == CLGEMM_ROW_MAJOR ? transposed(matrix) : matrix,
                                                  kept.count, kept.buffer, submission);
    make_images(*made, state, problem_with(typical, kept.is_a ? PreparedOperands{made, {}} : PreparedOperands{{}, made}),
                submission, request);
    return made;
}

// `arguments`: as the caller gave them; their arithmetic is what the options ask for.
void enqueue_prepared(Arguments arguments, clgemm_prepared prepared_a, clgemm_prepared prepared_b, const Buffers& buffers,
                      cl_command_queue queue, cl_uint num_wait, const cl_event* wait_list, cl_event* event,
                      const clgemm_options* options)
{
    enqueue(queue, num_wait, wait_list, event, options,
            [&](const Request& request, const CallersQueue& callers, const Submission& submission) {
                arguments.arithmetic = request.arithmetic_for(arguments.k);
                const auto [problem, operands] = read_prepared_call(arguments, prepared_a, prepared_b);
                check_place(operands, callers.context, callers.device);
                return problem.touches_nothing() ? cl::Event()
                                                 : multiply_prepared(*device_state(callers, buffers.c), problem, buffers,
                                                                     submission, request, operands);
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

void must_be_there(const void* pointer, const char* name)
{
    if (!pointer)
        throw Error(CLGEMM_INVALID_POINTER, std::string(name) + " is null");
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
        const Kept kept = read_kept(operand, trans, X, offX, ldX, distX, count);
        Request request = read_request(options);
        request.workspace = nullptr;
        const CallersQueue callers = ask(queue);
        const auto wait_for = checked_wait_list(numWait, waitList, callers.context);
        const Arguments typical = typical_products(layout, kept, m, n, k, request.arithmetic_for(k));
        const auto state = device_state(callers, X);
        const BorrowedQueue borrowed(queue);
        const Submission submission(borrowed, callers.is_in_order, wait_for);
        const auto made = prepare_operand(typical, kept, *state, submission, request);
        cl::Event read = made->copy().made;
        if (event && !read())
            read = marker(queue, {});
        *prepared = handle_of(made);
        give(read, event);
    });
}

clgemm_status clgemm_release_prepared(clgemm_prepared prepared)
{
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
                         preparedB, {A, B, C}, queue, numWait, waitList, event, options);
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
        enqueue_prepared(arguments, preparedA, preparedB, {A, B, C}, queue, numWait, waitList, event, options);
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
        *bytes = workspace_of(read_prepared_call(read_arguments(call, 0, "call", request), preparedA, preparedB), request);
    });
}

clgemm_status clgemm_call_prepared_explain(const clgemm_call* call, clgemm_prepared preparedA, clgemm_prepared preparedB,
                                           const clgemm_options* options, char* text, size_t textSize, size_t* needed)
{
    return guarded([&] {
        check_text(text, textSize);
        must_be_there(call, "call");
        const Request request = read_request(options);
        const auto described = read_prepared_call(read_arguments(call, 0, "call", request), preparedA, preparedB);
        write_text(explanation_of(described, request), text, textSize, needed);
    });
}

} // extern "C"
