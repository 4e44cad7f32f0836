// Every OpenCL call and every allocation of a product by copies fails once: the product is right all the same, or fails and
// says how C is. And what others do on the caller's queue is not waited for.
#include "support/one_pocl_worker.hpp" // the first: PoCL reads its variables when it is loaded

#include "device/default_device.hpp"
#include "host/by_copies.hpp"
#include "support/device.hpp"
#include "support/error.hpp"
#include "support/failing_allocation.hpp"
#include "support/failing_opencl.hpp"
#include "support/sgemm_case.hpp"

#include <new>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

const SgemmCase ragged{CLGEMM_ROW_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 70, 50, 90, 2, 0.5f, {1, 2, 3}, {0, 0, 0}};

// What C is after a call.
enum class Outcome { right, as_it_was, in_part };

class Products {
public:
    explicit Products(bool small, std::size_t room = std::size_t{32} << 10) : limits_{{room, room}, 3, small} {}
    ~Products() { drop_device_states(test_device().context()); }

    Outcome multiply()
    {
        after_ = before_;
        const Problem problem = make_problem({ragged.layout, ragged.trans_a, ragged.trans_b, ragged.m, ragged.n, ragged.k,
                                              ragged.alpha, 0, after_.a.ld, 0, after_.b.ld, ragged.beta, 0, after_.c.ld});
        try {
            const Devices devices{device_state(test_device().context(), test_device().device())};
            multiply_by_copies(problem, {after_.a.data(), after_.b.data(), after_.c.elements.data() + after_.c.offset},
                               devices, {}, limits_);
        } catch (const Error& error) {
            return error.status() == CLGEMM_INCOMPLETE ? Outcome::in_part : Outcome::as_it_was;
        } catch (const cl::Error&) {
            return Outcome::as_it_was;
        } catch (const std::bad_alloc&) {
            return Outcome::as_it_was;
        }
        return Outcome::right;
    }

    void check(Outcome outcome) const
    {
        if (outcome == Outcome::right) {
            EXPECT_TRUE(is_right(ragged, before_, after_));
        } else if (outcome == Outcome::as_it_was) {
            EXPECT_TRUE(before_.c.same_bits(after_.c)) << "C was written";
        }
        EXPECT_TRUE(after_.c.canaries_are_alive());
    }

private:
    const HostLimits limits_;
    const Operands before_{ragged};
    Operands after_ = before_;
};

class ByCopiesFails : public testing::TestWithParam<bool> {};

} // namespace

// As long as nothing of C was received, and there is room enough to try with less.
TEST(ByCopiesWithLittleMemory, TriesAgainWithLessRoom)
{
    Products products(false, std::size_t{64} << 20);
    long buffers = 0;
    for (long nth = 1;; nth++) {
        drop_device_states(test_device().context()); // and what is kept for the next product
        fail_opencl({"clCreateBuffer", nth, nth, CL_MEM_OBJECT_ALLOCATION_FAILURE});
        const Outcome outcome = products.multiply();
        if (stop_failing_opencl().caught.empty())
            break;
        buffers++;
        EXPECT_EQ(outcome, Outcome::right) << "buffer " << nth;
        products.check(outcome);
    }
    EXPECT_GT(buffers, 3) << "A, B and C";
    drop_device_states(test_device().context());
    fail_opencl({"clCreateBuffer", 1, Failure::for_ever, CL_MEM_OBJECT_ALLOCATION_FAILURE});
    const Outcome outcome = products.multiply();
    stop_failing_opencl();
    EXPECT_EQ(outcome, Outcome::as_it_was);
    products.check(outcome);
}

TEST_P(ByCopiesFails, OnceInEveryCall)
{
    drop_device_states(test_device().context()); // what tests before this one left
    const auto at_first = living_opencl_objects();
    std::size_t failed = 0, in_part = 0;
    {
        Products products(GetParam());
        ASSERT_EQ(products.multiply(), Outcome::right);
        for (const cl_int code : {CL_OUT_OF_RESOURCES, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_OPERATION})
            for (long nth = 1;; nth++) {
                fail_opencl({"", nth, nth, code});
                const Outcome outcome = products.multiply();
                const std::string caught = stop_failing_opencl().caught;
                if (caught.empty())
                    break;
                SCOPED_TRACE("call " + std::to_string(nth) + ", " + caught + ", failed with " + std::to_string(code));
                products.check(outcome);
                failed++;
                in_part += outcome == Outcome::in_part;
                const Outcome next = products.multiply();
                ASSERT_EQ(next, Outcome::right);
                products.check(next);
            }
    }
    EXPECT_GT(failed, 15u);
    EXPECT_EQ(living_opencl_objects(), at_first) << "something was leaked";
    RecordProperty("calls_failed", static_cast<int>(failed));
    RecordProperty("left_c_in_part", static_cast<int>(in_part));
    if (GetParam()) {
        EXPECT_EQ(in_part, 0u) << "a small product is received in one piece";
    }
}

TEST_P(ByCopiesFails, OnceInEveryAllocation)
{
    constexpr long for_ever = std::numeric_limits<long>::max();
    Products products(GetParam());
    ASSERT_EQ(products.multiply(), Outcome::right);
    bool is_over = false;
    for (long first = 1; !is_over; first++)
        for (const long last : {first, for_ever}) {
            fail_allocations(first, last);
            const Outcome outcome = products.multiply();
            is_over = stop_failing_allocations() < first;
            SCOPED_TRACE("allocation " + std::to_string(first) + (last == first ? "" : " and all after it") + " failed");
            if (is_over) {
                EXPECT_EQ(outcome, Outcome::right) << "nothing failed";
            }
            products.check(outcome);
            const Outcome next = products.multiply();
            EXPECT_EQ(next, Outcome::right);
            products.check(next);
            if (HasFailure())
                return;
        }
}

INSTANTIATE_TEST_SUITE_P(InOneBlockAndInTiles, ByCopiesFails, testing::Bool(),
                         [](const auto& test) { return test.param ? "small" : "tiles"; });

// A command of the caller's that waits for what comes after the call: an out-of-order queue lets it wait.
TEST(HostCall, DoesNotWaitForOthersOnAnOutOfOrderQueue)
{
    const auto& test = test_device();
    if ((test.out_of_order.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0)
        GTEST_SKIP() << "the device has no such queue";
    cl::UserEvent later(test.context);
    cl::Buffer buffer(test.context, CL_MEM_READ_WRITE, sizeof(float));
    const std::vector<cl::Event> first{later};
    const float one = 1;
    cl::Event written;
    test.out_of_order.enqueueWriteBuffer(buffer, CL_FALSE, 0, sizeof one, &one, &first, &written);
    Operands operands(ragged);
    const auto call = [&](const char* kernel) {
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.kernel = kernel;
        return clgemm_sgemm_host_ex(ragged.layout, ragged.trans_a, ragged.trans_b, ragged.m, ragged.n, ragged.k,
                                    ragged.alpha, operands.a.data(), operands.a.ld, operands.b.data(), operands.b.ld,
                                    ragged.beta, operands.c.elements.data() + operands.c.offset, operands.c.ld,
                                    test.out_of_order(), &options);
    };
    EXPECT_EQ(call(nullptr), CLGEMM_SUCCESS) << clgemm_last_error();
    fail_opencl({"clEnqueueNDRangeKernel", 1, Failure::for_ever, CL_INVALID_OPERATION});
    EXPECT_EQ(call("1"), CL_INVALID_OPERATION) << "a call that fails must not wait, either";
    stop_failing_opencl();
    later.setStatus(CL_COMPLETE);
    written.wait();
}
