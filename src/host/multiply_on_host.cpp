#include "host/multiply_on_host.hpp"

#include "engine/callers_queue.hpp"
#include "engine/default_queue.hpp"
#include "engine/device_state.hpp"
#include "engine/prepared_call.hpp"
#include "engine/warm_up.hpp"
#include "host/by_copies.hpp"
#include "host/in_groups.hpp"
#include "host/in_place.hpp"
#include "host/scaling.hpp"
#include "host/small_product.hpp"
#include "problem/shared_elements.hpp"
#include "support/error.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace clgemm::core {
namespace {

void check_pointers(const Problem& problem, const HostOperands& host, const PreparedOperands& kept)
{
    if (problem.touches_nothing())
        return;
    if (!problem.only_scales_c() && !host.a && !kept.a)
        throw Error(CLGEMM_INVALID_A, "A is null");
    if (!problem.only_scales_c() && !host.b && !kept.b)
        throw Error(CLGEMM_INVALID_B, "B is null");
    if (!host.c)
        throw Error(CLGEMM_INVALID_C, "C is null");
}

void check_c_is_apart(const Problem& problem, const HostOperands& host, const PreparedOperands& kept)
{
    const auto address = [&](Memory memory) { return reinterpret_cast<std::uintptr_t>(host[memory]); };
    for (const Matrix* const operand : {&problem.a, &problem.b}) {
        if (kept[operand->memory])
            continue;
        const std::uintptr_t of_c = address(Memory::c), of_operand = address(operand->memory);
        const auto element = [](std::uintptr_t place) { return static_cast<std::ptrdiff_t>(place / sizeof(float)); };
        // Places are counted in whole elements of the operand. If C's elements lie between such places, each shares bytes
        // with two of them.
        const std::uintptr_t shift = of_operand % sizeof(float);
        const std::ptrdiff_t distance = element(of_c - shift) - element(of_operand);
        if (shares_elements_with_c(problem, *operand, distance) ||
            ((of_c - shift) % sizeof(float) != 0 && shares_elements_with_c(problem, *operand, distance + 1)))
            throw Error(CLGEMM_OVERLAPPING_C,
                        std::string("C shares elements with ") + (operand->memory == Memory::a ? "A" : "B"));
    }
}

// The commands that are in an in-order queue come before this call: they may write to the same memory. Whether they fail
// does not matter here.
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

// A buffer of the device's that has the matrix, or all of them: in the caller's memory where the device shares that, and the
// matrix lies there as OpenCL's do (lie_at_whole_elements()). OpenCL takes no pointers to const; what is const is only read.
cl::Buffer buffer_with(const Matrix& matrix, const OperandToKeep& kept, const void* host, const DeviceState& state)
{
    const std::size_t bytes = matrix.extent(kept.count) * matrix.element_bytes();
    if (bytes == 0) // no part of it is read
        return {state.context, CL_MEM_READ_ONLY, 1};
    const std::string name = kept.is_a ? "A" : "B";
    if (!host)
        throw Error(kept.is_a ? CLGEMM_INVALID_A : CLGEMM_INVALID_B, name + " is null");
    const bool in_place =
        state.profile().shares_host_memory && reinterpret_cast<std::uintptr_t>(host) % matrix.element_bytes() == 0;
    const cl_mem_flags way = in_place ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR;
    try {
        return {state.context, CL_MEM_READ_ONLY | way, bytes, const_cast<void*>(host)};
    } catch (const cl::Error& error) {
        if (error.err() != CL_INVALID_BUFFER_SIZE)
            throw;
        throw Error(CL_INVALID_BUFFER_SIZE, name + " takes " + std::to_string(bytes) +
                                                " bytes with its gaps, but the device's largest buffer has " +
                                                std::to_string(state.profile().max_allocation));
    }
}

} // namespace

void check_on_host(const Problem& problem, const HostOperands& host, const PreparedOperands& kept)
{
    check_pointers(problem, host, kept);
    check_c_is_apart(problem, host, kept);
}

void multiply_on_host(const Problem& problem, const HostOperands& host, cl_command_queue callers, const Request& request,
                      const PreparedOperands& kept)
{
    check_on_host(problem, host, kept);
    const cl::CommandQueue queue = callers ? cl::CommandQueue(callers, true) : default_queue();
    const CallersQueue asked = ask(queue());
    check_place(kept, asked.context, asked.device);
    if (problem.touches_nothing())
        return;

    const auto state = device_state(asked.context, asked.device);
    const std::size_t at_a_time = products_in_place(problem, state->profile(), kept);
    if (at_a_time > 0 && lie_at_whole_elements(problem, host, kept)) {
        in_groups(problem, at_a_time, request, [&](const Problem& group, const Request& for_group) {
            multiply_in_place(group, host, queue, asked.is_in_order, *state, for_group, kept);
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
    if (kept) {
        multiply_in_pieces(problem, host, *state, request, kept);
        return;
    }
    const Devices devices = callers ? Devices{state} : default_devices(state->context);
    multiply_by_copies(problem, host, devices, request, limits_of(devices));
}

std::shared_ptr<PreparedOperand> prepare_on_host(const Arguments& typical, const OperandToKeep& matrix, const void* host,
                                                 cl_command_queue callers, const Request& request)
{
    // Another thread may tear down before the operand is made.
    const auto [queue, meanwhile] =
        callers ? QueueThatStays{cl::CommandQueue(callers, true), {}} : default_queue_that_stays();
    const CallersQueue asked = ask(queue());
    if (asked.is_in_order)
        wait_for_earlier_commands(queue);
    const auto state = device_state(asked.context, asked.device);
    const cl::Buffer read = buffer_with(make_problem(typical).matrix_in(matrix.memory()), matrix, host, *state);
    try {
        auto made = prepare_operand(typical, matrix, read(), *state, {queue, asked.is_in_order}, request);
        if (const cl::Event copied = made->copy().made; copied())
            copied.wait();
        if (!callers)
            stay_in_default_context(asked.context, made);
        return made;
    } catch (...) {
        clFinish(queue()); // a copy that did start must not read the caller's memory later
        throw;
    }
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
        else if (!problem.only_scales_c()) // scaling is done by the host
            for (const Problem& product : different_products(problem, devices, request, limits_of(devices)))
                by_copies.push_back(product);
    }
    if (!in_place.empty())
        warm_up(*state, in_place, request);
    if (!by_copies.empty())
        for (const auto& device : devices)
            warm_up(*device, by_copies, request);
}

} // namespace clgemm::core
