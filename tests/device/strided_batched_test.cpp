// clgemm_sgemm_strided_batched(): each product is right and nothing between them is touched, wherever the matrices lie and
// however many there are.
#include "support/batch_on_device.hpp"
#include "support/case_on_device.hpp"

#include <cstring>
#include <string>

using namespace clgemm::test;

namespace {

// Products that are small, one behind the other.
BatchedCase packed(std::size_t m, std::size_t n, std::size_t k, std::size_t count)
{
    BatchedCase x;
    x.m = m;
    x.n = n;
    x.k = k;
    x.count = count;
    x.alpha = 1.5f;
    x.beta = 0.5f;
    x.ld = {m, k, m};
    x.distance = {m * k, k * n, m * n};
    return x;
}

} // namespace

TEST(StridedBatched, RandomOnesAreRight)
{
    std::mt19937 random(1);
    const auto kernels = kernels_here();
    for (int i = 0; i < 150; i++) {
        const BatchOnDevice batch(random_batched_case(random));
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        if (random() % 2 == 0)
            options.kernel = kernels[random() % kernels.size()];
        const auto& queue = random() % 2 == 0 ? test_device().in_order : test_device().out_of_order;
        // The queries are asked about what comes, and a workspace of exactly that size, with canaries behind, suffices.
        const clgemm_call call = batch.described();
        std::size_t bytes = 0;
        ASSERT_EQ(clgemm_call_workspace_size(&call, test_device().device(), &options, &bytes), CLGEMM_SUCCESS)
            << clgemm_last_error();
        std::vector<char> canaries(bytes + 64, 77);
        cl::Buffer workspace;
        if (bytes > 0 && random() % 2 == 0) {
            workspace = cl::Buffer(test_device().context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, canaries.size(),
                                   canaries.data());
            const cl_buffer_region region{0, bytes};
            const cl::Buffer exact = workspace.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
            options.workspace = exact();
            cl::Event done;
            ASSERT_EQ(batch.call(queue, options, &done), CLGEMM_SUCCESS) << batch.x << ": " << clgemm_last_error();
            done.wait();
            test_device().in_order.enqueueReadBuffer(workspace, CL_TRUE, bytes, 64, canaries.data());
            ASSERT_EQ(std::string(canaries.data(), 64), std::string(64, 77)) << "something behind the workspace was written";
        } else {
            cl::Event done;
            ASSERT_EQ(batch.call(queue, options, &done), CLGEMM_SUCCESS) << batch.x << ": " << clgemm_last_error();
            done.wait();
        }
        ASSERT_TRUE(batch.is_right()) << "batch " << i;
    }
}

// More than have one plan, and on a queue that is not in order their event waits for all of them.
TEST(StridedBatched, OfManyProductsIsRight)
{
    for (const std::size_t count : {4096U, 4097U, 65536U})
        for (const cl::CommandQueue& queue : {test_device().in_order, test_device().out_of_order}) {
            BatchedCase x = packed(2, 3, 2, count);
            x.distance[A] = 0;
            const BatchOnDevice batch(x);
            cl::Event done;
            ASSERT_EQ(batch.call(queue, CLGEMM_OPTIONS_INIT, &done), CLGEMM_SUCCESS) << clgemm_last_error();
            queue.flush();
            done.wait();
            EXPECT_TRUE(batch.is_right());
        }
}

// Where each product needs temporaries, all plans use the same ones, the caller's.
TEST(StridedBatched, OfManyProductsNeedsTheWorkspaceOfOne)
{
    const BatchOnDevice batch(packed(3, 2, 3, 5000)), one(packed(3, 2, 3, 1));
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = "10";
    const clgemm_call call = batch.described(), call_of_one = one.described();
    std::size_t bytes = 0, bytes_of_one = 0;
    ASSERT_EQ(clgemm_call_workspace_size(&call, test_device().device(), &options, &bytes), CLGEMM_SUCCESS);
    ASSERT_EQ(clgemm_call_workspace_size(&call_of_one, test_device().device(), &options, &bytes_of_one), CLGEMM_SUCCESS);
    EXPECT_EQ(bytes, bytes_of_one);
    ASSERT_GT(bytes, 0u);
    const cl::Buffer workspace(test_device().context, CL_MEM_READ_WRITE, bytes);
    options.workspace = workspace();
    cl::Event done;
    ASSERT_EQ(batch.call(test_device().out_of_order, options, &done), CLGEMM_SUCCESS) << clgemm_last_error();
    done.wait();
    EXPECT_TRUE(batch.is_right());
    const cl::Buffer too_small(test_device().context, CL_MEM_READ_WRITE, bytes - 1);
    options.workspace = too_small();
    EXPECT_EQ(batch.call(test_device().out_of_order, options), CLGEMM_WORKSPACE_TOO_SMALL);
}

