// Memory that does not lie as OpenCL would have laid it: host memory behind the caller's buffers, off alignment by some
// floats. What the workspace query answers is enough for it, and a workspace that lies like that is refused before anything
// happens.
#include "support/case_on_device.hpp"
#include "support/one_pocl_worker.hpp"

#include <algorithm>
#include <memory>

using namespace clgemm::test;

namespace {

// A buffer of the host's memory that begins so many floats behind an aligned address.
class Shifted {
public:
    Shifted(const std::vector<float>& contents, std::size_t floats)
        : memory_(contents.size() + floats + alignment / sizeof(float))
    {
        void* begin = memory_.data();
        std::size_t space = memory_.size() * sizeof(float);
        std::align(alignment, (contents.size() + floats) * sizeof(float), begin, space);
        float* const first = static_cast<float*>(begin) + floats;
        std::copy(contents.begin(), contents.end(), first);
        buffer = cl::Buffer(test_device().context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, contents.size() * sizeof(float),
                            first);
    }

    cl::Buffer buffer;

private:
    static constexpr std::size_t alignment = 4096;
    std::vector<float> memory_;
};

constexpr std::size_t shifts[] = {0, 1, 2, 4, 8, 16};
// Whole tiles of every kernel, so that only the alignment makes copies necessary.
constexpr std::size_t n = 128;

std::vector<float> numbers(std::size_t count)
{
    std::vector<float> result(count);
    for (std::size_t i = 0; i < count; i++)
        result[i] = static_cast<float>(static_cast<int>(i * 37 % 19) - 9);
    return result;
}

clgemm_status workspace_size(clgemm_transpose trans_b, const clgemm_options& options, std::size_t& bytes)
{
    return clgemm_sgemm_workspace_size(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, trans_b, n, n, n, 1, 0, n, 0, n, 0, 0, n,
                                       test_device().device(), &options, &bytes);
}

clgemm_status multiply(clgemm_transpose trans_b, const cl::Buffer& a, const cl::Buffer& b, const cl::Buffer& c,
                       const clgemm_options& options)
{
    const auto& queue = test_device().in_order;
    const clgemm_status status = clgemm_sgemm_ex(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, trans_b, n, n, n, 1, a(), 0, n, b(),
                                                 0, n, 0, c(), 0, n, queue(), 0, nullptr, nullptr, &options);
    queue.finish();
    return status;
}

class Alignment : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        if (!runs_here(GetParam()))
            GTEST_SKIP() << "the device cannot run this kernel";
        options.kernel = GetParam();
    }

    clgemm_options options = CLGEMM_OPTIONS_INIT;
    const std::vector<float> contents = numbers(n * n);
};

} // namespace

TEST_P(Alignment, TheWorkspaceQueryIsEnoughHoweverMatricesLie)
{
    for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
        std::size_t bytes = 0;
        ASSERT_EQ(workspace_size(trans_b, options, bytes), CLGEMM_SUCCESS) << clgemm_last_error();
        const cl::Buffer workspace(test_device().context, CL_MEM_READ_WRITE, std::max<std::size_t>(bytes, 1));
        options.workspace = workspace();
        for (const std::size_t shift : shifts) {
            const Shifted a(contents, shift), b(contents, shift), c(contents, shift);
            EXPECT_EQ(multiply(trans_b, a.buffer, b.buffer, c.buffer, options), CLGEMM_SUCCESS)
                << shift << " floats off alignment: " << clgemm_last_error();
        }
    }
}

TEST_P(Alignment, WhoPromisesAlignmentMayNeedLess)
{
    std::size_t any = 0;
    ASSERT_EQ(workspace_size(CLGEMM_TRANS, options, any), CLGEMM_SUCCESS);
    for (const std::size_t promised : {4U, 8U, 16U, 32U, 64U, 128U, 4096U}) {
        options.alignment = promised;
        options.workspace = nullptr;
        std::size_t bytes = 0;
        ASSERT_EQ(workspace_size(CLGEMM_TRANS, options, bytes), CLGEMM_SUCCESS);
        EXPECT_LE(bytes, any);
        const cl::Buffer workspace(test_device().context, CL_MEM_READ_WRITE, std::max<std::size_t>(bytes, 1));
        options.workspace = workspace();
        for (const std::size_t shift : shifts) {
            if (shift * sizeof(float) % promised != 0)
                continue;
            const Shifted a(contents, shift), b(contents, shift), c(contents, shift);
            EXPECT_EQ(multiply(CLGEMM_TRANS, a.buffer, b.buffer, c.buffer, options), CLGEMM_SUCCESS)
                << promised << " bytes promised, " << shift << " floats off alignment: " << clgemm_last_error();
        }
    }
    for (const std::size_t nonsense : {1U, 2U, 3U, 24U}) {
        options.alignment = nonsense;
        EXPECT_EQ(workspace_size(CLGEMM_TRANS, options, any), CLGEMM_INVALID_OPTIONS) << nonsense;
    }
}

// Kernels read vectors from the workspace: off alignment they crash on CPUs.
TEST_P(Alignment, AWorkspaceOffAlignmentIsRefused)
{
    std::size_t bytes = 0;
    ASSERT_EQ(workspace_size(CLGEMM_NO_TRANS, options, bytes), CLGEMM_SUCCESS) << clgemm_last_error();
    const Shifted a(contents, 1), b(contents, 1); // so that kernels of vectors need it
    const std::vector<float> room(bytes / sizeof(float) + 1);
    for (const std::size_t shift : shifts) {
        const Shifted c(contents, 1), workspace(room, shift);
        options.workspace = workspace.buffer();
        const clgemm_status status = multiply(CLGEMM_NO_TRANS, a.buffer, b.buffer, c.buffer, options);
        if (shift == 0) {
            EXPECT_EQ(status, CLGEMM_SUCCESS) << clgemm_last_error();
            continue;
        }
        EXPECT_EQ(status, CLGEMM_INVALID_WORKSPACE) << shift << " floats off alignment";
        EXPECT_NE(std::string(clgemm_last_error()).find("options->workspace"), std::string::npos) << clgemm_last_error();
        std::vector<float> after(n * n);
        test_device().in_order.enqueueReadBuffer(c.buffer, CL_TRUE, 0, after.size() * sizeof(float), after.data());
        EXPECT_EQ(after, contents) << "C was touched";
    }
}

INSTANTIATE_TEST_SUITE_P(Of, Alignment, testing::ValuesIn(every_kernel()), name_of_kernel);
