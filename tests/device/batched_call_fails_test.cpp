// Every OpenCL call of a batch fails once: the batch tells so or goes another way, each product is right or as it was,
// nothing is leaked, and the next batch is right.
#include "support/batch_on_device.hpp"
#include "support/failing_opencl.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace clgemm::test;

namespace {

// Ragged, transposed and with gaps, so that kernels need helper steps and temporaries.
BatchedCase ragged()
{
    BatchedCase x;
    x.trans_a = CLGEMM_TRANS;
    x.m = 35;
    x.n = 25;
    x.k = 45;
    x.count = 3;
    x.alpha = 2;
    x.beta = 0.5f;
    x.ld = {46, 47, 38};
    x.distance = {46 * 35 + 3, 0, 38 * 25 + 5};
    return x;
}

struct Scenario {
    const char* kernel; // null: the library's choice
    bool in_order;
};

class BatchedCallFails : public testing::TestWithParam<Scenario> {
protected:
    clgemm_status call() const
    {
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.kernel = GetParam().kernel;
        cl::Event event;
        const clgemm_status status = batch.call(queue, options, &event);
        EXPECT_EQ(event() != nullptr, status == CLGEMM_SUCCESS) << "a failed call gives no event";
        return status;
    }
    long number_of_calls() const
    {
        batch.restore_c(queue);
        fail_opencl({"", Failure::never, Failure::never});
        EXPECT_EQ(call(), CLGEMM_SUCCESS) << clgemm_last_error();
        const long calls = stop_failing_opencl().calls;
        queue.finish();
        return calls;
    }
    void fail_once(long nth, cl_int code) const
    {
        batch.restore_c(queue);
        fail_opencl({"", nth, nth, code});
        const clgemm_status status = call();
        const std::string failed = stop_failing_opencl().caught;
        SCOPED_TRACE("OpenCL call " + std::to_string(nth) + ", " + failed + ", failed with " + clgemm_status_string(code) +
                     "; the batch with " + clgemm_status_string(status));
        if (status == CLGEMM_SUCCESS) {
            EXPECT_TRUE(is_right(batch.x, batch.before, batch.read(queue)));
        } else {
            EXPECT_TRUE(is_right_or_as_it_was(batch.x, batch.before, batch.read(queue)));
            EXPECT_STRNE(clgemm_last_error(), "");
            EXPECT_NE(status, CLGEMM_INTERNAL_ERROR) << clgemm_last_error();
        }
        batch.restore_c(queue);
        EXPECT_EQ(call(), CLGEMM_SUCCESS) << "the next call: " << clgemm_last_error();
        EXPECT_TRUE(is_right(batch.x, batch.before, batch.read(queue))) << "the next call";
    }

    const BatchOnDevice batch{ragged()};
    const cl::CommandQueue queue = GetParam().in_order ? test_device().in_order : test_device().out_of_order;
};

} // namespace

TEST_P(BatchedCallFails, WithAndWithoutCaches)
{
    clgemm_teardown(nullptr);
    const auto living = living_opencl_objects();
    ASSERT_EQ(call(), CLGEMM_SUCCESS) << clgemm_last_error();
    for (const cl_int code : {CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_DEVICE_NOT_AVAILABLE}) {
        const long calls = number_of_calls();
        for (long nth = 1; nth <= calls; nth++)
            fail_once(nth, code);
    }
    clgemm_teardown(nullptr);
    const long calls = number_of_calls();
    for (long nth = 1; nth <= calls; nth += 3) {
        clgemm_teardown(nullptr);
        fail_once(nth, CL_OUT_OF_HOST_MEMORY);
        clgemm_teardown(nullptr);
        EXPECT_EQ(living_opencl_objects(), living) << "leaked where OpenCL call " << nth << " failed";
    }
}

INSTANTIATE_TEST_SUITE_P(Of, BatchedCallFails,
                         testing::Values(Scenario{nullptr, true}, Scenario{nullptr, false}, Scenario{"1", true},
                                         Scenario{"10", true}, Scenario{"10", false}),
                         [](const auto& scenario) {
                             return std::string(scenario.param.kernel ? scenario.param.kernel : "automatic") +
                                    (scenario.param.in_order ? "_in_order" : "_out_of_order");
                         });

// Products on host memory that follow one another: where a later one fails, the status says that earlier ones were computed.
TEST(ListOnHostFails, OnceInEveryCallAndSaysHowCIs)
{
    constexpr std::size_t side = 24, products = 3, apart[] = {0, 700, 2000}; // no equal distances: one after the other
    const std::vector<float> a(3000, 1), b(3000, 2);
    const float alpha = 1, beta = 0.5f, before = 1, expected = 2 * side + 0.5f;
    std::vector<float> c(3000);
    const float *as[products], *bs[products];
    float* cs[products];
    for (std::size_t i = 0; i < products; i++) {
        as[i] = a.data() + apart[i];
        bs[i] = b.data() + apart[i];
        cs[i] = c.data() + apart[i];
    }
    const auto call = [&] {
        std::fill(c.begin(), c.end(), before);
        return clgemm_sgemm_host_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, side, side, side, 1, &alpha,
                                         as, side, bs, side, &beta, cs, side, products, test_device().in_order());
    };
    const auto are = [&](float value, std::size_t product) {
        return std::all_of(cs[product], cs[product] + side * side, [&](float x) { return x == value; });
    };
    ASSERT_EQ(call(), CLGEMM_SUCCESS) << clgemm_last_error();
    bool some_were_incomplete = false;
    for (long nth = 1;; nth++) {
        fail_opencl({"", nth, nth, CL_OUT_OF_RESOURCES});
        const clgemm_status status = call();
        const std::string failed = stop_failing_opencl().caught;
        if (failed.empty())
            break;
        SCOPED_TRACE("OpenCL call " + std::to_string(nth) + ", " + failed + "; the list with " +
                     clgemm_status_string(status) + ": " + clgemm_last_error());
        if (status == CLGEMM_INCOMPLETE) {
            some_were_incomplete = true;
            EXPECT_TRUE(are(expected, 0));
            EXPECT_NE(std::string(clgemm_last_error()).find("some products of the batch were computed"), std::string::npos);
        }
        for (std::size_t i = 0; i < products && status != CLGEMM_INCOMPLETE; i++)
            EXPECT_TRUE(are(status == CLGEMM_SUCCESS ? expected : before, i)) << "product " << i;
    }
    EXPECT_TRUE(some_were_incomplete);
}
