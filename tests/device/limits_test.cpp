// Sizes at which index arithmetic breaks: more work-groups than 16 bits count, elements beyond 2^31 and 2^32.
#include "support/case_on_device.hpp"
#include "support/sgemm_case.hpp"

using namespace clgemm::test;

TEST(Limits, AMillionColumnsOrRows)
{
    for (const auto* kernel : {static_cast<const char*>(nullptr), "01_naive", "02_tiled"}) {
        SgemmCase x;
        x.n = 1'000'003;
        EXPECT_TRUE(is_right(x, by_api(kernel)));
        std::swap(x.m, x.n);
        EXPECT_TRUE(is_right(x, by_api(kernel)));
    }
}

class LimitsOnTensorCores : public testing::TestWithParam<const char*> {};

// Of tiles of 128 columns, too, more than 16 bits count.
TEST_P(LimitsOnTensorCores, EightMillionColumnsOrRows)
{
    if (!runs_here(GetParam()))
        GTEST_SKIP() << "the device cannot run this kernel";
    SgemmCase x;
    x.n = 65536 * 128 + 3;
    EXPECT_TRUE(is_right(x, by_api(GetParam())));
    std::swap(x.m, x.n);
    EXPECT_TRUE(is_right(x, by_api(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(All, LimitsOnTensorCores, testing::Values("14_tensor_cores", "tensor_mma", "tensor_direct"),
                         name_of_kernel);

// A 2 x 2 matrix with its columns `ld` elements apart: only its corners are ever touched, but their indices are huge.
class HugeLeadingDimension : public testing::TestWithParam<std::size_t> {
protected:
    // Uploads a 2 x 2 matrix (column-major) into a buffer large enough for that leading dimension.
    static cl::Buffer upload(const float (&values)[4], std::size_t ld)
    {
        const auto& test = test_device();
        cl::Buffer buffer(test.context, CL_MEM_READ_WRITE, (ld + 2) * sizeof(float));
        for (std::size_t j = 0; j < 2; j++)
            test.in_order.enqueueWriteBuffer(buffer, CL_TRUE, j * ld * sizeof(float), 2 * sizeof(float), &values[2 * j]);
        return buffer;
    }
};

TEST_P(HugeLeadingDimension, IndexesBeyond32Bits)
{
    const std::size_t ld = GetParam();
    const auto& test = test_device();
    if (test.device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>() < (ld + 2) * sizeof(float))
        GTEST_SKIP() << "the device has no buffers of " << (ld + 2) * sizeof(float) << " bytes";

    const float one[4] = {1, 2, 3, 4}, other[4] = {5, 6, 7, 8}, nothing[4] = {};
    const float expected[4] = {23, 34, 31, 46}; // (1 3; 2 4) * (5 7; 6 8)
    for (const char* const kernel : kernels_here()) {
        // One huge matrix at a time, so that a quarter of the device's memory is enough.
        for (int huge = 0; huge < 3; huge++) {
            const std::size_t lda = huge == 0 ? ld : 2, ldb = huge == 1 ? ld : 2, ldc = huge == 2 ? ld : 2;
            const cl::Buffer a = upload(one, lda), b = upload(other, ldb), c = upload(nothing, ldc);
            clgemm_options options = CLGEMM_OPTIONS_INIT;
            options.kernel = kernel;
            ASSERT_EQ(clgemm_sgemm_ex(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 2, 2, 2, 1, a(), 0, lda, b(), 0,
                                      ldb, 0, c(), 0, ldc, test.in_order(), 0, nullptr, nullptr, &options),
                      CLGEMM_SUCCESS)
                << clgemm_last_error();
            for (std::size_t j = 0; j < 2; j++) {
                float column[2];
                test.in_order.enqueueReadBuffer(c, CL_TRUE, j * ldc * sizeof(float), sizeof column, column);
                EXPECT_EQ(column[0], expected[2 * j]) << kernel << ", matrix " << huge;
                EXPECT_EQ(column[1], expected[2 * j + 1]) << kernel << ", matrix " << huge;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Limits, HugeLeadingDimension,
                         testing::Values((std::size_t{1} << 27) + 4, (std::size_t{1} << 31) + 4, (std::size_t{1} << 32) + 4),
                         [](const auto& tested) { return "ld_" + std::to_string(tested.param); });
