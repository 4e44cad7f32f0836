// What the library keeps for contexts is bounded and goes at teardown, and the caller's objects are never its own.
#include "support/case_on_device.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <list>
#include <thread>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

constexpr SgemmCase odd_sizes{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 67, 35, 29, 1, 0.5f, {1, 2, 3}, {}};

// How many of these contexts somebody else holds: the library, or for a moment more a thread of the driver's that has just
// finished a command, hence the patience until there are no more than `at_most`.
std::size_t held_by_library(const std::list<cl::Context>& contexts, std::size_t at_most)
{
    for (int tries = 0;; tries++) {
        const auto held = std::count_if(contexts.begin(), contexts.end(), [](const cl::Context& context) {
            return context.getInfo<CL_CONTEXT_REFERENCE_COUNT>() > 1;
        });
        if (static_cast<std::size_t>(held) <= at_most || tries == 1000)
            return static_cast<std::size_t>(held);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

// The library looks at the caller's queue and buffers without owning them, and must not release what it does not own, nor
// keep what it was only lent. (Threads of the driver's hold them for a moment more, hence the patience.)
TEST(References, OfTheCallersObjectsAreAsBeforeACallWhetherItSucceedsOrNot)
{
    const cl::CommandQueue queue(test_device().context, test_device().device);
    const CaseOnDevice on_device(odd_sizes);
    const auto counts = [&] {
        return std::array{queue.getInfo<CL_QUEUE_REFERENCE_COUNT>(), on_device.a.getInfo<CL_MEM_REFERENCE_COUNT>(),
                          on_device.b.getInfo<CL_MEM_REFERENCE_COUNT>(), on_device.c.getInfo<CL_MEM_REFERENCE_COUNT>()};
    };
    using Counts = std::array<cl_uint, 4>;
    // As soon as they are these, or as they are after so many milliseconds.
    const auto idle_counts = [&](const Counts& expected, int patience) {
        queue.finish();
        for (; patience > 0 && counts() != expected; patience--)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return counts();
    };
    ASSERT_EQ(on_device.call(queue, "1"), CLGEMM_SUCCESS) << clgemm_last_error();
    const Counts before = idle_counts({1, 1, 1, 1}, 1000); // drivers may hold the arguments of kernel objects
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(on_device.call(queue, "1"), CLGEMM_SUCCESS) << clgemm_last_error();
        EXPECT_EQ(idle_counts(before, 10000), before);
        EXPECT_EQ(on_device.call(queue, "no such kernel"), CLGEMM_UNKNOWN_KERNEL);
        EXPECT_EQ(idle_counts(before, 10000), before);
        EXPECT_EQ(clgemm_sgemm(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 5000, 5000, 5, 1, on_device.a(), 0,
                               5000, on_device.b(), 0, 5, 0, on_device.c(), 0, 5000, queue(), 0, nullptr, nullptr),
                  CLGEMM_A_TOO_SMALL);
        EXPECT_EQ(idle_counts(before, 10000), before);
    }
}

void call_in(const cl::Context& context)
{
    const cl::CommandQueue queue(context, test_device().device);
    const CaseOnDevice on_device(odd_sizes, context);
    ASSERT_EQ(on_device.call(queue, "10"), CLGEMM_SUCCESS) << clgemm_last_error();
    queue.finish();
    ASSERT_TRUE(on_device.is_right(queue));
}

TEST(Contexts, OfWhichManyComeAndGoAreKeptUpToSixteen)
{
    clgemm_teardown(nullptr);
    std::list<cl::Context> contexts;
    for (int i = 0; i < 40; i++) {
        call_in(contexts.emplace_back(test_device().device));
        EXPECT_LE(held_by_library(contexts, 16), 16u);
    }
    EXPECT_GT(held_by_library(contexts, 16), 0u); // so that the count means something
    EXPECT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
    EXPECT_EQ(held_by_library(contexts, 0), 0u);
}

TEST(Contexts, AreLetGoByTeardownAndCanBeUsedAgain)
{
    std::list<cl::Context> contexts;
    for (int i = 0; i < 20; i++) {
        const auto& context = contexts.emplace_back(test_device().device);
        call_in(context);
        EXPECT_EQ(held_by_library(contexts, 1), 1u);
        EXPECT_EQ(clgemm_teardown(context()), CLGEMM_SUCCESS);
        EXPECT_EQ(held_by_library(contexts, 0), 0u);
    }
    call_in(contexts.front());
    EXPECT_EQ(clgemm_teardown(contexts.back()()), CLGEMM_SUCCESS); // one that the library no longer knows
    EXPECT_EQ(held_by_library(contexts, 1), 1u);
    EXPECT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
    EXPECT_EQ(held_by_library(contexts, 0), 0u);
    call_in(contexts.front());
    EXPECT_TRUE(is_right(odd_sizes, by_api(nullptr)));
}

// The library's queue for host memory goes with the rest and comes again.
TEST(Contexts, OfHostCallsComeBackAfterTeardown)
{
    const float a = 2, b = 3;
    for (int i = 0; i < 3; i++) {
        float c = 1;
        ASSERT_EQ(clgemm_sgemm_host(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1, 1, &a, 1, &b, 1, 1, &c, 1,
                                    nullptr),
                  CLGEMM_SUCCESS)
            << clgemm_last_error();
        EXPECT_EQ(c, 7);
        EXPECT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
        EXPECT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
    }
}

// Calls under way when their context is torn down end as they would have.
TEST(Teardown, LeavesCallsUnderWayAlone)
{
    const auto& test = test_device();
    const cl::Context context(test.device);
    const cl::CommandQueue queue(context, test.device);
    const CaseOnDevice on_device(odd_sizes, context);
    for (const char* const kernel : kernels_here()) {
        queue.enqueueWriteBuffer(on_device.c, CL_TRUE, 0, on_device.before.c.bytes(), on_device.before.c.elements.data());
        ASSERT_EQ(on_device.call(queue, kernel), CLGEMM_SUCCESS) << clgemm_last_error();
        EXPECT_EQ(clgemm_teardown(context()), CLGEMM_SUCCESS);
        ASSERT_TRUE(on_device.is_right(queue)) << kernel;
    }
}

} // namespace
