// A batch whose products are listed, in any order and with factors of their own, as BatchOnDevice has strided ones.
#pragma once

#include "batch_on_device.hpp"

namespace clgemm::test {

// A strided batch's products and matrices.
struct ListOnDevice {
    ListOnDevice(const BatchedCase& x, std::mt19937& random, bool own_scalars);

    // clgemm_sgemm_batched_ex().
    clgemm_status call(const cl::CommandQueue& queue, const clgemm_options& options = CLGEMM_OPTIONS_INIT,
                       cl::Event* event = nullptr) const;
    // clgemm_sgemm_indirect_batched_ex(): `list` has the products from its place `first` on.
    clgemm_status call_by(const cl::Buffer& list, std::size_t first, const cl::CommandQueue& queue,
                          const clgemm_options& options = CLGEMM_OPTIONS_INIT, cl::Event* event = nullptr) const;
    std::vector<clgemm_product> products() const;

    // Every element of each matrix C is checked, and that nothing beside them was written.
    testing::AssertionResult is_right() const { return is_right(batch.read(test_device().in_order)); }
    testing::AssertionResult is_right(const BatchedOperands& after) const;

    BatchOnDevice batch;
    std::vector<std::size_t> offsets[3];
    std::vector<float> alpha, beta; // and one more
    std::size_t scalars;
};

} // namespace clgemm::test
