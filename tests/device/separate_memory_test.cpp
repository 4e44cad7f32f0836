// clgemm_sgemm_host() and its forms on a device with memory of its own, by the public functions alone. On other devices
// support/separate_memory.cpp makes the library believe it. The tests of host_test.cpp and host_batched_test.cpp, and those
// of lists of pointers, are in this program, too.
#include "support/one_pocl_worker.hpp" // the first: PoCL reads its variables when it is loaded

#include "support/case_on_device.hpp"
#include "support/with_selection.hpp"

#include <atomic>
#include <bit>
#include <chrono>
#include <string_view>
#include <thread>

using namespace clgemm::test;

namespace {

// How many programs are compiled, or loaded, while a function runs.
int programs_made_by(const std::function<void()>& run)
{
    std::atomic<int> made = 0;
    const auto count = [](const char* line, void* user) {
        const std::string_view said(line);
        if (said.find(") compiled") != said.npos || said.find(") loaded from") != said.npos)
            ++*static_cast<std::atomic<int>*>(user);
    };
    EXPECT_EQ(clgemm_set_log(count, &made), CLGEMM_SUCCESS);
    run();
    EXPECT_EQ(clgemm_set_log(nullptr, nullptr), CLGEMM_SUCCESS);
    return made;
}

} // namespace

TEST(SeparateMemory, IsWhatTheLibrarySees)
{
    EXPECT_EQ(test_profile().type, clgemm::core::DeviceType::gpu);
    EXPECT_FALSE(test_profile().shares_host_memory);
}

// The command before the call on its queue writes the operand, which is copied to the device by other queues.
TEST(SeparateMemory, ACallReadsItsOperandsWhenItsQueueHasCome)
{
    constexpr std::size_t size = 40;
    const cl::CommandQueue queue(test_device().context, test_device().device);
    std::vector<float> a(size * size, 1), c(size * size, 0), later(size * size, 3);
    const std::vector<float> b(size * size, 1);
    const cl::Buffer from(test_device().context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, a.size() * sizeof(float),
                          later.data());
    cl::UserEvent gate(test_device().context);
    const std::vector<cl::Event> wait_for{gate};
    queue.enqueueReadBuffer(from, CL_FALSE, 0, a.size() * sizeof(float), a.data(), &wait_for);
    const auto multiply = [&](cl_command_queue on) {
        EXPECT_EQ(clgemm_sgemm_host(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, size, size, size, 1, a.data(),
                                    size, b.data(), size, 0, c.data(), size, on),
                  CLGEMM_SUCCESS)
            << clgemm_last_error();
    };
    multiply(test_device().in_order()); // after which a call takes no time
    EXPECT_EQ(c, std::vector<float>(size * size, size));
    std::atomic<bool> has_returned = false;
    std::thread caller([&] {
        multiply(queue());
        has_returned = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_FALSE(has_returned);
    gate.setStatus(CL_COMPLETE);
    caller.join();
    EXPECT_EQ(c, std::vector<float>(size * size, 3 * size));
}

// A small product, a batch of which one block holds some and the last block less, one of products that are too large for
// that, one that only scales, and nothing at all.
TEST(SeparateMemory, AWarmUpKnowsWhatTravelsTogether)
{
    ASSERT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
    clgemm_call one = CLGEMM_CALL_INIT;
    one.layout = CLGEMM_COLUMN_MAJOR;
    one.m = one.k = one.lda = one.ldb = one.ldc = 90;
    one.n = 70;
    clgemm_call batch = one;
    batch.m = batch.ldc = batch.lda = 300;
    batch.n = 170;
    batch.k = batch.ldb = 35;
    batch.batch = 61;
    batch.distA = 300 * 35;
    batch.distB = 35 * 170;
    batch.distC = 300 * 170;
    clgemm_call scaling = one;
    scaling.k = 0;
    clgemm_call large = one;
    large.m = large.lda = large.ldc = 2'000'000;
    large.n = large.k = large.ldb = 1;
    large.batch = 2;
    large.distA = large.distC = large.m;
    large.distB = 1;
    clgemm_call nothing = one;
    nothing.n = 0;
    const clgemm_call calls[] = {one, batch, large, scaling, nothing};
    const int at_first = programs_made_by([&] {
        ASSERT_EQ(clgemm_warm_up(nullptr, nullptr, std::size(calls), calls, nullptr), CLGEMM_SUCCESS) << clgemm_last_error();
    });
    EXPECT_GT(at_first, 0);
    const int afterwards = programs_made_by([&] {
        for (const clgemm_call& call : calls) {
            const std::vector<float> a(call.lda * call.k * call.batch + 1, 1), b(call.ldb * call.n * call.batch, 2);
            std::vector<float> c(call.ldc * call.n * call.batch, 0.5f);
            ASSERT_EQ(clgemm_sgemm_host_strided_batched(call.layout, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, call.m, call.n,
                                                        call.k, 1, a.data(), call.lda, call.distA, b.data(), call.ldb,
                                                        call.distB, 0, c.data(), call.ldc, call.distC, call.batch, nullptr),
                      CLGEMM_SUCCESS)
                << clgemm_last_error();
            EXPECT_EQ(c, std::vector<float>(c.size(), 2 * static_cast<float>(call.k)));
        }
    });
    EXPECT_EQ(afterwards, 0);
}

// The host scales by itself what the device need not see.
TEST(SeparateMemory, ScalingMakesTheNanThatEveryDeviceMakes)
{
    const float nan = std::bit_cast<float>(0xffc12345U);
    const auto scaled = [&](clgemm_math math) {
        std::vector<float> c{nan, 3};
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.math = math;
        EXPECT_EQ(clgemm_sgemm_host_ex(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 2, 1, 0, 1, nullptr, 2,
                                       nullptr, 1, 2, c.data(), 2, nullptr, &options),
                  CLGEMM_SUCCESS)
            << clgemm_last_error();
        EXPECT_EQ(c[1], 6);
        return std::bit_cast<std::uint32_t>(c[0]);
    };
    EXPECT_EQ(scaled(CLGEMM_MATH_REPRODUCIBLE), 0x7fc00000U);
    EXPECT_EQ(scaled(CLGEMM_MATH_DEFAULT) & 0x7fc00000U, 0x7fc00000U);
}
