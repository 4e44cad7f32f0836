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

} // namespace clgemm::test
