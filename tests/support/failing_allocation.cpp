#include "failing_allocation.hpp"

#include "failing_opencl.hpp"

#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <new>
#include <unordered_set>

namespace clgemm::test {
namespace {

struct Counted {
    bool is_armed = false;
    long first = 0, last = 0, count = 0;
};
thread_local Counted counted;

bool fails()
{
    if (!counted.is_armed || is_inside_opencl())
        return false;
    counted.count++;
    return counted.count >= counted.first && counted.count <= counted.last;
}

// For what `new` itself asks.
template <typename T> struct FromMalloc {
    using value_type = T;
    FromMalloc() = default;
    template <typename Other> FromMalloc(const FromMalloc<Other>&) {}
    T* allocate(std::size_t count) { return static_cast<T*>(std::malloc(count * sizeof(T))); }
    void deallocate(T* memory, std::size_t) { std::free(memory); }
    bool operator==(const FromMalloc&) const = default;
};

// The blocks that watched threads took. Others may give them back.
class Living {
public:
    void took(void* block)
    {
        if (!watched_ || is_inside_opencl())
            return;
        const std::lock_guard lock(mutex_);
        blocks_.insert(block);
    }
    void gives_back(void* block)
    {
        if (!anybody_is_watched_)
            return;
        const std::lock_guard lock(mutex_);
        blocks_.erase(block);
    }
    std::size_t watch_and_count()
    {
        watched_ = anybody_is_watched_ = true;
        const std::lock_guard lock(mutex_);
        return blocks_.size();
    }

private:
    static thread_local bool watched_;
    std::atomic<bool> anybody_is_watched_{false};
    std::mutex mutex_;
    std::unordered_set<void*, std::hash<void*>, std::equal_to<>, FromMalloc<void*>> blocks_;
};
thread_local bool Living::watched_ = false;

// Never destroyed: memory is given back until the process's very end.
Living& living()
{
    static Living& all = *::new (std::malloc(sizeof(Living))) Living;
    return all;
}

} // namespace

void fail_allocations(long first, long last)
{
    counted = {true, first, last, 0};
}

long stop_failing_allocations()
{
    counted.is_armed = false;
    return counted.count;
}

std::size_t living_allocations()
{
    return living().watch_and_count();
}

} // namespace clgemm::test

void* operator new(std::size_t bytes)
{
    void* const memory = clgemm::test::fails() ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
    if (!memory)
        throw std::bad_alloc();
    clgemm::test::living().took(memory);
    return memory;
}

// The standard library's other forms call the ones here. A sanitizer's do not, of which this one matters: what it gives is
// deleted like what the first one gives.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept
{
    try {
        return operator new(bytes);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void operator delete(void* memory) noexcept
{
    clgemm::test::living().gives_back(memory);
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept
{
    operator delete(memory);
}
