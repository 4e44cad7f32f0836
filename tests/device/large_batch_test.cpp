// A batch whose matrices C have 2^31 + 2^20 elements in all, 8.6 GB: kernels count beyond 32 bits.
#include "support/device.hpp"

#include "clgemm/clgemm.h"

#include <gtest/gtest.h>

#include <vector>

using namespace clgemm::test;

namespace {

cl::Buffer on_device(std::vector<float>& elements)
{
    return {test_device().context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, elements.size() * sizeof(float),
            elements.data()};
}

} // namespace

// All products share A and B, which are small.
TEST(LargeBatch, ElementsBeyond32BitsAreRight)
{
    constexpr std::size_t side = 1024, each = side * side, count = 2049;
    const auto& test = test_device();
    const std::size_t bytes = count * each * sizeof(float);
    if (test.device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>() < bytes ||
        test.device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>() < 2 * bytes)
        GTEST_SKIP() << "the device has no " << bytes << " bytes to spare for one buffer";
    std::vector<float> column(side), row(side);
    for (std::size_t i = 0; i < side; i++) {
        column[i] = static_cast<float>(i % 31);
        row[i] = static_cast<float>(i % 29);
    }
    const cl::Buffer a = on_device(column), b = on_device(row);
    const cl::Buffer c(test.context, CL_MEM_READ_WRITE, bytes);
    ASSERT_EQ(clgemm_sgemm_strided_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, side, side, 1, 1, a(), 0,
                                           side, 0, b(), 0, 1, 0, 0, c(), 0, side, each, count, test.in_order(), 0, nullptr,
                                           nullptr),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    std::vector<float> result(each);
    for (const std::size_t product : {std::size_t{0}, count / 2 - 1, count / 2, count - 2, count - 1}) {
        test.in_order.enqueueReadBuffer(c, CL_TRUE, product * each * sizeof(float), each * sizeof(float), result.data());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < each; i++)
            wrong += result[i] != column[i % side] * row[i / side] ? 1 : 0;
        EXPECT_EQ(wrong, 0u) << "product " << product;
    }
}
