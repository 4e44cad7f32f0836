// Calls while the device's memory is full: where there is none for temporaries, the library computes without them, and a
// kernel that cannot do without gives an error and leaves C. (No other test may run meanwhile: it has no memory, either.)
#include "support/device.hpp"
#include "support/hashed_case.hpp"
#include "support/little_memory.hpp"

#include <algorithm>
#include <optional>

using namespace clgemm::test;

namespace {

bool is_lack_of_memory(clgemm_status status)
{
    return status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY;
}

// Takes the device's memory until there is no piece of `least` bytes any more. (In pieces that are written, since drivers
// give memory at its first use.)
class Hoard {
public:
    Hoard(const cl::CommandQueue& queue, std::size_t memory, std::size_t least)
    {
        const std::size_t largest = queue.getInfo<CL_QUEUE_DEVICE>().getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
        std::size_t piece = std::min(std::size_t{1} << 30, largest) / 4096 * 4096, taken = 0;
        while (piece >= least && taken <= memory) {
            try {
                const cl::Buffer buffer(queue.getInfo<CL_QUEUE_CONTEXT>(), CL_MEM_READ_WRITE, piece);
                queue.enqueueFillBuffer(buffer, cl_uint{0}, 0, piece / sizeof(cl_uint) * sizeof(cl_uint));
                queue.finish();
                pieces_.push_back(buffer);
                taken += piece;
            } catch (const cl::Error& error) {
                if (!is_lack_of_memory(error.err()))
                    throw;
                piece /= 2;
            }
        }
        is_full = taken <= memory;
    }

    bool is_full = false; // or else the driver gives more memory than the device has

private:
    std::vector<cl::Buffer> pieces_;
};

clgemm_options options_of(const char* kernel, clgemm_math math)
{
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = kernel;
    options.math = math;
    return options;
}

// Null: in the device's own memory. Else in a little of it, so that it is seen on every device that the test itself is
// right.
class OutOfMemory : public testing::TestWithParam<std::optional<Refusal>> {
protected:
    void SetUp() override
    {
        if (GetParam())
            little.emplace(memory, *GetParam());
        else if (device.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY>())
            GTEST_SKIP() << "the device's memory is the machine's, of which a test must not take all";
    }
    ~OutOfMemory() override { clgemm_teardown(context()); }

    // Temporaries should be much more than what drivers take for themselves.
    SgemmCase large_case() const
    {
        SgemmCase x;
        x.m = x.n = x.k = memory < std::size_t{8} << 30 ? 1000 : 8190;
        x.alpha = -1.5f;
        x.beta = 0.5f;
        return x;
    }

    const cl::Device device = test_device().device;
    const std::size_t memory = GetParam() ? 64 << 20 : device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
    const cl::Context context{device};
    const cl::CommandQueue queue{context, device};
    std::optional<LittleMemory> little;
};

INSTANTIATE_TEST_SUITE_P(In, OutOfMemory, testing::Values(std::nullopt, Refusal::when_made, Refusal::when_used),
                         [](const auto& tested) {
                             return std::string(!tested.param                         ? "TheDevicesOwnMemory"
                                                : *tested.param == Refusal::when_made ? "ALittleRefusedWhenMade"
                                                                                      : "ALittleRefusedWhenUsed");
                         });

TEST_P(OutOfMemory, CallsDoWithoutTemporariesOrLeaveC)
{
    const clgemm_options needy = options_of("05_transposed_rectangular", CLGEMM_MATH_DEFAULT);
    const clgemm_options by_default = options_of(nullptr, CLGEMM_MATH_DEFAULT);
    const clgemm_options strict = options_of(nullptr, CLGEMM_MATH_STRICT);
    clgemm_options without_temporaries = by_default;
    without_temporaries.workspace_limit = 1;

    // Programs are built while there is memory, in a workspace that the library's pool does not keep.
    const HashedCase x(large_case(), queue);
    std::size_t least_workspace = x.workspace_bytes(needy);
    for (const clgemm_options& options : {needy, by_default, strict, without_temporaries}) {
        const std::size_t bytes = x.workspace_bytes(options);
        clgemm_options with_own = options;
        cl::Buffer own;
        if (bytes > 0) {
            own = cl::Buffer(context, CL_MEM_READ_WRITE, bytes);
            with_own.workspace = own();
            least_workspace = std::min(least_workspace, bytes);
        }
        x.restore_c();
        ASSERT_EQ(x.call(with_own), CLGEMM_SUCCESS) << clgemm_last_error();
        ASSERT_TRUE(x.c_is_right());
    }
    ASSERT_GT(least_workspace, 0u);

    bool was_refused = false;
    {
        const Hoard hoard(queue, memory, least_workspace / 2);
        if (!hoard.is_full)
            GTEST_SKIP() << "the driver gives more memory than the device has";
        for (const clgemm_options& options : {needy, by_default, strict, needy}) {
            x.restore_c();
            const clgemm_status status = x.call(options);
            queue.finish();
            if (status == CLGEMM_SUCCESS) {
                EXPECT_TRUE(x.c_is_right());
                continue;
            }
            EXPECT_TRUE(is_lack_of_memory(status)) << status << ": " << clgemm_last_error();
            EXPECT_TRUE(x.c_is_untouched()) << clgemm_last_error();
            EXPECT_TRUE(options.kernel) << "clgemm.h promises a result: " << clgemm_last_error();
            was_refused = true;
        }
    }

    // As if nothing had been.
    for (const clgemm_options& options : {needy, by_default, strict}) {
        x.restore_c();
        ASSERT_EQ(x.call(options), CLGEMM_SUCCESS) << clgemm_last_error();
        EXPECT_TRUE(x.c_is_right());
    }
    EXPECT_TRUE(was_refused || !little);
    if (!was_refused)
        GTEST_SKIP() << "the driver found memory all the same";
}

} // namespace