TEST(StridedBatched, OfNoProductsHasAnEventThatWaits)
{
    const BatchOnDevice batch(packed(3, 2, 4, 0));
    cl::UserEvent gate(test_device().context);
    const cl_event first = gate();
    cl::Event done;
    ASSERT_EQ(clgemm_sgemm_strided_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 3, 2, 4, 1,
                                           batch.buffer[A](), 0, 3, 12, batch.buffer[B](), 0, 4, 8, 0, batch.buffer[C](), 0,
                                           3, 6, 0, test_device().out_of_order(), 1, &first, &done()),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    EXPECT_GT(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(), CL_COMPLETE);
    gate.setStatus(CL_COMPLETE);
    done.wait();
    EXPECT_TRUE(batch.is_right()) << "nothing was touched";
}

class LargeDistance : public testing::TestWithParam<std::size_t> {};

// The elements that count are far apart: only the distance makes it large.
TEST_P(LargeDistance, ReachesBeyond32Bits)
{
    const std::size_t distance = GetParam();
    const std::size_t bytes = (2 * distance + 4) * sizeof(float);
    const auto& test = test_device();
    if (test.device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>() < bytes)
        GTEST_SKIP() << "the device has no buffers of " << bytes << " bytes";
    const cl::Buffer large(test.context, CL_MEM_READ_WRITE, bytes), small(test.context, CL_MEM_READ_WRITE, 1024);
    const auto write = [&](const cl::Buffer& buffer, std::size_t at, std::vector<float> values) {
        test.in_order.enqueueWriteBuffer(buffer, CL_TRUE, at * sizeof(float), values.size() * sizeof(float), values.data());
    };
    for (std::size_t i = 0; i < 3; i++)
        write(large, i * distance, {1, 2, 3, static_cast<float>(i)});
    write(small, 0, {1, 0, 0, 1}); // the identity, which all share
    for (const bool c_is_large : {false, true}) {
        const cl_mem from = c_is_large ? small() : large(), to = c_is_large ? large() : small();
        const std::size_t from_at = c_is_large ? 100 : 0, to_at = c_is_large ? 0 : 100;
        if (c_is_large)
            write(large, distance, {0, 0, 0, 0});
        ASSERT_EQ(clgemm_sgemm_strided_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 2, 2, 2, 1, from,
                                               from_at, 2, c_is_large ? 4 : distance, small(), 0, 2, 0, 0, to, to_at, 2,
                                               c_is_large ? distance : 4, 3, test.in_order(), 0, nullptr, nullptr),
                  CLGEMM_SUCCESS)
            << clgemm_last_error();
        for (std::size_t i = 0; i < 3; i++) {
            float result[4];
            test.in_order.enqueueReadBuffer(c_is_large ? large : small, CL_TRUE,
                                            (to_at + i * (c_is_large ? distance : 4)) * sizeof(float), sizeof result,
                                            result);
            EXPECT_EQ(std::vector<float>(result, result + 4), (std::vector<float>{1, 2, 3, static_cast<float>(i)}));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(StridedBatched, LargeDistance,
                         testing::Values((std::size_t{1} << 27) + 4, (std::size_t{1} << 31) + 4),
                         [](const auto& tested) { return std::to_string(tested.param); });

TEST(StridedBatched, IsExplained)
{
    const BatchOnDevice batch(packed(5, 4, 3, 10000));
    const clgemm_call call = batch.described();
    std::string text(10'000, '\0');
    ASSERT_EQ(clgemm_call_explain(&call, test_device().device(), nullptr, text.data(), text.size(), nullptr),
              CLGEMM_SUCCESS);
    EXPECT_EQ(text.find("sgemm NN 5x4x3 (column-major), 10000 products, alpha 1.5"), 0u) << text;
    EXPECT_NE(text.find("kernel:"), std::string::npos) << text;
}
