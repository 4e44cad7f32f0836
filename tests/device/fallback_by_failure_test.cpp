// A launch that the driver refuses for want of memory, or of registers for so many work-items: as long as no step that
// writes C has been launched, the call is made in another way and succeeds; later, C may be half done and the call fails.
#include "engine/device_state.hpp"
#include "support/case_on_device.hpp"
#include "support/error.hpp"
#include "support/failing_opencl.hpp"
#include "support/one_pocl_worker.hpp"
#include "support/with_selection.hpp"

#include <chrono>
#include <future>
#include <utility>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// Deep and small, so that K is divided, where the device's kernels can do that: then the last step alone writes C.
constexpr SgemmCase in_parts{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 64, 64, 20000, 1, 0.5f, {1, 2, 3}, {}};

void restore(const CaseOnDevice& on_device)
{
    test_device().in_order.enqueueWriteBuffer(on_device.c, CL_TRUE, 0, on_device.before.c.bytes(),
                                              on_device.before.c.elements.data());
}

} // namespace

TEST(FallbackByFailure, ALaunchThatIsRefusedBeforeCIsWrittenIsMadeGood)
{
    const auto& test = test_device();
    const CaseOnDevice on_device(in_parts);
    const auto state = device_state(test.context(), test.device());
    const Plan plan = state->planner->plan(problem_of(in_parts, on_device.before), {}).plan;
    ASSERT_EQ(on_device.call(test.in_order, nullptr), CLGEMM_SUCCESS) << clgemm_last_error(); // all is compiled
    long launches = 0;
    for (const Step& step : plan.steps) {
        launches++;
        for (const cl_int code : {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_WORK_GROUP_SIZE}) {
            restore(on_device);
            fail_opencl({"clEnqueueNDRangeKernel", launches, launches, code});
            const clgemm_status status = on_device.call(test.in_order, nullptr);
            const Failed failed = stop_failing_opencl();
            ASSERT_FALSE(failed.caught.empty()) << "launch " << launches << " did not happen";
            EXPECT_EQ(status, CLGEMM_SUCCESS) << step.purpose << ": " << clgemm_last_error();
            EXPECT_TRUE(on_device.is_right(test.in_order)) << step.purpose;
        }
        if (step.writes_c())
            break;
    }
    EXPECT_GT(launches, 0);
}

// Whether temporaries of another queue's call are free again is asked of that queue, which may be lost.
TEST(FallbackByFailure, AnotherQueuesFailureIsNotThisCalls)
{
    const auto& test = test_device();
    const cl::Context context(test.device);
    const cl::CommandQueue lost(context, test.device), queue(context, test.device);
    const CaseOnDevice on_device(in_parts, context);
    ASSERT_EQ(on_device.call(lost, "10"), CLGEMM_SUCCESS) << clgemm_last_error();
    lost.finish();
    for (int i = 0; i < 3; i++) {
        queue.enqueueWriteBuffer(on_device.c, CL_TRUE, 0, on_device.before.c.bytes(), on_device.before.c.elements.data());
        fail_opencl({"clEnqueueMarkerWithWaitList", 1, Failure::for_ever, CL_OUT_OF_RESOURCES});
        const clgemm_status status = on_device.call(queue, "10");
        const Failed failed = stop_failing_opencl();
        EXPECT_EQ(status, CLGEMM_SUCCESS) << clgemm_last_error();
        EXPECT_TRUE(on_device.is_right(queue));
        EXPECT_TRUE(i > 0 || !failed.caught.empty()) << "the queue was not asked";
    }
    clgemm_teardown(context());
}

// The steps before the one that failed wait for an event that the caller sets after the call, in the same thread.
TEST(FallbackByFailure, ACallThatFailsInAWorkspaceOfTheCallersReturnsBeforeItsEventsAreSet)
{
    const auto& test = test_device();
    const CaseOnDevice on_device(in_parts);
    const cl::Buffer own(test.context, CL_MEM_READ_WRITE, std::size_t{16} << 20);
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = "10";
    options.workspace = own();
    ASSERT_EQ(on_device.call(test.out_of_order, options), CLGEMM_SUCCESS) << clgemm_last_error();
    test.out_of_order.finish();
    restore(on_device);
    cl::UserEvent later(test.context);
    auto call = std::async(std::launch::async, [&] {
        fail_opencl({"clEnqueueNDRangeKernel", 2, 2, CL_OUT_OF_RESOURCES});
        const clgemm_status status = on_device.call(test.out_of_order, options, {later});
        return std::pair(status, stop_failing_opencl().caught);
    });
    EXPECT_EQ(call.wait_for(std::chrono::seconds(10)), std::future_status::ready) << "it waits for the caller";
    later.setStatus(CL_COMPLETE);
    const auto [status, caught] = call.get();
    EXPECT_EQ(caught, "clEnqueueNDRangeKernel") << "there is no second step";
    EXPECT_EQ(status, CL_OUT_OF_RESOURCES);
    test.out_of_order.finish();
    EXPECT_TRUE(on_device.read(test.in_order).c.same_bits(on_device.before.c));
}

// A kernel that the caller asked for is not exchanged for another one.
TEST(FallbackByFailure, AKernelThatWasAskedForFails)
{
    const auto& test = test_device();
    const CaseOnDevice on_device(in_parts);
    ASSERT_EQ(on_device.call(test.in_order, "1"), CLGEMM_SUCCESS) << clgemm_last_error();
    restore(on_device);
    fail_opencl({"clEnqueueNDRangeKernel", 1, 1, CL_MEM_OBJECT_ALLOCATION_FAILURE});
    EXPECT_EQ(on_device.call(test.in_order, "1"), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    stop_failing_opencl();
    EXPECT_TRUE(on_device.read(test.in_order).c.same_bits(on_device.before.c));
}

// Nothing is known then, so the next call checks again. (It is kept nowhere what is known: another process may have.)
TEST(FallbackByFailure, AFirstUseThatCannotBeCheckedIsCheckedByTheNextCall)
{
    if (!test_profile().has_ieee_floats)
        GTEST_SKIP() << "the device computes nothing reproducibly";
    const auto& test = test_device();
    const DiskCache nowhere(std::nullopt);
    DeviceState state(test.context, test.device, nowhere);
    Problem problem = problem_of(in_parts, Operands(in_parts));
    problem.arithmetic.accuracy = CLGEMM_MATH_REPRODUCIBLE; // which is checked on every device that computes so
    const PlannedCall call = state.planner->plan(problem, {});
    ASSERT_TRUE(call.selection->is_unproven);
    for (const char* const function : {"clCreateBuffer", "clCreateCommandQueue", "clEnqueueReadBuffer"}) {
        fail_opencl({function, 1, 1, CL_OUT_OF_RESOURCES});
        try {
            state.first_use.check(state, problem, call);
            ADD_FAILURE() << function;
        } catch (const Unavailable& reason) {
            EXPECT_EQ(reason.status(), CL_OUT_OF_RESOURCES);
            const std::string said = reason.what();
            EXPECT_EQ(said.find("the first use of kernel "), 0u) << said;
            EXPECT_NE(said.find(std::string("could not be checked: ") + function + " returned CL_OUT_OF_RESOURCES"),
                      std::string::npos)
                << said;
        }
        stop_failing_opencl();
        EXPECT_FALSE(state.first_use.has_found_wrong(state, problem, call));
    }
    EXPECT_NO_THROW(state.first_use.check(state, problem, call));
}
