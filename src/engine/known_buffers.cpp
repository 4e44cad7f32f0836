#include "engine/known_buffers.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace clgemm::core {
namespace {

// OpenCL is asked about further buffers each time. None is dropped to make room, since the callback at its end cannot be
// taken back.
constexpr std::size_t most_buffers = 4096;

struct Known {
    std::mutex mutex;
    std::unordered_map<cl_mem, BufferFacts> facts;
};

// Never destroyed: buffers may go after the library's statics.
Known& known()
{
    static auto* const process = new Known;
    return *process;
}

// OpenCL calls this before it frees the buffer, and so before its handle can be another one's.
void CL_CALLBACK forget(cl_mem buffer, void*)
{
    const std::lock_guard lock(known().mutex);
    known().facts.erase(buffer);
}

#if defined(CLGEMM_STAYS_LOADED)
// The thread that asks and the one that tells both set the flag. The second of them finds it set, and frees this.
struct Trial {
    std::atomic<bool> is_over = false;
    std::thread::id told_by;
};

void CL_CALLBACK note_end(cl_mem, void* told)
{
    std::unique_ptr<Trial> trial(static_cast<Trial*>(told));
    trial->told_by = std::this_thread::get_id();
    if (!trial->is_over.exchange(true))
        static_cast<void>(trial.release());
}
#endif

BufferFacts ask(cl_mem buffer)
{
    BufferFacts facts;
    facts.type = info<cl_mem_object_type>(buffer, CL_MEM_TYPE);
    facts.context = info<cl_context>(buffer, CL_MEM_CONTEXT);
    facts.flags = info<cl_mem_flags>(buffer, CL_MEM_FLAGS);
    facts.bytes = info<std::size_t>(buffer, CL_MEM_SIZE);
    if (facts.flags & CL_MEM_USE_HOST_PTR)
        facts.host_pointer = info<void*>(buffer, CL_MEM_HOST_PTR);
    return facts;
}

void keep(cl_mem buffer, const BufferFacts& facts)
{
    try {
        {
            const std::lock_guard lock(known().mutex);
            if (known().facts.size() >= most_buffers || !known().facts.try_emplace(buffer, facts).second)
                return;
        }
        if (clSetMemObjectDestructorCallback(buffer, forget, nullptr) != CL_SUCCESS)
            forget(buffer, nullptr);
    } catch (const std::exception&) {
        return; // there is no memory for it: the next call asks again
    }
}

// A part of a buffer, or of the host's memory: from the first byte to behind the last one.
struct Range {
    std::uintptr_t begin, end;

    bool meets(const Range& other) const { return begin < other.end && other.begin < end; }
};

} // namespace

bool tells_when_buffers_go(const cl::Context& context)
{
#if defined(CLGEMM_STAYS_LOADED)
    auto trial = std::make_unique<Trial>();
    cl_int status = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(context(), CL_MEM_READ_WRITE, 256, nullptr, &status);
    if (status != CL_SUCCESS)
        return false;
    status = clSetMemObjectDestructorCallback(buffer, note_end, trial.get());
    clReleaseMemObject(buffer);
    if (status != CL_SUCCESS)
        return false;
    if (!trial->is_over.exchange(true)) {
        static_cast<void>(trial.release()); // for note_end()
        return false;
    }
    // A thread of the driver's own may have been quick this time (NVIDIA's mostly is not).
    return trial->told_by == std::this_thread::get_id();
#else
    static_cast<void>(context);
    return false; // the code that OpenCL would call may be gone by then
#endif
}

BufferFacts facts_of(cl_mem buffer, bool remember)
{
    if (!remember)
        return ask(buffer);
    {
        const std::lock_guard lock(known().mutex);
        if (const auto found = known().facts.find(buffer); found != known().facts.end())
            return found->second;
    }
    const BufferFacts facts = ask(buffer);
    keep(buffer, facts);
    return facts;
}

bool share_memory(cl_mem one, cl_mem other)
{
    const auto whole = [](cl_mem buffer) { // a sub-buffer is a part of it
        auto* const parent = info<cl_mem>(buffer, CL_MEM_ASSOCIATED_MEMOBJECT);
        return parent ? parent : buffer;
    };
    const auto range_from = [](std::uintptr_t begin, cl_mem buffer) {
        return Range{begin, begin + info<std::size_t>(buffer, CL_MEM_SIZE)};
    };
    const auto within_whole = [&](cl_mem buffer) { return range_from(info<std::size_t>(buffer, CL_MEM_OFFSET), buffer); };
    if (whole(one) == whole(other))
        return within_whole(one).meets(within_whole(other));
    const auto is_on_host = [](cl_mem buffer) {
        return (info<cl_mem_flags>(buffer, CL_MEM_FLAGS) & CL_MEM_USE_HOST_PTR) != 0;
    };
    const auto on_host = [&](cl_mem buffer) {
        return range_from(reinterpret_cast<std::uintptr_t>(info<void*>(buffer, CL_MEM_HOST_PTR)), buffer);
    };
    return is_on_host(one) && is_on_host(other) && on_host(one).meets(on_host(other));
}

} // namespace clgemm::core
