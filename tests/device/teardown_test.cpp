// After clgemm_teardown(nullptr) nothing is left of the contexts that were used: no OpenCL object, and no memory.
#include "engine/known_buffers.hpp"
#include "support/case_on_device.hpp"
#include "support/failing_allocation.hpp"
#include "support/failing_opencl.hpp"

#include <chrono>
#include <thread>

using namespace clgemm::test;

// LeakSanitizer's: whether there is memory that nobody points to. Null in a program without it.
extern "C" int __lsan_do_recoverable_leak_check() __attribute__((weak));

namespace {

constexpr SgemmCase odd_sizes{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 67, 35, 29, 1, 0.5f, {1, 2, 3}, {}};

// On buffers, in host memory on the caller's queue and on none, and in a call that fails.
void use_contexts(std::size_t count)
{
    for (std::size_t i = 0; i < count; i++) {
        const cl::Context context(test_device().device);
        const cl::CommandQueue queue(context, test_device().device);
        const CaseOnDevice on_device(odd_sizes, context);
        ASSERT_EQ(on_device.call(queue), CLGEMM_SUCCESS) << clgemm_last_error();
        EXPECT_EQ(on_device.call(queue, "no such kernel"), CLGEMM_UNKNOWN_KERNEL);
        queue.finish();
        const std::vector<float> a(300 * 300, 1.0f), b = a;
        std::vector<float> c(300 * 300);
        for (const cl_command_queue its : {queue(), cl_command_queue{}})
            ASSERT_EQ(clgemm_sgemm_host(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 300, 300, 300, 1, a.data(), 300,
                                        b.data(), 300, 0, c.data(), 300, its),
                      CLGEMM_SUCCESS)
                << clgemm_last_error();
        ASSERT_EQ(c.back(), 300);
    }
    ASSERT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
}

// How many blocks are left after a while, or as soon as there are no more than these. (PoCL 7.1 may tell a little later that
// a buffer is gone. Then the library frees what it knew of that buffer.)
std::size_t allocations_left(std::size_t expected)
{
    for (int tries = 0; tries < 1000 && living_allocations() > expected; tries++)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return living_allocations();
}

TEST(Teardown, LeavesNeitherMemoryNorObjectsOfContexts)
{
    test_device();
    living_allocations();
    // What is made once in a process. (Where a context's driver tells too late that buffers go, nothing is remembered of
    // them. PoCL 7.1 does that in some contexts and not in others.)
    use_contexts(1);
    clgemm::core::facts_of(cl::Buffer(test_device().context, CL_MEM_READ_WRITE, 256)(), true);
    const auto objects = living_opencl_objects();
    const std::size_t blocks = allocations_left(0);
    for (const std::size_t contexts : {1U, 17U}) { // more than are kept
        use_contexts(contexts);
        EXPECT_EQ(allocations_left(blocks), blocks) << contexts << " contexts";
        EXPECT_EQ(living_opencl_objects(), objects) << contexts << " contexts";
    }
    EXPECT_TRUE(!__lsan_do_recoverable_leak_check || __lsan_do_recoverable_leak_check() == 0);
}

} // namespace
