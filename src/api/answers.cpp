#include "api/answers.hpp"

#include "support/error.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace clgemm::core {
namespace {

// The most bytes that a call takes, for any alignment of `matrices`; the others are aligned as `problem` says. `widths`: as
// Planner::widths_that_matter() returns them.
std::size_t most_workspace(Planner& planner, Problem& problem, const Request& request, std::span<const std::size_t> widths,
                           std::span<const Memory> matrices)
{
    if (matrices.empty())
        return planner.workspace_bytes(problem, request.options);
    Matrix& matrix = problem.matrix_in(matrices.front());
    const std::size_t promised = request.alignment.value_or(1);
    std::size_t result = 0;
    for (std::size_t i = 0; i < widths.size(); i++) {
        // No kernel can tell apart alignments between this width and the next one. So a width counts only where the next one
        // is more than is promised.
        const bool is_last = i + 1 == widths.size();
        if (!is_last && widths[i + 1] * matrix.element_bytes() <= promised)
            continue;
        matrix.alignment = widths[i] * matrix.element_bytes();
        result = std::max(result, most_workspace(planner, problem, request, widths, matrices.subspan(1)));
    }
    return result;
}

} // namespace

std::size_t most_workspace(Planner& planner, Problem problem, const Request& request)
{
    std::vector<Memory> matrices{Memory::c};
    for (const Memory operand : {Memory::a, Memory::b})
        if (!problem.matrix_in(operand).prepared)
            matrices.push_back(operand);
    return most_workspace(planner, problem, request, planner.widths_that_matter(request.options), matrices);
}

Problem aligned(Problem problem, const Request& request)
{
    for (Matrix* matrix : {&problem.a, &problem.b, &problem.c})
        matrix->alignment = matrix->prepared ? buffer_alignment : request.alignment.value_or(buffer_alignment);
    return problem;
}

void must_be_there(const void* pointer, const char* name)
{
    if (!pointer)
        throw Error(CLGEMM_INVALID_POINTER, std::string(name) + " is null");
}

void check_text(const char* text, std::size_t size)
{
    if (!text && size > 0)
        throw Error(CLGEMM_INVALID_POINTER, "text is null, but textSize is not 0");
}

void write_text(const std::string& whole, char* text, std::size_t size, std::size_t* needed)
{
    if (size > 0) {
        const std::size_t length = std::min(whole.size(), size - 1);
        std::memcpy(text, whole.data(), length);
        text[length] = '\0';
    }
    if (needed)
        *needed = whole.size() + 1;
}

} // namespace clgemm::core
