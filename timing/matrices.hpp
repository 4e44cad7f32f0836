// The operands: random numbers, made once, large enough for the largest product, and shared by all products and contenders.
#pragma once

#include "timing/product.hpp"

#include <clgemm/clgemm.hpp>

#include <memory>
#include <new>

namespace timing {

// How many elements A, B and C have room for.
struct Sizes {
    std::size_t a = 0, b = 0, c = 0;

    void make_room_for(const Shape& shape); // without gaps
    void make_room_for(const Product& product);
};

// Frees memory that begins on a page's boundary, as OpenCL's buffers do.
struct Free {
    static constexpr std::align_val_t page{4096};
    void operator()(float* memory) const { ::operator delete[](memory, page); }
};
using HostMemory = std::unique_ptr<float[], Free>;

// A and B are uniform in [-1, 1); C is room for results.
struct HostMatrices {
    explicit HostMatrices(const Sizes& sizes);

    Sizes sizes;
    HostMemory a, b, c;
};

// The same in buffers of an OpenCL device.
struct DeviceMatrices {
    DeviceMatrices(cl::CommandQueue queue, const HostMatrices& host);

    // Copies anew what the product reads of A and B.
    void reload(const HostMatrices& host, const Product& product);

    cl::CommandQueue queue;
    cl::Context context; // with some drivers a queue does not hold its own
    cl::Buffer a, b, c;
};

} // namespace timing
