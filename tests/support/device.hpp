// The device that the tests run on: the library's default, so CLGEMM_DEVICE chooses it.
#pragma once

#include "support/opencl.hpp"

namespace clgemm::test {

struct TestDevice {
    cl::Device device;
    cl::Context context;
    cl::CommandQueue in_order;
    cl::CommandQueue out_of_order; // in order too, where the device has no other
};

// Made at first use, the same for a whole test program.
const TestDevice& test_device();

// Writes into a buffer for commands on every queue. (A blocking write may come back before it has happened, since what
// follows on its own queue waits for it. Intel's runtime does so below 512 bytes, that of 2024 with 8,100, too.)
void write(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::size_t bytes, const void* data);

} // namespace clgemm::test
