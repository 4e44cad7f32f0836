// Eight threads at once: on one context with queues of their own or one for all, at the library's first sight of a context,
// and while somebody tears it down. And the same call gives the same bits, whoever makes it.
#include "engine/device_state.hpp"
#include "support/case_on_device.hpp"
#include "support/one_pocl_worker.hpp"
#include "support/threads.hpp"

#include <atomic>

using namespace clgemm::test;

namespace {

constexpr std::size_t thread_count = 8;

// Mixed sizes, layouts and transposes, another for each i.
SgemmCase mixed(std::size_t i)
{
    constexpr std::size_t sizes[] = {33, 64, 130, 7, 100, 1};
    constexpr clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS};
    return {i % 2 ? CLGEMM_ROW_MAJOR : CLGEMM_COLUMN_MAJOR,
            transposes[i / 2 % 2],
            transposes[i / 4 % 2],
            sizes[i % 6],
            sizes[(i + 2) % 6],
            sizes[(i / 6 + 1) % 6],
            0.5f,
            i % 3 ? 0.0f : -0.7f,
            {i % 3, i % 2, i % 4},
            {i % 5, 0, i % 2}};
}

const char* kernel(std::size_t i)
{
    static const auto names = kernels_here();
    return i % (names.size() + 1) == names.size() ? nullptr : names[i % (names.size() + 1)];
}

cl::CommandQueue new_queue(const cl::Context& context = test_device().context)
{
    return {context, test_device().device};
}

// One call, with its event waited for, checked.
testing::AssertionResult works(const SgemmCase& x, const char* kernel, const cl::CommandQueue& queue,
                               const cl::Context& context)
{
    const CaseOnDevice on_device(x, context);
    cl::Event done;
    if (on_device.call(queue, kernel, {}, &done) != CLGEMM_SUCCESS)
        return testing::AssertionFailure() << x << ": " << clgemm_last_error();
    queue.flush();
    done.wait();
    return on_device.is_right(queue) << " with kernel " << (kernel ? kernel : "of the library's choice");
}

TEST(Threads, OfOneContextWithAQueueEachGetTheirResults)
{
    at_once(thread_count, [](std::size_t thread) {
        const auto queue = new_queue();
        for (std::size_t i = 0; i < 15; i++)
            EXPECT_TRUE(works(mixed(thread + 3 * i), kernel(5 * thread + i), queue, test_device().context));
    });
}

TEST(Threads, OfOneSharedQueueGetTheirResults)
{
    for (const auto& queue : {test_device().in_order, test_device().out_of_order})
        at_once(thread_count, [&](std::size_t thread) {
            for (std::size_t i = 0; i < 8; i++)
                EXPECT_TRUE(works(mixed(thread + 3 * i), kernel(5 * thread + i), queue, test_device().context));
        });
}

// All compile, or load from the disk, the same programs at the same time.
TEST(Threads, MayAllMakeTheFirstCallOfAContext)
{
    for (const char* const kernel : {"01_naive", "10_incomplete_tiles"}) {
        const cl::Context context(test_device().device);
        at_once(thread_count, [&](std::size_t) {
            const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 65, 33, 17, 1, 0.5f, {}, {}};
            EXPECT_TRUE(works(x, kernel, new_queue(context), context));
        });
        EXPECT_EQ(clgemm_teardown(context()), CLGEMM_SUCCESS);
    }
}

// More contexts than the library keeps, so that it also lets go of some at the same time.
TEST(Threads, MayEachMakeTheFirstCallsOfTheirOwnContexts)
{
    at_once(thread_count, [](std::size_t thread) {
        for (std::size_t i = 0; i < 8; i++) {
            const cl::Context context(test_device().device);
            EXPECT_TRUE(works(mixed(thread), i % 4 ? "01_naive" : "10_incomplete_tiles", new_queue(context), context));
            if (i % 2) {
                EXPECT_EQ(clgemm_teardown(context()), CLGEMM_SUCCESS);
            }
        }
    });
}

TEST(Threads, FindTheStatesOfManyContextsAtOnce)
{
    std::vector<cl::Context> contexts;
    for (int i = 0; i < 20; i++)
        contexts.emplace_back(test_device().device);
    at_once(thread_count, [&](std::size_t thread) {
        for (std::size_t i = 0; i < 20'000; i++) {
            const auto& context = contexts[(thread + i) % 5 + (i % 1000 == 0 ? i / 1000 % 15 : 0)]; // mostly five of them
            ASSERT_EQ(clgemm::core::device_state(context(), test_device().device())->context(), context());
        }
    });
    for (const auto& context : contexts)
        clgemm_teardown(context());
}

TEST(Threads, GoOnUndisturbedWhileTheContextIsTornDown)
{
    const cl::Context context(test_device().device);
    std::atomic<std::size_t> running = thread_count;
    at_once(thread_count + 1, [&](std::size_t thread) {
        if (thread == thread_count) {
            for (std::size_t i = 0; running > 0; i++) {
                EXPECT_EQ(clgemm_teardown(i % 2 ? context() : nullptr), CLGEMM_SUCCESS);
                std::this_thread::sleep_for(std::chrono::milliseconds(5)); // let some programs be found in the cache
            }
            return;
        }
        const auto queue = new_queue(context);
        for (std::size_t i = 0; i < 10; i++)
            EXPECT_TRUE(works(mixed(thread + i), kernel(thread + 4 * i), queue, context));
        running--;
    });
}

class Repeatable : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        if (!runs_here(GetParam()))
            GTEST_SKIP() << "the device cannot run this kernel";
    }
};

TEST_P(Repeatable, IsTheResultToTheBitAlsoThroughThreads)
{
    const SgemmCase x{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 133, 71, 301, 0.7f, -0.3f, {1, 0, 2}, {}};
    const Operands operands(x);
    const auto result = [&](const cl::CommandQueue& queue) {
        const CaseOnDevice on_device(x, operands);
        EXPECT_EQ(on_device.call(queue, GetParam()), CLGEMM_SUCCESS) << clgemm_last_error();
        queue.finish();
        return on_device.read(queue).c;
    };
    const GuardedMatrix first = result(test_device().in_order);
    for (int i = 0; i < 20; i++)
        ASSERT_TRUE(result(test_device().in_order).same_bits(first)) << "call " << i;
    at_once(thread_count, [&](std::size_t) { EXPECT_TRUE(result(new_queue()).same_bits(first)); });
}

INSTANTIATE_TEST_SUITE_P(Of, Repeatable, testing::ValuesIn(every_kernel()), name_of_kernel);

} // namespace
