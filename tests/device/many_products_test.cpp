// Batches of a million products: every form counts far enough.
#include "support/device.hpp"

#include "clgemm/clgemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

using namespace clgemm::test;

namespace {

// Products of 2 x 2 matrices of small whole numbers, which no order of additions rounds: product i is (i % 7) * (i % 5) in
// every element, times 2.
struct ManyProducts {
    static constexpr std::size_t each = 4; // elements of a matrix

    explicit ManyProducts(std::size_t its_count) : count(its_count), a(each * count), b(each * count), c(each * count, -1.0f)
    {
        for (std::size_t i = 0; i < each * count; i++) {
            a[i] = static_cast<float>(i / each % 7);
            b[i] = static_cast<float>(i / each % 5);
        }
    }
    std::size_t wrong(const std::vector<float>& result) const
    {
        std::size_t number = 0;
        for (std::size_t i = 0; i < each * count; i++)
            number += result[i] != 2 * a[i] * b[i] ? 1 : 0;
        return number;
    }

    std::size_t count;
    std::vector<float> a, b, c;
};

cl::Buffer on_device(const void* data, std::size_t bytes)
{
    return {test_device().context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, const_cast<void*>(data)};
}

cl::Buffer on_device(const std::vector<float>& elements)
{
    return on_device(elements.data(), elements.size() * sizeof(float));
}

std::vector<float> read(const cl::Buffer& buffer, std::size_t elements)
{
    std::vector<float> result(elements);
    test_device().in_order.enqueueReadBuffer(buffer, CL_TRUE, 0, elements * sizeof(float), result.data());
    return result;
}

class ManyProductsOf : public testing::TestWithParam<std::size_t> {
protected:
    const ManyProducts batch{GetParam()};
    const cl::CommandQueue queue = test_device().in_order;
};

} // namespace

TEST_P(ManyProductsOf, AStridedBatchAreRight)
{
    const cl::Buffer a = on_device(batch.a), b = on_device(batch.b), c = on_device(batch.c);
    ASSERT_EQ(clgemm_sgemm_strided_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 2, 2, 2, 1, a(), 0, 2, 4,
                                           b(), 0, 2, 4, 0, c(), 0, 2, 4, batch.count, queue(), 0, nullptr, nullptr),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    EXPECT_EQ(batch.wrong(read(c, batch.c.size())), 0u);
}

TEST_P(ManyProductsOf, AHostsBatchAreRight)
{
    std::vector<float> c = batch.c;
    ASSERT_EQ(clgemm_sgemm_host_strided_batched(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 2, 2, 2, 1,
                                                batch.a.data(), 2, 4, batch.b.data(), 2, 4, 0, c.data(), 2, 4, batch.count,
                                                queue()),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    EXPECT_EQ(batch.wrong(c), 0u);
}

// Equidistant, so that it is one batch.
TEST_P(ManyProductsOf, AListAreRight)
{
    const cl::Buffer a = on_device(batch.a), b = on_device(batch.b), c = on_device(batch.c);
    std::vector<std::size_t> offsets(batch.count);
    for (std::size_t i = 0; i < batch.count; i++)
        offsets[i] = 4 * i;
    const float one = 1, zero = 0;
    ASSERT_EQ(clgemm_sgemm_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 2, 2, 2, 1, &one, a(),
                                   offsets.data(), 2, b(), offsets.data(), 2, &zero, c(), offsets.data(), 2, batch.count,
                                   queue(), 0, nullptr, nullptr),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    EXPECT_EQ(batch.wrong(read(c, batch.c.size())), 0u);
}

TEST_P(ManyProductsOf, AListInTheDevicesMemoryAreRightInAnyOrder)
{
    const cl::Buffer a = on_device(batch.a), b = on_device(batch.b), c = on_device(batch.c);
    std::vector<std::size_t> order(batch.count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(1)); // NOLINT(cert-msc51-cpp): the same each time
    std::vector<clgemm_product> products;
    for (const std::size_t i : order)
        products.push_back({4 * i, 4 * i, 4 * i, 1, 0});
    const cl::Buffer list = on_device(products.data(), products.size() * sizeof(clgemm_product));
    ASSERT_EQ(clgemm_sgemm_indirect_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 2, 2, 2, a(), 2, b(), 2,
                                            c(), 2, list(), 0, batch.count, queue(), 0, nullptr, nullptr),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    EXPECT_EQ(batch.wrong(read(c, batch.c.size())), 0u);
}

INSTANTIATE_TEST_SUITE_P(Batched, ManyProductsOf, testing::Values(65'536, 1'000'000),
                         [](const auto& tested) { return std::to_string(tested.param); });

// Windows that slide over a signal: each is a matrix of 2^20 elements, and they begin one element after the other. So the
// matrices A have more than 2^31 elements in all, in a buffer of some millions.
TEST(Batched, MatricesOfMoreThan2To31ElementsInAllAreRight)
{
    constexpr std::size_t side = 1024, count = 2049;
    std::vector<float> signal(side * side + count);
    for (std::size_t i = 0; i < signal.size(); i++)
        signal[i] = static_cast<float>(i * i % 7);
    const std::vector<float> ones(side, 1.0f);
    const cl::Buffer a = on_device(signal), b = on_device(ones), c = on_device(std::vector<float>(side * count));
    ASSERT_EQ(clgemm_sgemm_strided_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, side, 1, side, 1, a(), 0,
                                           side, 1, b(), 0, side, 0, 0, c(), 0, side, side, count, test_device().in_order(),
                                           0, nullptr, nullptr),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    std::vector<float> sums(side + count); // from each element on, of every 1024th
    for (std::size_t begin = 0; begin + 1 < sums.size(); begin++)
        for (std::size_t k = 0; k < side; k++)
            sums[begin] += signal[begin + k * side];
    const std::vector<float> result = read(c, side * count);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < result.size(); i++)
        wrong += result[i] != sums[i / side + i % side] ? 1 : 0;
    EXPECT_EQ(wrong, 0u);
}
