// Device memory for temporaries, kept between calls. A buffer that an earlier call may still use is handed out together
// with that call's event, so that the device orders the two; the host never waits.
#pragma once

#include "support/opencl.hpp"

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace clgemm::core {

class WorkspacePool;

// The memory that all pools of a device keep together. Buffers of one context that nobody uses any more make room for those
// of another context.
class KeptMemory {
public:
    // At most `limit` bytes (a single larger call gets its memory all the same).
    explicit KeptMemory(std::size_t limit) : limit_(limit) {}

    std::size_t bytes() const;

private:
    friend class WorkspacePool;

    struct Entry {
        const WorkspacePool* owner;
        cl::Buffer buffer;
        std::size_t bytes;
        cl::Event done;         // when the last use is over; null: it was not asked for yet
        bool done_is_exact;     // or else `done` may also wait for later commands of its queue
        cl::CommandQueue queue; // as in WorkspacePool::Lease
    };
    using Entries = std::list<Entry>;

    std::size_t total() const;

    const std::size_t limit_;
    mutable std::mutex mutex_;
    Entries entries_; // the least recently used first
};

class WorkspacePool {
public:
    WorkspacePool(cl::Context context, std::shared_ptr<KeptMemory> kept);
    WorkspacePool(const WorkspacePool&) = delete;
    WorkspacePool& operator=(const WorkspacePool&) = delete;
    ~WorkspacePool();

    struct Lease {
        cl::Buffer buffer;
        std::size_t bytes;
        cl::Event ready;        // to wait for before use; null: at once
        cl::CommandQueue queue; // the pool's: of the last use, held so that its handle cannot become another queue's
    };

    // Throws cl::Error, CL_MEM_OBJECT_ALLOCATION_FAILURE among others, or Unavailable. A lease that is not given back is
    // freed by OpenCL when the commands that use it are done.
    Lease acquire(std::size_t bytes, const cl::CommandQueue& queue, bool in_order);

    // `done` is complete when the last use on `queue` is. It may be null for an in-order queue: most programs have one
    // queue, and events cost time, so it is only asked for if another queue wants a buffer. What does not fit under the
    // limit is let go.
    void give_back(Lease lease, const cl::CommandQueue& queue, const cl::Event& done);

    std::size_t bytes_kept() const; // of this pool's own

private:
    enum class Use { going_on, over, unknown };
    static Use last_use(KeptMemory::Entry& entry);
    void ask_for_ends() const; // of all uses whose event was not asked for yet

    const cl::Context context_;
    const std::shared_ptr<KeptMemory> kept_;
};

} // namespace clgemm::core
