#include "engine/prepare_operand.hpp"

#include "engine/device_buffers.hpp"
#include "engine/make_ready.hpp"
#include "engine/prepared_call.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace clgemm::core {
namespace {

// The images that the product wants of its prepared operand, with their programs built.
std::vector<Image> wanted_images(DeviceState& state, const Problem& problem, const Request& request)
{
    if (problem.touches_nothing() || problem.only_scales_c())
        return {};
    Attempts attempts(problem, request);
    std::vector<Image> result = make_ready(state, attempts)->ready.plan.images;
    std::vector<const Step*> steps;
    steps.reserve(result.size());
    for (const Image& image : result)
        steps.push_back(&image.making);
    state.programs.programs(steps);
    return result;
}

// What is wrong with the matrix itself is said first: the others are nobody's argument.
void check(const Arguments& typical, bool is_a)
{
    Arguments alone = typical;
    (is_a ? alone.n : alone.m) = 0;
    make_problem(alone);
    try {
        make_problem(typical);
    } catch (const Error& error) {
        throw Error(error.status(), "the typical product, " + std::to_string(typical.m) + " x " + std::to_string(typical.n) +
                                        " x " + std::to_string(typical.k) + ", is too large: " + error.what());
    }
}

} // namespace

OperandToKeep read_operand(clgemm_operand operand, clgemm_transpose trans, std::size_t offset, std::size_t ld,
                           std::size_t distance, std::size_t count)
{
    if (operand != CLGEMM_OPERAND_A && operand != CLGEMM_OPERAND_B)
        throw Error(CLGEMM_INVALID_OPERAND, "operand is " + std::to_string(static_cast<int>(operand)) +
                                                ", but must be CLGEMM_OPERAND_A (161) or CLGEMM_OPERAND_B (162)");
    // Without a distance all are the same matrix.
    return {
        operand == CLGEMM_OPERAND_A, trans, offset, ld, distance, distance == 0 ? std::min<std::size_t>(count, 1) : count};
}

Arguments typical_products(clgemm_layout layout, const OperandToKeep& matrix, std::size_t m, std::size_t n, std::size_t k,
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
                     {matrix.count},
                     std::max<std::size_t>(1, m * k),
                     std::max<std::size_t>(1, k * n),
                     m * n};
    (matrix.is_a ? result.trans_a : result.trans_b) = matrix.trans;
    (matrix.is_a ? result.offset_a : result.offset_b) = matrix.offset;
    (matrix.is_a ? result.lda : result.ldb) = matrix.ld;
    (matrix.is_a ? result.distance_a : result.distance_b) = matrix.distance;
    check(result, matrix.is_a);
    return result;
}

std::shared_ptr<PreparedOperand> prepare_operand(const Arguments& typical, const OperandToKeep& matrix, cl_mem buffer,
                                                 DeviceState& state, const Submission& submission, const Request& request)
{
    Problem problem = make_problem(typical);
    const Memory which = matrix.memory();
    Buffers buffers;
    buffers[which] = buffer;
    check_operand(problem, which, buffers, state);
    const Matrix& as_called = problem.matrix_in(which);
    auto made = std::make_shared<PreparedOperand>(
        state, typical.layout == CLGEMM_ROW_MAJOR ? transposed(as_called) : as_called, matrix.count);
    // What can be refused is refused before anything is enqueued: nobody would know when the caller's matrix has been read.
    const std::vector<Image> images = wanted_images(
        state, problem_with(typical, matrix.is_a ? PreparedOperands{made, {}} : PreparedOperands{{}, made}), request);
    made->enqueue_copy(buffer, state, submission);
    for (const Image& image : images)
        made->image(image, state, submission);
    return made;
}

} // namespace clgemm::core
