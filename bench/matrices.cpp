#include "matrices.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <thread>
#include <vector>

namespace bench {
namespace {

// The loops over 10^8 elements must not take longer than what is measured: a hash of the index needs no state, so that
// threads can share the work. (The hash is splitmix64's.)
float random_element(std::uint64_t index)
{
    std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    z ^= z >> 31U;
    return static_cast<float>(z >> 40U) * 0x1p-23f - 1.0f;
}

// On a page's boundary, as OpenCL's buffers are.
HostMemory allocate(std::size_t elements)
{
    constexpr std::size_t page = 4096;
    const std::size_t bytes = (elements * sizeof(float) + page - 1) / page * page;
    HostMemory memory(static_cast<float*>(std::aligned_alloc(page, bytes)));
    if (!memory)
        throw std::bad_alloc();
    return memory;
}

HostMemory random_matrix(std::size_t elements, std::uint64_t seed)
{
    HostMemory memory = allocate(elements);
    const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::jthread> team;
    for (std::size_t t = 0; t < threads; t++)
        team.emplace_back([values = memory.get(), seed, begin = elements * t / threads, end = elements * (t + 1) / threads] {
            for (std::size_t i = begin; i < end; i++)
                values[i] = random_element((seed << 40U) + i);
        });
    return memory; // when the threads have ended
}

} // namespace

void Sizes::make_room_for(const Shape& shape)
{
    a = std::max(a, shape.m * shape.k);
    b = std::max(b, shape.k * shape.n);
    c = std::max(c, shape.m * shape.n);
}

HostMatrices::HostMatrices(const Sizes& room)
    : sizes(room), a(random_matrix(room.a, 1)), b(random_matrix(room.b, 2)), c(allocate(room.c))
{
}

DeviceMatrices::DeviceMatrices(cl::CommandQueue on, const HostMatrices& host) : queue(std::move(on))
{
    const auto context = queue.getInfo<CL_QUEUE_CONTEXT>();
    const auto copy = [&](std::size_t elements, const float* values) {
        cl::Buffer buffer(context, CL_MEM_READ_WRITE, elements * sizeof(float));
        if (values)
            queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, elements * sizeof(float), values);
        return buffer;
    };
    a = copy(host.sizes.a, host.a.get());
    b = copy(host.sizes.b, host.b.get());
    c = copy(host.sizes.c, nullptr);
}

} // namespace bench
