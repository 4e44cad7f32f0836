#include "execute/execution.hpp"

#include "execute/in_turn.hpp"
#include "problem/status_text.hpp"
#include "support/error.hpp"
#include "support/log.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <memory_resource>
#include <optional>

namespace clgemm::core {
namespace {

void set_arguments(KernelObject& object, const Step& step, const Buffers& buffers)
{
    // Buffers are always set: a new one may have the handle of an old one.
    cl_uint index = 0;
    for (const Memory which : step.buffers) {
        cl_mem handle = buffers[which];
        object.kernel.setArg(index++, sizeof(cl_mem), &handle);
    }
    if (object.arguments == step.arguments)
        return;
    object.arguments = {}; // a call that fails leaves it unknown which ones were set
    object.kernel.setArg(index, step.arguments.size(), step.arguments.data());
    object.arguments = step.arguments;
}

// Returns its event, null unless it was wanted. (The bindings would copy the list of events for each command.)
cl::Event enqueue(const cl::Kernel& kernel, const Step& step, const Submission& submission)
{
    const auto& wait_for = submission.wait_for;
    const std::size_t global[] = {step.groups[0] * step.group_size[0], step.groups[1] * step.group_size[1], step.groups[2]};
    const std::size_t local[] = {step.group_size[0], step.group_size[1], 1};
    cl_event event = nullptr;
    const cl_int status = clEnqueueNDRangeKernel(
        submission.queue(), kernel(), 3, nullptr, global, local, static_cast<cl_uint>(wait_for.size()),
        wait_for.empty() ? nullptr : wait_for.data(), submission.wants_event ? &event : nullptr);
    cl::detail::errHandler(status, "clEnqueueNDRangeKernel");
    return cl::Event(event);
}

// All steps, one after the other. `kernels`: of the plan's functions.
cl::Event enqueue_steps(const ReadyPlan& ready, std::span<Program::Lease> kernels, const Buffers& buffers,
                        bool workspace_is_callers, const Submission& submission)
{
    const std::vector<Step>& steps = ready.plan.steps;
    InTurn in_turn(submission);
    bool c_is_touched = false;
    for (std::size_t i = 0; i < steps.size(); i++) {
        const Submission of_step = in_turn.next(i + 1 == steps.size());
        try {
            KernelObject& object = *kernels[ready.function_of[i]];
            set_arguments(object, steps[i], buffers);
            in_turn.enqueued(enqueue(object.kernel, steps[i], of_step));
        } catch (const cl::Error& error) {
            // Some drivers look for a buffer's memory only here, or say only here that a kernel takes too many registers for
            // a work-group of the size that it needs. As long as C is as it was, the call may be made in another way. The
            // steps before this one may still use the caller's workspace, so whatever comes later in the queue, such as
            // another attempt, waits for them. (The host must not: they may wait for an event that the caller sets later.)
            if (workspace_is_callers && !submission.in_order)
                clEnqueueBarrierWithWaitList(submission.queue(), 0, nullptr, nullptr);
            const bool is_too_large = error.err() == CL_INVALID_WORK_GROUP_SIZE;
            if (c_is_touched || !(is_lack_of_memory(error.err()) || is_too_large))
                throw;
            throw Unavailable(error.err(), std::string("the device has no ") +
                                               (is_too_large ? "work-groups of the size" : "memory") + " for this call (" +
                                               status_text(error.err()) + ")");
        }
        c_is_touched = c_is_touched || steps[i].writes_c();
        if (c_is_touched && buffers.c_is_touched)
            *buffers.c_is_touched = true;
    }
    return in_turn.take_event();
}

WorkspacePool::Lease acquire(WorkspacePool& workspaces, std::size_t bytes, const Submission& submission)
{
    try {
        return workspaces.acquire(bytes, submission.queue, submission.in_order);
    } catch (const cl::Error& error) {
        if (!is_lack_of_memory(error.err()))
            throw;
        throw Unavailable(error.err(), "the device has no " + std::to_string(bytes) + " bytes for temporaries");
    }
}

// Gives the temporaries back to the pool. What fails here is no failure of the call any more: OpenCL frees them then.
void keep(WorkspacePool& workspaces, WorkspacePool::Lease lease, const cl::CommandQueue& queue, const cl::Event& done)
{
    try {
        // Another queue may be made to wait for this event, which OpenCL allows only once its command is submitted.
        if (done())
            queue.flush();
        workspaces.give_back(std::move(lease), queue, done);
    } catch (const std::exception&) {
        log_line([] { return std::string("the temporaries of this call could not be kept for the next one"); });
    }
}

} // namespace

bool is_lack_of_memory(cl_int status)
{
    return status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY;
}

ReadyPlan ready(Plan plan, ProgramCache& programs)
{
    ReadyPlan result{std::move(plan), {}, {}};
    const std::vector<Step>& steps = result.plan.steps;
    std::vector<const Step*> firsts; // of the steps of each function
    for (const Step& step : steps) {
        const auto same = std::find_if(firsts.begin(), firsts.end(),
                                       [&](const Step* before) { return are_of_one_function(*before, step); });
        result.function_of.push_back(static_cast<std::size_t>(same - firsts.begin()));
        if (same == firsts.end())
            firsts.push_back(&step);
    }
    const auto built = programs.programs(firsts);
    for (std::size_t i = 0; i < firsts.size(); i++)
        result.functions.push_back({built[i], firsts[i]->function});
    return result;
}

cl::Event execute(const ReadyPlan& ready, WorkspacePool& workspaces, const Buffers& callers, const Submission& submission)
{
    // Lists of this call: most are so short that they take no allocation.
    std::array<std::byte, 1024> for_short_lists; // NOLINT(cppcoreguidelines-pro-type-member-init): it is written first
    std::pmr::monotonic_buffer_resource memory(for_short_lists.data(), for_short_lists.size());

    // Everything that can fail without a trace comes first: kernel objects, then the workspace.
    std::pmr::vector<Program::Lease> kernels(&memory);
    kernels.reserve(ready.functions.size());
    for (const auto& [program, name] : ready.functions)
        kernels.push_back(Program::take(program, name));

    const std::size_t workspace_bytes = ready.plan.workspace_bytes;
    const bool in_order = submission.in_order;
    Buffers buffers = callers;
    std::span<const cl_event> wait_for = submission.wait_for;
    std::pmr::vector<cl_event> with_workspace(&memory); // the same list, and when the workspace is free
    std::optional<WorkspacePool::Lease> lease;
    if (workspace_bytes > 0 && !callers.workspace) {
        lease = acquire(workspaces, workspace_bytes, submission);
        buffers.workspace = lease->buffer();
        if (lease->ready()) {
            with_workspace.assign(wait_for.begin(), wait_for.end());
            with_workspace.push_back(lease->ready());
            wait_for = with_workspace;
        }
    }
    const bool wants_event = submission.wants_event || (lease && !in_order);
    cl::Event last = enqueue_steps(ready, kernels, buffers, callers.workspace != nullptr,
                                   {submission.queue, in_order, wait_for, wants_event});
    if (lease)
        keep(workspaces, std::move(*lease), submission.queue, last);
    return submission.wants_event ? std::move(last) : cl::Event();
}

} // namespace clgemm::core
