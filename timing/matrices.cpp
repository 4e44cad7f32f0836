#include "timing/matrices.hpp"

#include "timing/parallel.hpp"

#include <algorithm>
#include <cstdint>

namespace timing {
namespace {

// A hash of the index (splitmix64's) needs no state, so that threads can share the work.
float random_element(std::uint64_t index)
{
    std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    z ^= z >> 31U;
    return static_cast<float>(z >> 40U) * 0x1p-23f - 1.0f;
}

HostMemory allocate(std::size_t elements)
{
    return HostMemory(static_cast<float*>(::operator new[](elements * sizeof(float), Free::page)));
}

HostMemory random_matrix(std::size_t elements, std::uint64_t seed)
{
    HostMemory memory = allocate(elements);
    in_parallel(elements, [values = memory.get(), seed](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; i++)
            values[i] = random_element((seed << 40U) + i);
    });
    return memory;
}

} // namespace

void Sizes::make_room_for(const Shape& shape)
{
    make_room_for(Product{shape, {}});
}

void Sizes::make_room_for(const Product& product)
{
    a = std::max(a, product.elements_of_a());
    b = std::max(b, product.elements_of_b());
    c = std::max(c, product.elements_of_c());
}

HostMatrices::HostMatrices(const Sizes& room)
    : sizes(room), a(random_matrix(room.a, 1)), b(random_matrix(room.b, 2)), c(allocate(room.c))
{
}

DeviceMatrices::DeviceMatrices(cl::CommandQueue on, const HostMatrices& host)
    : queue(std::move(on)), context(queue.getInfo<CL_QUEUE_CONTEXT>())
{
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

void DeviceMatrices::reload(const HostMatrices& host, const Product& product)
{
    queue.enqueueWriteBuffer(a, CL_TRUE, 0, product.elements_of_a() * sizeof(float), host.a.get());
    queue.enqueueWriteBuffer(b, CL_TRUE, 0, product.elements_of_b() * sizeof(float), host.b.get());
}

} // namespace timing
