// Matrices of more elements than 31 or 32 bits count, all of them used. The same on small ones on every device, so that it
// is seen where memory is short that the test itself is right.
#include "support/case_on_device.hpp"
#include "support/hashed_case.hpp"

#include <cmath>

using namespace clgemm::test;

namespace {

struct Shape {
    const char* name;
    SgemmCase (*of)(std::size_t elements); // with a matrix of at least so many
};

std::size_t side(std::size_t elements)
{
    return static_cast<std::size_t>(std::sqrt(static_cast<double>(elements))) + 3;
}

SgemmCase sizes(std::size_t m, std::size_t n, std::size_t k)
{
    SgemmCase x;
    x.m = m;
    x.n = n;
    x.k = k;
    x.alpha = -1.5f;
    x.beta = 0.5f;
    return x;
}

constexpr Shape shapes[] = {
    {"TallA", [](std::size_t elements) { return sizes(elements / 64 + 3, 33, 64); }},
    {"SquareA", [](std::size_t elements) { return sizes(side(elements), 33, side(elements)); }},
    {"WideB", [](std::size_t elements) { return sizes(33, elements / 64 + 3, 64); }},
    {"SquareC", [](std::size_t elements) { return sizes(side(elements), side(elements), 20); }},
};

class LargeMatrices : public testing::TestWithParam<std::tuple<Shape, unsigned, clgemm_transpose>> {};

constexpr unsigned small = 16; // bits

TEST_P(LargeMatrices, AreMultipliedRightly)
{
    const auto& [shape, bits, trans] = GetParam();
    const std::size_t too_many = std::size_t{1} << bits;
    SgemmCase x = shape.of(too_many + too_many / 64);
    x.trans_a = x.trans_b = trans;

    const cl::Device& device = test_device().device;
    if (bits > small && device.getInfo<CL_DEVICE_TYPE>() == CL_DEVICE_TYPE_CPU)
        GTEST_SKIP() << "for GPUs: a CPU would need minutes, and memory that the machine has for others";
    if (device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>() < HashedCase::largest_bytes(x))
        GTEST_SKIP() << "the device has no buffers of " << HashedCase::largest_bytes(x) << " bytes";
    if (device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>() / 4 * 3 < HashedCase::all_bytes(x)) // the rest is for temporaries
        GTEST_SKIP() << "the device has no room for matrices of " << HashedCase::all_bytes(x) << " bytes";

    const cl::Context context(device); // of its own, whose temporaries are given back at the end
    const cl::CommandQueue queue(context, device);
    {
        const HashedCase large(x, queue);
        ASSERT_TRUE(large.c_is_untouched());
        for (const char* const kernel :
             {static_cast<const char*>(nullptr), "13_warp_tiled", "14_tensor_cores", "tensor_mma", "tensor_direct"}) {
            if (kernel && !runs_here(kernel))
                continue;
            clgemm_options options = CLGEMM_OPTIONS_INIT;
            options.kernel = kernel;
            large.restore_c();
            ASSERT_EQ(large.call(options), CLGEMM_SUCCESS) << clgemm_last_error();
            EXPECT_TRUE(large.c_is_right()) << (kernel ? kernel : "by default");
        }
    }
    clgemm_teardown(context());
}

INSTANTIATE_TEST_SUITE_P(Of, LargeMatrices,
                         testing::Combine(testing::ValuesIn(shapes), testing::Values(small, 31U, 32U),
                                          testing::Values(CLGEMM_NO_TRANS, CLGEMM_TRANS)),
                         [](const auto& tested) {
                             return std::string(std::get<0>(tested.param).name) + "_" +
                                    std::to_string(std::get<1>(tested.param)) + "_bits_" +
                                    (std::get<2>(tested.param) == CLGEMM_NO_TRANS ? "NN" : "TT");
                         });

} // namespace
