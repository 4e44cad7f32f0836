#include "execute/workspace_pool.hpp"

#include <algorithm>

namespace clgemm::core {
namespace {

bool is_complete(const cl::Event& event)
{
    return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <= CL_COMPLETE; // negative: ended by an error
}

} // namespace

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

WorkspacePool::Lease WorkspacePool::acquire(std::size_t bytes, cl_command_queue queue, bool in_order)
{
    const std::lock_guard lock(mutex_);

    // The smallest buffer that is large enough and passes the test.
    const auto best = [&](const auto& test) {
        auto found = kept_.end();
        for (auto it = kept_.begin(); it != kept_.end(); ++it)
            if (it->bytes >= bytes && (found == kept_.end() || it->bytes < found->bytes) && test(*it))
                found = it;
        return found;
    };
    const auto take = [&](std::vector<Kept>::iterator entry) {
        Lease lease{entry->buffer, entry->bytes, entry->done};
        kept_.erase(entry);
        return lease;
    };

    // 1. One whose last use is over, or comes before this one on the same in-order queue anyway. (The event is waited for
    //    in either case: a queue's handle may have been given to a new queue meanwhile.)
    if (auto entry = best([&](const Kept& e) { return (in_order && e.queue == queue) || is_complete(e.done); });
        entry != kept_.end())
        return take(entry);

    // 2. A new one, if the limit allows, if need be after letting unused ones go.
    if (total() + bytes > limit_)
        std::erase_if(kept_, [](const Kept& e) { return is_complete(e.done); });
    if (total() + bytes <= limit_)
        return {cl::Buffer(context_, CL_MEM_READ_WRITE, bytes), bytes, {}};

    // 3. Over the limit: line up behind an earlier call.
    if (auto entry = best([](const Kept&) { return true; }); entry != kept_.end())
        return take(entry);

    // 4. A call larger than all before it, or than the limit: its memory replaces theirs.
    kept_.clear();
    return {cl::Buffer(context_, CL_MEM_READ_WRITE, bytes), bytes, {}};
}

void WorkspacePool::give_back(Lease lease, cl_command_queue queue, const cl::Event& done)
{
    const std::lock_guard lock(mutex_);
    // Also a call larger than the limit is kept, alone: the next one of its kind should not allocate again.
    while (!kept_.empty() && total() + lease.bytes > limit_)
        kept_.erase(kept_.begin());
    kept_.push_back({std::move(lease.buffer), lease.bytes, done, queue});
}

} // namespace clgemm::core
