#include "execute/execution.hpp"

#include "support/error.hpp"
#include "support/log.hpp"

#include <algorithm>
#include <exception>
#include <optional>

namespace clgemm::core {
namespace {

cl_mem memory(const Buffers& buffers, Memory which)
{
    switch (which) {
    case Memory::a: return buffers.a;
    case Memory::b: return buffers.b;
    case Memory::c: return buffers.c;
    case Memory::workspace: break;
    }
    return buffers.workspace;
}

void set_arguments(KernelObject& object, const Step& step, const Buffers& buffers)
{
    // Buffers are always set: a new one may have the handle of an old one.
    cl_uint index = 0;
    for (const Memory which : step.buffers) {
        cl_mem handle = memory(buffers, which);
        object.kernel.setArg(index++, sizeof(cl_mem), &handle);
    }
    if (object.numbers == step.numbers)
        return;
    object.numbers = {}; // a call that fails leaves it unknown which ones were set
    object.kernel.setArg(index, step.numbers.size(), step.numbers.data());
    object.numbers = step.numbers;
}

WorkspacePool::Lease acquire(DeviceState& state, std::size_t bytes, const cl::CommandQueue& queue, bool in_order)
{
    try {
        return state.workspaces.acquire(bytes, queue, in_order);
    } catch (const cl::Error& error) {
        if (!is_lack_of_memory(error.err()))
            throw;
        throw Unavailable(error.err(), "the device has no " + std::to_string(bytes) + " bytes for temporaries");
    }
}

// Gives the temporaries back to the pool. What fails here is no failure of the call any more: OpenCL frees them then.
void keep(DeviceState& state, WorkspacePool::Lease lease, const cl::CommandQueue& queue, const cl::Event& done)
{
    try {
        // Another queue may be made to wait for this event, which OpenCL allows only once its command is submitted.
        if (done())
            queue.flush();
        state.workspaces.give_back(std::move(lease), queue, done);
    } catch (const std::exception&) {
        log_line([] { return std::string("the temporaries of this call could not be kept for the next one"); });
    }
}

} // namespace

bool is_in_order(const cl::CommandQueue& queue)
{
    const auto properties = info<cl_command_queue_properties>(queue(), CL_QUEUE_PROPERTIES);
    return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

bool is_lack_of_memory(cl_int status)
{
    return status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY;
}

cl::Event execute(DeviceState& state, const Plan& plan, const Buffers& callers, const Launch& launch)
{
    // Everything that can fail without a trace comes first: compiling, then memory.
    std::vector<ProgramCache::Lease> programs;
    std::vector<std::size_t> program_of; // a step; those that differ in their arguments alone share one
    programs.reserve(plan.steps.size());
    for (const auto& step : plan.steps) {
        const auto* const same = std::find_if(plan.steps.data(), &step, [&](const Step& before) {
            return before.source == step.source && before.function == step.function && before.options == step.options;
        });
        const bool is_new = same == &step;
        program_of.push_back(is_new ? programs.size() : program_of[static_cast<std::size_t>(same - plan.steps.data())]);
        if (is_new)
            programs.push_back(
                state.programs.kernel(*step.source, step.function, step.options, step.retargeted_local_bytes));
    }

    const bool in_order = is_in_order(launch.queue);
    Buffers buffers = callers;
    std::vector<cl::Event> wait_for = launch.wait_for;
    std::optional<WorkspacePool::Lease> lease;
    if (plan.workspace_bytes > 0 && !callers.workspace) {
        lease = acquire(state, plan.workspace_bytes, launch.queue, in_order);
        buffers.workspace = lease->buffer();
        if (lease->ready())
            wait_for.push_back(lease->ready);
    }

    wait_for.reserve(1); // for the loop, where a lack of memory would come too late
    cl::Event last;
    bool c_is_touched = false;
    for (std::size_t i = 0; i < plan.steps.size(); i++) {
        const Step& step = plan.steps[i];
        const bool is_last = i + 1 == plan.steps.size();
        const bool needs_event = is_last ? launch.wants_event || (lease && !in_order) : !in_order;
        cl::Event done;
        try {
            KernelObject& object = *programs[program_of[i]];
            set_arguments(object, step, buffers);
            launch.queue.enqueueNDRangeKernel(
                object.kernel, cl::NullRange,
                cl::NDRange(step.groups[0] * step.group_size[0], step.groups[1] * step.group_size[1], step.groups[2]),
                cl::NDRange(step.group_size[0], step.group_size[1], 1), wait_for.empty() ? nullptr : &wait_for,
                needs_event ? &done : nullptr);
        } catch (const cl::Error& error) {
            // Some drivers only look for a buffer's memory here. As long as C is as it was, the call may be made otherwise.
            // Steps before this one may still use the caller's workspace, which nobody then knows when to use again.
            if (callers.workspace && !in_order)
                for (const auto& event : wait_for)
                    clWaitForEvents(1, &event());
            if (c_is_touched || !is_lack_of_memory(error.err()))
                throw;
            throw Unavailable(error.err(), std::string("the device has no memory for this call (") +
                                               clgemm_status_string(error.err()) + ")");
        }
        c_is_touched = c_is_touched || step.writes_c();
        // On an in-order queue the next step waits by itself.
        wait_for.clear();
        if (!in_order && !is_last)
            wait_for.push_back(done);
        last = done;
    }

    if (lease)
        keep(state, std::move(*lease), launch.queue, last);
    return launch.wants_event ? last : cl::Event();
}

} // namespace clgemm::core
