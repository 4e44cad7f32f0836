#include "failing_allocation.hpp"

#include "failing_opencl.hpp"

#include <cstdlib>
#include <new>

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

} // namespace clgemm::test

void* operator new(std::size_t bytes)
{
    void* const memory = clgemm::test::fails() ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
    if (!memory)
        throw std::bad_alloc();
    return memory;
}

// The standard library's other forms call this one and the next.
void operator delete(void* memory) noexcept
{
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
