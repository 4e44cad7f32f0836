// After clgemm_teardown(nullptr) nothing is left of the contexts that were used: no OpenCL object, and no memory.
#include "support/case_on_device.hpp"
#include "support/failing_allocation.hpp"
#include "support/failing_opencl.hpp"

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

TEST(Teardown, LeavesNeitherMemoryNorObjectsOfContexts)
{
    test_device();
    living_allocations();
    use_contexts(1); // what is made once in a process
    const auto objects = living_opencl_objects();
    const std::size_t blocks = living_allocations();
    for (const std::size_t contexts : {1U, 17U}) { // more than are kept
        use_contexts(contexts);
        EXPECT_EQ(living_allocations(), blocks) << contexts << " contexts";
        EXPECT_EQ(living_opencl_objects(), objects) << contexts << " contexts";
    }
    EXPECT_TRUE(!__lsan_do_recoverable_leak_check || __lsan_do_recoverable_leak_check() == 0);
}

} // namespace
