// The functions that only tell: workspace, explanation, devices, kernels, version.
#include "api/described_call.hpp"
#include "api/guard.hpp"
#include "device/default_device.hpp"
#include "engine/device_state.hpp"
#include "engine/explanation.hpp"
#include "engine/prepared_call.hpp"
#include "engine/request.hpp"
#include "families/registry.hpp"
#include "support/environment.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace clgemm::core {
namespace {

std::shared_ptr<Planner> planner_of(cl_device_id callers)
{
    if (!callers)
        return planner_for(choose_device(environment().device)());
    try {
        return planner_for(callers);
    } catch (const cl::Error& error) {
        if (error.err() != CL_INVALID_DEVICE)
            throw;
        throw Error(CLGEMM_INVALID_DEVICE, "device is no OpenCL device");
    }
}

// The most bytes that a call takes, whatever the alignment of those of its matrices is that are not looked at yet. `widths`:
// as Planner::widths_that_matter() has them.
std::size_t most_workspace(Planner& planner, Problem& problem, const Request& request, std::span<const std::size_t> widths,
                           std::span<const Memory> matrices)
{
    if (matrices.empty())
        return planner.workspace_bytes(problem, request.options);
    Matrix& matrix = problem.matrix_in(matrices.front());
    const std::size_t promised = request.alignment.value_or(1);
    std::size_t result = 0;
    for (std::size_t i = 0; i < widths.size(); i++) {
        // Between this width and the next one, no kernel can tell alignments apart.
        const bool is_last = i + 1 == widths.size();
        if (!is_last && widths[i + 1] * matrix.element_bytes() <= promised)
            continue;
        matrix.alignment = widths[i] * matrix.element_bytes();
        result = std::max(result, most_workspace(planner, problem, request, widths, matrices.subspan(1)));
    }
    return result;
}

// The bytes that suffice for every alignment of the matrices that are not prepared.
std::size_t most_workspace(Planner& planner, Problem& problem, const Request& request)
{
    std::vector<Memory> matrices{Memory::c};
    for (const Memory operand : {Memory::a, Memory::b})
        if (!problem.matrix_in(operand).prepared)
            matrices.push_back(operand);
    return most_workspace(planner, problem, request, planner.widths_that_matter(request.options), matrices);
}

// The bytes that suffice for the call on any memory whose alignment is not promised, and for that on host memory.
std::size_t workspace_of(Problem problem, cl_device_id device, const Request& request)
{
    const auto planner = planner_of(device);
    const std::size_t as_given = most_workspace(*planner, problem, request);
    // The form on host memory packs what it copies to the device.
    for (Matrix* matrix : {&problem.a, &problem.b, &problem.c})
        *matrix = packed(*matrix);
    return std::max(as_given, most_workspace(*planner, problem, request));
}

// Of matrices as far aligned as the caller says; without that as memory that OpenCL allocated.
std::string explanation_of(Problem problem, Planner& planner, const Request& request)
{
    for (Matrix* matrix : {&problem.a, &problem.b, &problem.c})
        matrix->alignment = matrix->prepared ? buffer_alignment : request.alignment.value_or(buffer_alignment);
    return explain(problem, planner.device(), planner.tuning(), planner.plan(problem, request.options));
}

// A text for the caller. `make`: makes it, once the rest is right.
template <typename Make> void give_text(const Make& make, char* text, std::size_t size, std::size_t* needed)
{
    if (!text && size > 0)
        throw Error(CLGEMM_INVALID_POINTER, "text is null, but textSize is not 0");
    const std::string whole = make();
    if (size > 0) {
        const std::size_t length = std::min(whole.size(), size - 1);
        std::memcpy(text, whole.data(), length);
        text[length] = '\0';
    }
    if (needed)
        *needed = whole.size() + 1;
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

clgemm_status clgemm_sgemm_workspace_size(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                          size_t n, size_t k, float alpha, size_t offA, size_t lda, size_t offB, size_t ldb,
                                          float beta, size_t offC, size_t ldc, cl_device_id device,
                                          const clgemm_options* options, size_t* bytes)
{
    return guarded([&] {
        must_be_there(bytes, "bytes");
        const Request request = read_request(options);
        const Problem problem = make_problem(
            {layout, transA, transB, m, n, k, alpha, offA, lda, offB, ldb, beta, offC, ldc, {.accuracy = request.accuracy}});
        *bytes = workspace_of(problem, device, request);
    });
}

clgemm_status clgemm_call_workspace_size(const clgemm_call* call, cl_device_id device, const clgemm_options* options,
                                         size_t* bytes)
{
    return guarded([&] {
        must_be_there(bytes, "bytes");
        must_be_there(call, "call");
        const Request request = read_request(options);
        *bytes = workspace_of(read_call(call, 0, "call", request.accuracy), device, request);
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
        auto [problem, operands] = read_prepared_call(
            {layout, transA, transB, m, n, k, alpha, offA, lda, offB, ldb, beta, offC, ldc, {.accuracy = request.accuracy}},
            preparedA, preparedB);
        *bytes = most_workspace(*planner_for(device_of(operands)), problem, request);
    });
}

clgemm_status clgemm_explain(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m, size_t n,
                             size_t k, float alpha, size_t offA, size_t lda, size_t offB, size_t ldb, float beta,
                             size_t offC, size_t ldc, cl_device_id device, const clgemm_options* options, char* text,
                             size_t textSize, size_t* needed)
{
    return guarded([&] {
        const auto make = [&] {
            const Request request = read_request(options);
            const Problem problem = make_problem({layout,
                                                  transA,
                                                  transB,
                                                  m,
                                                  n,
                                                  k,
                                                  alpha,
                                                  offA,
                                                  lda,
                                                  offB,
                                                  ldb,
                                                  beta,
                                                  offC,
                                                  ldc,
                                                  {.accuracy = request.accuracy}});
            return explanation_of(problem, *planner_of(device), request);
        };
        give_text(make, text, textSize, needed);
    });
}

clgemm_status clgemm_call_explain(const clgemm_call* call, cl_device_id device, const clgemm_options* options, char* text,
                                  size_t textSize, size_t* needed)
{
    return guarded([&] {
        const auto make = [&] {
            must_be_there(call, "call");
            const Request request = read_request(options);
            return explanation_of(read_call(call, 0, "call", request.accuracy), *planner_of(device), request);
        };
        give_text(make, text, textSize, needed);
    });
}

clgemm_status clgemm_sgemm_prepared_explain(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                            size_t n, size_t k, float alpha, size_t offA, size_t lda,
                                            clgemm_prepared preparedA, size_t offB, size_t ldb, clgemm_prepared preparedB,
                                            float beta, size_t offC, size_t ldc, const clgemm_options* options, char* text,
                                            size_t textSize, size_t* needed)
{
    return guarded([&] {
        const auto make = [&] {
            const Request request = read_request(options);
            const auto [problem, operands] = read_prepared_call({layout,
                                                                 transA,
                                                                 transB,
                                                                 m,
                                                                 n,
                                                                 k,
                                                                 alpha,
                                                                 offA,
                                                                 lda,
                                                                 offB,
                                                                 ldb,
                                                                 beta,
                                                                 offC,
                                                                 ldc,
                                                                 {.accuracy = request.accuracy}},
                                                                preparedA, preparedB);
            std::string whole = explanation_of(problem, *planner_for(device_of(operands)), request);
            if (operands.a)
                whole += "prepared A: " + operands.a->contents() + "\n";
            if (operands.b)
                whole += "prepared B: " + operands.b->contents() + "\n";
            return whole;
        };
        give_text(make, text, textSize, needed);
    });
}

clgemm_status clgemm_default_device(cl_device_id* device)
{
    return guarded([&] {
        must_be_there(device, "device");
        environment_request(); // or it is wrong
        *device = choose_device(environment().device)();
    });
}

size_t clgemm_kernel_count(void)
{
    std::size_t count = 0; // where there is no memory for the registry
    guarded_without_opencl([&] { count = kernels().size(); });
    return count;
}

const char* clgemm_kernel_name(size_t index)
{
    const char* name = nullptr;
    guarded_without_opencl([&] {
        if (index < kernels().size())
            name = kernels()[index].name.data(); // from literals, so zero-terminated
    });
    return name;
}

const char* clgemm_last_error(void)
{
    return last_error();
}

const char* clgemm_version(void)
{
    return CLGEMM_VERSION;
}

} // extern "C"
