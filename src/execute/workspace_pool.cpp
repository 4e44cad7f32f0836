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

// The end of all that is in an in-order queue by now, the last use of a buffer among it.
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

std::size_t KeptMemory::total() const
{
    std::size_t sum = 0;
    for (const auto& entry : entries_)
        sum += entry.bytes;
    return sum;
}

std::size_t KeptMemory::bytes() const
{
    const std::lock_guard lock(mutex_);
    return total();
}

WorkspacePool::WorkspacePool(cl::Context context, std::shared_ptr<KeptMemory> kept)
    : context_(std::move(context)), kept_(std::move(kept))
{
}

WorkspacePool::~WorkspacePool()
{
    KeptMemory::Entries own; // freed after the lock, since drivers may take their time
    const std::lock_guard lock(kept_->mutex_);
    for (auto it = kept_->entries_.begin(); it != kept_->entries_.end();) {
        const auto next = std::next(it);
        if (it->owner == this)
            own.splice(own.end(), kept_->entries_, it);
        it = next;
    }
}

std::size_t WorkspacePool::bytes_kept() const
{
    const std::lock_guard lock(kept_->mutex_);
    std::size_t sum = 0;
    for (const auto& entry : kept_->entries_)
        if (entry.owner == this)
            sum += entry.bytes;
    return sum;
}

WorkspacePool::Use WorkspacePool::last_use(KeptMemory::Entry& entry)
{
    try {
        if (!entry.done())
            entry.done = end_of(entry.queue);
        return is_complete(entry.done) ? Use::over : Use::going_on;
    } catch (const cl::Error&) {
        return Use::unknown; // the use is another call's, maybe on another queue: its failure is no failure of this call
    }
}

void WorkspacePool::ask_for_ends() const
{
    for (auto& entry : kept_->entries_)
        if (entry.owner == this && !entry.done())
            last_use(entry);
}

WorkspacePool::Lease WorkspacePool::acquire(std::size_t bytes, const cl::CommandQueue& queue, bool in_order)
{
    const std::lock_guard lock(kept_->mutex_);
    auto& entries = kept_->entries_;

    // Takes the smallest buffer that is large enough and passes the test, if there is one.
    const auto take_best = [&](const auto& test) -> std::optional<Lease> {
        auto best = entries.end();
        for (auto it = entries.begin(); it != entries.end(); ++it)
            if (it->owner == this && it->bytes >= bytes && (best == entries.end() || it->bytes < best->bytes) && test(*it))
                best = it;
        if (best == entries.end())
            return std::nullopt;
        Lease lease{std::move(best->buffer), best->bytes, std::move(best->done), std::move(best->queue)};
        entries.erase(best);
        return lease;
    };

    // 1. One whose last use comes before this one on the same in-order queue anyway, or else one whose last use is over.
    //    Neither needs the event: to wait for it could only pass on the failure of another call.
    std::optional<Lease> lease;
    if (in_order)
        lease = take_best([&](const KeptMemory::Entry& e) { return e.queue() == queue(); });
    if (!lease) {
        lease = take_best([](KeptMemory::Entry& e) { return last_use(e) == Use::over; });
        // An event that is asked for now is hardly ever complete now. The next call that changes the queue finds it so, and
        // takes no third buffer.
        ask_for_ends();
    }
    if (lease) {
        lease->ready = cl::Event();
        return *std::move(lease);
    }

    // 2. A new one, if the limit allows it. If need be, those that are not in use are let go first, and those of which
    //    nobody can tell: OpenCL frees them when the commands that use them are done.
    if (kept_->total() + bytes > kept_->limit_)
        entries.remove_if([](KeptMemory::Entry& e) { return last_use(e) != Use::going_on; });
    if (kept_->total() + bytes <= kept_->limit_)
        return {allocate(context_, bytes), bytes, {}, {}};

    // 3. Over the limit: line up behind an earlier call. (Not behind what its queue got later: that may wait for us.)
    lease = take_best([](const KeptMemory::Entry& e) { return e.done_is_exact; });
    if (lease)
        return *std::move(lease);

    // 4. A call larger than all before it, or than the limit: its memory replaces theirs.
    entries.clear();
    return {allocate(context_, bytes), bytes, {}, {}};
}

void WorkspacePool::give_back(Lease lease, const cl::CommandQueue& queue, const cl::Event& done)
{
    const std::lock_guard lock(kept_->mutex_);
    auto& entries = kept_->entries_;
    // Also a call larger than the limit is kept, alone: the next one of its kind should not allocate again.
    while (!entries.empty() && kept_->total() + lease.bytes > kept_->limit_)
        entries.pop_front();
    if (lease.queue() != queue()) // to retain and release one takes NVIDIA's driver longer than all else here
        lease.queue = queue;
    entries.push_back({this, std::move(lease.buffer), lease.bytes, done, done() != nullptr, std::move(lease.queue)});
}

} // namespace clgemm::core
