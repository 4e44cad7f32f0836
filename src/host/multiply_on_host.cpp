#include "host/multiply_on_host.hpp"

#include "engine/callers_queue.hpp"
#include "engine/default_queue.hpp"
#include "engine/device_state.hpp"
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

} // namespace

void multiply_on_host(const Problem& problem, const HostOperands& host, cl_command_queue callers, const Request& request)
{
    check_pointers(problem, host);
    const cl::CommandQueue queue = callers ? cl::CommandQueue(callers, true) : default_queue();
    const CallersQueue asked = ask(queue());
    if (problem.touches_nothing())
        return;

    const auto state = device_state(asked.context, asked.device);
    if (works_in_place(problem, state->profile())) {
        multiply_in_place(problem, host, queue, asked.is_in_order, *state, request);
        return;
    }
    if (callers && asked.is_in_order)
        wait_for_earlier_commands(queue);
    if (problem.only_scales_c()) {
        scale(problem.c, problem.beta, host.c);
        return;
    }
    const Devices devices = callers ? Devices{state} : default_devices(state->context);
    multiply_by_copies(problem, host, devices, request, limits_of(devices));
}

} // namespace clgemm::core
