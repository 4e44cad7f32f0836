// The functions that only tell: workspace, explanation, devices, kernels, version.
#include "api/answers.hpp"
#include "api/described_call.hpp"
#include "api/guard.hpp"
#include "device/default_device.hpp"
#include "engine/device_state.hpp"
#include "engine/explanation.hpp"
#include "engine/request.hpp"
#include "families/registry.hpp"
#include "support/environment.hpp"
#include "support/error.hpp"

#include <algorithm>

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

// The bytes that suffice for the call in every alignment that is not ruled out by a promise, and for the same call on host
// memory.
std::size_t workspace_of(Problem problem, cl_device_id device, const Request& request)
{
    const auto planner = planner_of(device);
    const std::size_t as_given = most_workspace(*planner, problem, request);
    // The form on host memory packs what it copies to the device.
    for (Matrix* matrix : {&problem.a, &problem.b, &problem.c})
        *matrix = packed(*matrix);
    return std::max(as_given, most_workspace(*planner, problem, request));
}

std::string explanation_of(const Problem& problem, cl_device_id device, const Request& request)
{
    const Problem of_memory = aligned(problem, request);
    const auto planner = planner_of(device);
    return explain(of_memory, planner->device(), planner->tuning(), planner->plan(of_memory, request.options));
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
            {layout, transA, transB, m, n, k, alpha, offA, lda, offB, ldb, beta, offC, ldc, request.arithmetic_for(k)});
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
        *bytes = workspace_of(read_call(call, 0, "call", request), device, request);
    });
}

clgemm_status clgemm_explain(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m, size_t n,
                             size_t k, float alpha, size_t offA, size_t lda, size_t offB, size_t ldb, float beta,
                             size_t offC, size_t ldc, cl_device_id device, const clgemm_options* options, char* text,
                             size_t textSize, size_t* needed)
{
    return guarded([&] {
        check_text(text, textSize);
        const Request request = read_request(options);
        const Problem problem = make_problem(
            {layout, transA, transB, m, n, k, alpha, offA, lda, offB, ldb, beta, offC, ldc, request.arithmetic_for(k)});
        write_text(explanation_of(problem, device, request), text, textSize, needed);
    });
}

clgemm_status clgemm_call_explain(const clgemm_call* call, cl_device_id device, const clgemm_options* options, char* text,
                                  size_t textSize, size_t* needed)
{
    return guarded([&] {
        check_text(text, textSize);
        must_be_there(call, "call");
        const Request request = read_request(options);
        write_text(explanation_of(read_call(call, 0, "call", request), device, request), text, textSize, needed);
    });
}

clgemm_status clgemm_default_device(cl_device_id* device)
{
    return guarded([&] {
        must_be_there(device, "device");
        environment_request(); // throws where the environment is wrong
        *device = choose_device(environment().device)();
    });
}

size_t clgemm_kernel_count(void)
{
    std::size_t count = 0; // stays 0 where there is no memory for the registry
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
