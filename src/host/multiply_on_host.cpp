#include "host/multiply_on_host.hpp"

#include "engine/callers_queue.hpp"
#include "engine/default_queue.hpp"
#include "engine/device_state.hpp"
#include "engine/warm_up.hpp"
#include "host/by_copies.hpp"
#include "host/in_groups.hpp"
#include "host/in_place.hpp"
#include "host/scaling.hpp"
#include "problem/shared_elements.hpp"
#include "support/error.hpp"

#include <cstdint>
#include <vector>

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

void check_c_is_apart(const Problem& problem, const HostOperands& host)
{
    const auto element = [&](Memory memory) {
        return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(host[memory]) / sizeof(float));
    };
    for (const Matrix* const operand : {&problem.a, &problem.b})
        if (shares_elements_with_c(problem, *operand, element(Memory::c) - element(operand->memory)))
            throw Error(CLGEMM_OVERLAPPING_C,
                        std::string("C shares elements with ") + (operand->memory == Memory::a ? "A" : "B"));
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

void check_on_host(const Problem& problem, const HostOperands& host)
{
    check_pointers(problem, host);
    check_c_is_apart(problem, host);
}

void multiply_on_host(const Problem& problem, const HostOperands& host, cl_command_queue callers, const Request& request)
{
    check_on_host(problem, host);
    const cl::CommandQueue queue = callers ? cl::CommandQueue(callers, true) : default_queue();
    const CallersQueue asked = ask(queue());
    if (problem.touches_nothing())
        return;

    const auto state = device_state(asked.context, asked.device);
    if (const std::size_t at_a_time = products_in_place(problem, state->profile())) {
        in_groups(problem, at_a_time, request, [&](const Problem& group, const Request& for_group) {
            multiply_in_place(group, host, queue, asked.is_in_order, *state, for_group);
        });
        return;
    }
    if (callers && asked.is_in_order)
        wait_for_earlier_commands(queue);
    if (problem.only_scales_c()) {
        for (std::size_t i = 0; i < problem.batch.count; i++)
            scale(product_of(problem, i), host.c);
        return;
    }
    const Devices devices = callers ? Devices{state} : default_devices(state->context);
    multiply_by_copies(problem, host, devices, request, limits_of(devices));
}

void warm_up_on_host(std::span<const Problem> problems, const Request& request)
{
    const cl::CommandQueue queue = default_queue();
    const CallersQueue asked = ask(queue());
    const auto state = device_state(asked.context, asked.device);
    const Devices devices = default_devices(state->context);
    std::vector<Problem> in_place, by_copies;
    for (const Problem& problem : problems) {
        if (problem.touches_nothing())
            continue;
        if (const std::size_t at_a_time = products_in_place(problem, state->profile()))
            in_place.push_back(products_of(problem, 0, at_a_time));
        else if (!problem.only_scales_c()) // which the host does
            for (const Problem& product : products_of(problem, devices, request, limits_of(devices)))
                by_copies.push_back(product);
    }
    if (!in_place.empty())
        warm_up(*state, in_place, request);
    if (!by_copies.empty())
        for (const auto& device : devices)
            warm_up(*device, by_copies, request);
}

} // namespace clgemm::core
