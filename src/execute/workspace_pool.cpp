#include "execute/workspace_pool.hpp"

#include "support/error.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace clgemm::core {
namespace {

bool is_complete(const cl::Event& event)
{
    return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <= CL_COMPLETE; // negative: ended by an error
}

// Of all that is in an in-order queue by now, the last use of a buffer among it.
cl::Event end_of(const cl::CommandQueue& queue)
{
    cl::Event result;
    queue.enqueueMarkerWithWaitList(nullptr, &result);
    queue.flush(); // other queues may wait for a command only once it is submitted
    return result;
}

cl::Buffer allocate(const cl::Context& context, std::size_t bytes)
{
    try {
        return {context, CL_MEM_READ_WRITE, bytes};
    } catch (const cl::Error& error) {
        if (error.err() != CL_INVALID_BUFFER_SIZE)
            throw;
        throw Unavailable(CL_MEM_OBJECT_ALLOCATION_FAILURE,
                          "temporaries of " + std::to_string(bytes) + " bytes are more than the device has in one buffer");
    }
}

} // namespace

bool WorkspacePool::is_over(Kept& entry)
{
    if (!entry.done())
        entry.done = end_of(entry.queue);
    return is_complete(entry.done);
}

std::size_t WorkspacePool::total() const
{
    std::size_t sum = 0;
    for (const auto& entry : kept_)
        sum += entry.bytes;
    return sum;
}

std::size_t WorkspacePool::bytes_kept() const
{
    const std::lock_guard lock(mutex_);
    return total();
}

WorkspacePool::Lease WorkspacePool::acquire(std::size_t bytes, const cl::CommandQueue& queue, bool in_order)
{
    const std::lock_guard lock(mutex_);

    // Takes the smallest buffer that is large enough and passes the test, if there is one.
    const auto take_best = [&](const auto& test) -> std::optional<Lease> {
        auto best = kept_.end();
        for (auto it = kept_.begin(); it != kept_.end(); ++it)
            if (it->bytes >= bytes && (best == kept_.end() || it->bytes < best->bytes) && test(*it))
                best = it;
        if (best == kept_.end())
            return std::nullopt;
        Lease lease{std::move(best->buffer), best->bytes, std::move(best->done), std::move(best->queue)};
        kept_.erase(best);
        return lease;
    };

    // 1. One whose last use is over, or comes before this one on the same in-order queue anyway. Neither needs the event;
    //    waiting for it could only pass on the failure of another call.
    const auto is_free = [&](Kept& e) { return (in_order && e.queue() == queue()) || is_over(e); };
    if (auto lease = take_best(is_free)) {
        lease->ready = cl::Event();
        return *std::move(lease);
    }

    // 2. A new one, if the limit allows, if need be after letting unused ones go.
    if (total() + bytes > limit_)
        std::erase_if(kept_, [](Kept& e) { return is_over(e); });
    if (total() + bytes <= limit_)
        return {allocate(context_, bytes), bytes, {}, {}};

    // 3. Over the limit: line up behind an earlier call. (Not behind what its queue got later: that may wait for us.)
    if (auto lease = take_best([](const Kept& e) { return e.done_is_exact; }))
        return *std::move(lease);

    // 4. A call larger than all before it, or than the limit: its memory replaces theirs.
    kept_.clear();
    return {allocate(context_, bytes), bytes, {}, {}};
}

void WorkspacePool::give_back(Lease lease, const cl::CommandQueue& queue, const cl::Event& done)
{
    const std::lock_guard lock(mutex_);
    // Also a call larger than the limit is kept, alone: the next one of its kind should not allocate again.
    while (!kept_.empty() && total() + lease.bytes > limit_)
        kept_.erase(kept_.begin());
    if (lease.queue() != queue()) // to retain and release one takes NVIDIA's driver longer than all else here
        lease.queue = queue;
    kept_.push_back({std::move(lease.buffer), lease.bytes, done, done() != nullptr, std::move(lease.queue)});
}

} // namespace clgemm::core
