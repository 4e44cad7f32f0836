// A batch whose operands lie in device buffers, as CaseOnDevice has those of one product.
#pragma once

#include "batched_case.hpp"
#include "device.hpp"

namespace clgemm::test {

struct BatchOnDevice {
    explicit BatchOnDevice(const BatchedCase& its_case);

    // clgemm_sgemm_strided_batched_ex().
    clgemm_status call(const cl::CommandQueue& queue, const clgemm_options& options = CLGEMM_OPTIONS_INIT,
                       cl::Event* event = nullptr) const;
    clgemm_call described() const;

    // The buffers as they are now, and C as it was. Both wait for the queue.
    BatchedOperands read(const cl::CommandQueue& queue) const;
    void restore_c(const cl::CommandQueue& queue) const;
    testing::AssertionResult is_right() const { return test::is_right(x, before, read(test_device().in_order)); }

    BatchedCase x;
    BatchedOperands before;
    cl::Buffer buffer[3];
};

} // namespace clgemm::test
