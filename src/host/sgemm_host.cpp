// clgemm_sgemm_host() and clgemm_sgemm_host_ex(): multiplication on host memory: in place where the device shares it,
// else by way of copies on the device.
#include "api/device_buffers.hpp"
#include "api/guard.hpp"
#include "execute/default_queue.hpp"
#include "execute/execution.hpp"
#include "host/by_copies.hpp"
#include "host/in_place.hpp"
#include "host/scaling.hpp"
#include "support/error.hpp"

namespace clgemm::core {
namespace {

void check_pointers(const Problem& problem, const HostOperands& host)
{
    if (problem.touches_nothing())
        return;
    if (!problem.only_scales_c() && !host.a)
        throw Error(CLGEMM_INVALID_A, "A is null");
    if (!problem.only_scales_c() && !host.b)
        throw Error(CLGEMM_INVALID_B, "B is null");
    if (!host.c)
        throw Error(CLGEMM_INVALID_C, "C is null");
}

// What an in-order queue has to do comes before this call: it may write to the same memory. How it ends is not ours.
void wait_for_earlier_commands(const cl::CommandQueue& queue)
{
    cl_event end = nullptr;
    if (clEnqueueMarkerWithWaitList(queue(), 0, nullptr, &end) != CL_SUCCESS)
        return;
    clWaitForEvents(1, &end);
    clReleaseEvent(end);
}

// The devices that share a call which names none.
Devices default_devices(const cl::Context& context)
{
    Devices devices;
    for (const auto& device : context.getInfo<CL_CONTEXT_DEVICES>())
        devices.push_back(device_state(context(), device()));
    return devices;
}

void multiply_on_host_memory(const Problem& problem, const HostOperands& host, cl_command_queue callers,
                             const Request& request)
{
    check_pointers(problem, host);
    if (callers)
        context_of(callers); // or it is none
    const cl::CommandQueue queue = callers ? cl::CommandQueue(callers, true) : default_queue();
    if (problem.touches_nothing())
        return;

    const cl::Context context = queue.getInfo<CL_QUEUE_CONTEXT>();
    const auto state = device_state(context(), queue.getInfo<CL_QUEUE_DEVICE>()());
    if (works_in_place(problem, state->profile())) {
        multiply_in_place(problem, host, queue, *state, request);
        return;
    }
    if (callers && is_in_order(queue))
        wait_for_earlier_commands(queue);
    if (problem.only_scales_c()) {
        scale(problem.c, problem.beta, host.c);
        return;
    }
    const Devices devices = callers ? Devices{state} : default_devices(context);
    multiply_by_copies(problem, host, devices, request, limits_of(devices));
}

} // namespace
} // namespace clgemm::core

using namespace clgemm::core;

extern "C" {

clgemm_status clgemm_sgemm_host(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m, size_t n,
                                size_t k, float alpha, const float* A, size_t lda, const float* B, size_t ldb, float beta,
                                float* C, size_t ldc, cl_command_queue queue)
{
    return clgemm_sgemm_host_ex(layout, transA, transB, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, queue, nullptr);
}

clgemm_status clgemm_sgemm_host_ex(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                   size_t n, size_t k, float alpha, const float* A, size_t lda, const float* B, size_t ldb,
                                   float beta, float* C, size_t ldc, cl_command_queue queue, const clgemm_options* options)
{
    return guarded([&] {
        const Arguments arguments{layout, transA, transB, m, n, k, alpha, 0, lda, 0, ldb, beta, 0, ldc};
        const Request request = read_request(options);
        multiply_on_host_memory(make_problem(arguments), {A, B, C}, queue, request);
    });
}

} // extern "C"
