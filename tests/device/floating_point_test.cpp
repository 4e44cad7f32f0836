// Results do not depend on how the calling thread computes floating-point numbers, and a call leaves that as it was.
#include "support/case_on_device.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#if defined(__SSE__)
#include <xmmintrin.h>

using namespace clgemm::test;

namespace {

constexpr unsigned subnormals_are_zero = 0x8040; // what is read, and what is computed

// How this thread computes while it lives.
class Computing {
public:
    explicit Computing(unsigned control) : before_(_mm_getcsr()) { _mm_setcsr(control); }
    Computing(const Computing&) = delete;
    Computing& operator=(const Computing&) = delete;
    ~Computing() { _mm_setcsr(before_); }

private:
    unsigned before_;
};

struct Called {
    clgemm_status status;
    std::uint32_t c; // the bits of the one element
};

Called on_host(float alpha, float a, float beta, float c)
{
    const float b = 1;
    const clgemm_status status = clgemm_sgemm_host(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1, alpha, &a,
                                                   1, &b, 1, beta, &c, 1, test_device().in_order());
    return {status, std::bit_cast<std::uint32_t>(c)};
}

Called on_device(float alpha, float a, float beta, float c)
{
    const auto& test = test_device();
    const float b = 1;
    std::array<cl::Buffer, 3> buffers;
    const float* from[] = {&a, &b, &c};
    for (std::size_t i = 0; i < 3; i++) {
        buffers[i] = cl::Buffer(test.context, CL_MEM_READ_WRITE, sizeof(float));
        write(test.in_order, buffers[i], sizeof(float), from[i]);
    }
    const clgemm_status status =
        clgemm_sgemm(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1, alpha, buffers[0](), 0, 1, buffers[1](),
                     0, 1, beta, buffers[2](), 0, 1, test.in_order(), 0, nullptr, nullptr);
    test.in_order.enqueueReadBuffer(buffers[2], CL_TRUE, 0, sizeof(float), &c);
    return {status, std::bit_cast<std::uint32_t>(c)};
}

} // namespace

TEST(CallersFloatingPoint, MayTakeSubnormalFactorsForZero)
{
    constexpr std::uint32_t expected = 0x2b800000; // 2^-40
    if ((test_device().device.getInfo<CL_DEVICE_SINGLE_FP_CONFIG>() & CL_FP_DENORM) == 0)
        GTEST_SKIP() << "the device itself takes subnormal numbers for zero";
    for (const auto call : {on_host, on_device}) {
        const Computing otherwise(_mm_getcsr() | subnormals_are_zero);
        const unsigned before = _mm_getcsr();
        const Called by_alpha = call(0x1p-140f, 0x1p100f, 0, 5);
        const Called by_beta = call(0, 0x1p100f, 0x1p-140f, 0x1p100f);
        EXPECT_EQ(_mm_getcsr() & ~_MM_EXCEPT_MASK, before & ~_MM_EXCEPT_MASK);
        EXPECT_EQ(by_alpha.status, CLGEMM_SUCCESS);
        EXPECT_EQ(by_alpha.c, expected);
        EXPECT_EQ(by_beta.status, CLGEMM_SUCCESS);
        EXPECT_EQ(by_beta.c, expected);
    }
}

TEST(CallersFloatingPoint, MayEndAtTheFirstNan)
{
    const Computing otherwise(_mm_getcsr() & ~unsigned{_MM_MASK_INVALID});
    clgemm_options options = {};
    options.size = sizeof options;
    options.max_error = std::numeric_limits<double>::quiet_NaN();
    const float a = 1;
    float c = 5;
    EXPECT_NE(clgemm_sgemm_host_ex(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1, 1, &a, 1, &a, 1, 0, &c, 1,
                                   test_device().in_order(), &options),
              CLGEMM_SUCCESS);
    EXPECT_EQ(c, 5.0f);
}

#endif
