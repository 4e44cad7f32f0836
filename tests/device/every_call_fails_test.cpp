// Every OpenCL call of a clgemm call fails once, with every code that is likely: the clgemm call tells so or goes another
// way, C is right or as it was, nothing is leaked, and the next call is right.
#include "support/case_on_device.hpp"
#include "support/failing_opencl.hpp"

#include <functional>
#include <memory>

using namespace clgemm::test;

namespace {

// Ragged, transposed and with gaps, so that kernels need helper steps and temporaries.
const SgemmCase ragged{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 70, 50, 90, 2, 0.5f, {1, 2, 3}, {0, 0, 0}};

// A form of the call, with operands that can be made anew.
class Caller {
public:
    virtual ~Caller() = default;
    virtual void restore() = 0; // C, as it was
    virtual clgemm_status call() = 0;
    virtual Operands now() = 0; // blocks until all is done
    Operands before{ragged};
};

class OnBuffers : public Caller {
public:
    OnBuffers(cl::CommandQueue queue, const char* kernel, bool with_event)
        : queue_(std::move(queue)), kernel_(kernel), with_event_(with_event)
    {
    }
    void restore() override
    {
        queue_.finish();
        queue_.enqueueWriteBuffer(operands_.c, CL_TRUE, 0, before.c.bytes(), before.c.elements.data());
    }
    clgemm_status call() override
    {
        cl::Event event;
        const clgemm_status status = operands_.call(queue_, kernel_, {}, with_event_ ? &event : nullptr);
        EXPECT_EQ(event() != nullptr, with_event_ && status == CLGEMM_SUCCESS) << "a failed call gives no event";
        return status;
    }
    Operands now() override
    {
        queue_.finish();
        return operands_.read(queue_);
    }

private:
    cl::CommandQueue queue_;
    const char* kernel_;
    bool with_event_;
    CaseOnDevice operands_{ragged, before};
};

class OnHost : public Caller {
public:
    OnHost(cl_command_queue queue, const char* kernel) : queue_(queue) { options_.kernel = kernel; }
    void restore() override { operands_ = before; }
    clgemm_status call() override
    {
        const SgemmCase& x = ragged;
        return clgemm_sgemm_host_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, operands_.a.data(),
                                    operands_.a.ld, operands_.b.data(), operands_.b.ld, x.beta,
                                    operands_.c.elements.data() + operands_.c.offset, operands_.c.ld, queue_, &options_);
    }
    Operands now() override { return operands_; }

private:
    cl_command_queue queue_;
    clgemm_options options_ = CLGEMM_OPTIONS_INIT;
    Operands operands_ = before;
};

struct Scenario {
    std::string name;
    std::function<std::unique_ptr<Caller>()> caller;
};

std::vector<Scenario> all_scenarios()
{
    std::vector<Scenario> all;
    for (const char* kernel : {"automatic", "1", "10", "16", "17", "18"}) {
        const char* const asked = kernel == std::string("automatic") ? nullptr : kernel;
        all.push_back({std::string("in_order_") + kernel,
                       [=] { return std::make_unique<OnBuffers>(test_device().in_order, asked, false); }});
        all.push_back({std::string("out_of_order_with_event_") + kernel,
                       [=] { return std::make_unique<OnBuffers>(test_device().out_of_order, asked, true); }});
        all.push_back({std::string("host_") + kernel, [=] { return std::make_unique<OnHost>(nullptr, asked); }});
        all.push_back({std::string("host_own_queue_") + kernel,
                       [=] { return std::make_unique<OnHost>(test_device().in_order(), asked); }});
    }
    return all;
}

class EveryCallFails : public testing::TestWithParam<Scenario> {
protected:
    EveryCallFails() : caller(GetParam().caller()) {}

    void SetUp() override
    {
        caller->restore();
        if (caller->call() == CLGEMM_KERNEL_NOT_SUPPORTED)
            GTEST_SKIP() << clgemm_last_error();
        ASSERT_FALSE(living_opencl_objects().empty()) << "nothing is counted";
        caller->now();
    }

    // How many OpenCL calls there are that can fail.
    long number_of_calls(const std::string& function) const
    {
        caller->restore();
        fail_opencl({function, Failure::never, Failure::never});
        EXPECT_EQ(caller->call(), CLGEMM_SUCCESS) << clgemm_last_error();
        const long calls = stop_failing_opencl().calls;
        caller->now();
        return calls;
    }

    void fail_once(const std::string& function, long nth, cl_int code) const
    {
        caller->restore();
        fail_opencl({function, nth, nth, code});
        const clgemm_status status = caller->call();
        const std::string failed = stop_failing_opencl().caught;
        SCOPED_TRACE("OpenCL call " + std::to_string(nth) + ", " + failed + ", failed with " + clgemm_status_string(code) +
                     "; clgemm's with " + clgemm_status_string(status));
        const Operands after = caller->now();
        const auto right = is_right(ragged, caller->before, after);
        if (status == CLGEMM_SUCCESS) {
            EXPECT_TRUE(right);
        } else {
            EXPECT_TRUE(caller->before.c.same_bits(after.c)) << "C was written";
            EXPECT_STRNE(clgemm_last_error(), "");
            EXPECT_NE(status, CLGEMM_INTERNAL_ERROR) << clgemm_last_error();
        }
        caller->restore();
        EXPECT_EQ(caller->call(), CLGEMM_SUCCESS) << "the next call: " << clgemm_last_error();
        EXPECT_TRUE(is_right(ragged, caller->before, caller->now())) << "the next call";
    }

    const std::unique_ptr<Caller> caller;
};

TEST_P(EveryCallFails, WithNothingInTheCaches)
{
    const std::pair<const char*, cl_int> failures[] = {{"", CL_OUT_OF_HOST_MEMORY},
                                                       {"clBuildProgram", CL_BUILD_PROGRAM_FAILURE}};
    for (const auto& [function, code] : failures) {
        clgemm_teardown(nullptr);
        const auto living = living_opencl_objects();
        const long calls = number_of_calls(function);
        for (long nth = 1; nth <= calls; nth++) {
            clgemm_teardown(nullptr);
            fail_once(function, nth, code);
            clgemm_teardown(nullptr);
            EXPECT_EQ(living_opencl_objects(), living) << "leaked where OpenCL call " << nth << " failed";
        }
    }
}

TEST_P(EveryCallFails, WithEverythingInTheCaches)
{
    clgemm_teardown(nullptr);
    const auto living = living_opencl_objects();
    ASSERT_EQ(caller->call(), CLGEMM_SUCCESS) << clgemm_last_error();
    caller->now();
    for (const cl_int code :
         {CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_DEVICE_NOT_AVAILABLE}) {
        const long calls = number_of_calls("");
        for (long nth = 1; nth <= calls; nth++)
            fail_once("", nth, code);
    }
    clgemm_teardown(nullptr);
    EXPECT_EQ(living_opencl_objects(), living);
}

INSTANTIATE_TEST_SUITE_P(Of, EveryCallFails, testing::ValuesIn(all_scenarios()),
                         [](const auto& scenario) { return scenario.param.name; });

} // namespace
