// A call that comes again: what it costs on the host besides the driver's own work. Memory is not allocated for it, and
// OpenCL is hardly asked anything.
#include "engine/device_state.hpp"
#include "support/case_on_device.hpp"
#include "support/failing_allocation.hpp"
#include "support/failing_opencl.hpp"

#include <array>
#include <functional>

using namespace clgemm::test;

namespace {

constexpr SgemmCase small{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 64, 64, 64, 1, 0, {}, {}};

long calls_of(const char* function, const std::function<void()>& work)
{
    fail_opencl({function, Failure::never, Failure::never});
    work();
    return stop_failing_opencl().calls;
}

long questions(const std::function<void()>& work)
{
    long result = 0;
    for (const char* const function :
         {"clGetCommandQueueInfo", "clGetMemObjectInfo", "clGetEventInfo", "clGetContextInfo", "clGetDeviceInfo",
          "clGetKernelInfo", "clGetKernelWorkGroupInfo", "clGetProgramInfo", "clGetProgramBuildInfo", "clGetPlatformInfo"})
        result += calls_of(function, work);
    return result;
}

long allocations(const std::function<void()>& work)
{
    fail_allocations(0, 0);
    work();
    return stop_failing_allocations();
}

class WarmCall : public testing::Test {
protected:
    WarmCall() : before(small), on_device(small, before)
    {
        for (int i = 0; i < 3; i++)
            multiply();
        test_device().in_order.finish();
    }
    ~WarmCall() override { test_device().in_order.finish(); }

    clgemm_status multiply(const std::vector<cl_event>& waits = {}, cl_event* event = nullptr)
    {
        return clgemm_sgemm_ex(small.layout, small.trans_a, small.trans_b, small.m, small.n, small.k, small.alpha,
                               on_device.a(), before.a.offset, before.a.ld, on_device.b(), before.b.offset, before.b.ld,
                               small.beta, on_device.c(), before.c.offset, before.c.ld, test_device().in_order(),
                               static_cast<cl_uint>(waits.size()), waits.empty() ? nullptr : waits.data(), event, &options);
    }

    // NVIDIA's driver tells later that a buffer is gone, so that nothing can be remembered there.
    static long about_buffers()
    {
        const auto state = clgemm::core::device_state(test_device().context(), test_device().device());
        return state->tells_when_buffers_go ? 0 : 3 * 4;
    }

    const Operands before;
    const CaseOnDevice on_device;
    // Without temporaries, which not every device's choice takes, and which the pool keeps account of.
    const clgemm_options options{sizeof(clgemm_options), nullptr, CLGEMM_MATH_DEFAULT, nullptr, 1, 0, 0.0};
};

} // namespace

TEST_F(WarmCall, AllocatesNothing)
{
    EXPECT_EQ(allocations([&] { EXPECT_EQ(multiply(), CLGEMM_SUCCESS); }), 0);
}

TEST_F(WarmCall, AsksAboutTheQueueAndWhatCannotBeRememberedAlone)
{
    const auto call = [&] { EXPECT_EQ(multiply(), CLGEMM_SUCCESS); };
    EXPECT_EQ(calls_of("clGetCommandQueueInfo", call), 3);
    EXPECT_EQ(questions(call), 3 + about_buffers());
}

TEST_F(WarmCall, RetainsNoEventThatItWaitsFor)
{
    cl::UserEvent one(test_device().context), other(test_device().context);
    const std::vector<cl_event> waits{one(), other()};
    cl_event done = nullptr;
    const auto call = [&] {
        EXPECT_EQ(multiply(waits, &done), CLGEMM_SUCCESS);
        clReleaseEvent(done);
    };
    EXPECT_EQ(calls_of("clRetainEvent", call), 0);
    EXPECT_EQ(calls_of("clReleaseEvent", call), 1) << "the caller's own";
    EXPECT_EQ(questions(call), 3 + 2 + about_buffers()) << "and of which context each event is";
    EXPECT_EQ(allocations(call), 0);
    one.setStatus(CL_COMPLETE);
    other.setStatus(CL_COMPLETE);
}

// A buffer's handle may be another buffer's after its end: what is remembered of the one must not be believed of the other.
TEST_F(WarmCall, WhatIsRememberedOfABufferEndsWithIt)
{
    std::size_t reused = 0;
    for (int round = 0; round < 50; round++) {
        cl_mem former = nullptr;
        {
            const cl::Buffer large(test_device().context, CL_MEM_READ_WRITE, 64 * 64 * sizeof(float));
            former = large();
            EXPECT_EQ(clgemm_sgemm(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 64, 64, 64, 1, on_device.a(), 0,
                                   64, on_device.b(), 0, 64, 0, large(), 0, 64, test_device().in_order(), 0, nullptr,
                                   nullptr),
                      CLGEMM_SUCCESS);
            test_device().in_order.finish();
        }
        const cl::Buffer little(test_device().context, CL_MEM_READ_WRITE, 1024);
        reused += little() == former ? 1 : 0;
        EXPECT_EQ(clgemm_sgemm(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 64, 64, 64, 1, on_device.a(), 0, 64,
                               on_device.b(), 0, 64, 0, little(), 0, 64, test_device().in_order(), 0, nullptr, nullptr),
                  CLGEMM_C_TOO_SMALL);
    }
    RecordProperty("handles_used_again", std::to_string(reused));
}

// The query looks at each alignment that some kernel can tell apart, and remembers what it found.
TEST_F(WarmCall, AQueryOfTheWorkspaceThatComesAgainAsksNothing)
{
    std::size_t bytes = 0;
    const auto query = [&] {
        EXPECT_EQ(clgemm_sgemm_workspace_size(small.layout, small.trans_a, small.trans_b, small.m, small.n, small.k, 1, 0,
                                              64, 0, 64, 0, 0, 64, test_device().device(), nullptr, &bytes),
                  CLGEMM_SUCCESS);
    };
    query();
    EXPECT_EQ(questions(query), 0);
}
