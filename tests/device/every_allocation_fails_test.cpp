// Every allocation of a call fails once, and with it all that follow: the call gives a status or goes on without, C is right
// or as it was, nothing is leaked, and the next call is right.
#include "support/case_on_device.hpp"
#include "support/failing_allocation.hpp"
#include "support/failing_opencl.hpp"

#include "device/query_profile.hpp"
#include "tuning/derived_tuning.hpp"
#include "tuning/tuning_file.hpp"

#include <algorithm>
#include <functional>
#include <new>

using namespace clgemm::test;

namespace {

constexpr long for_ever = std::numeric_limits<long>::max();

// Ragged, transposed and with gaps, so that kernels need helper steps and temporaries.
const SgemmCase ragged{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 70, 50, 90, 2, 0.5f, {1, 2, 3}, {0, 0, 0}};

// Runs `work` with each `stride`-th of its allocations failing, alone and with all after it, each time after `prepare`.
// `also`: what `work` may return besides when it fails. Returns how many allocations there are.
long fail_each(long stride, const std::function<void()>& prepare, const std::function<clgemm_status()>& work,
               const std::function<void(clgemm_status)>& check, clgemm_status also = CL_OUT_OF_HOST_MEMORY)
{
    prepare();
    fail_allocations(0, 0);
    const clgemm_status status = work();
    const long allocations = stop_failing_allocations();
    EXPECT_EQ(status, CLGEMM_SUCCESS) << clgemm_last_error();
    for (long first = 1; first <= allocations; first += stride)
        for (const long last : {first, for_ever}) {
            prepare();
            fail_allocations(first, last);
            const clgemm_status failed = work();
            stop_failing_allocations();
            SCOPED_TRACE("allocation " + std::to_string(first) + " of " + std::to_string(allocations) +
                         (last == first ? "" : " and all after it") + " failed");
            if (failed != CLGEMM_SUCCESS) {
                EXPECT_TRUE(failed == CL_OUT_OF_HOST_MEMORY || failed == also) << failed << ": " << clgemm_last_error();
                EXPECT_STRNE(clgemm_last_error(), "");
            }
            check(failed);
            if (testing::Test::HasFailure())
                return allocations;
        }
    return allocations;
}

class EveryAllocationFails : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        if (!runs_here(GetParam()))
            GTEST_SKIP() << "the device cannot run this kernel";
        ASSERT_EQ(on_device.call(queue, GetParam()), CLGEMM_SUCCESS) << clgemm_last_error();
        queue.finish();
    }

    void restore() const
    {
        queue.finish();
        queue.enqueueWriteBuffer(on_device.c, CL_TRUE, 0, on_device.before.c.bytes(), on_device.before.c.elements.data());
    }

    clgemm_status call(const cl::CommandQueue& on, cl_event* event) const
    {
        const SgemmCase& x = ragged;
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.kernel = GetParam();
        return clgemm_sgemm_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, on_device.a(),
                               on_device.before.a.offset, on_device.before.a.ld, on_device.b(), on_device.before.b.offset,
                               on_device.before.b.ld, x.beta, on_device.c(), on_device.before.c.offset,
                               on_device.before.c.ld, on(), 0, nullptr, event, &options);
    }

    void check(clgemm_status status) const
    {
        queue.finish();
        test_device().out_of_order.finish();
        if (status == CLGEMM_SUCCESS)
            EXPECT_TRUE(on_device.is_right(queue));
        else
            EXPECT_TRUE(on_device.before.c.same_bits(on_device.read(queue).c)) << "C was written";
        restore();
        EXPECT_EQ(call(queue, nullptr), CLGEMM_SUCCESS) << "the next call: " << clgemm_last_error();
        EXPECT_TRUE(on_device.is_right(queue)) << "the next call";
    }

    const cl::CommandQueue& queue = test_device().in_order;
    const CaseOnDevice on_device{ragged};
};

// What the library keeps for the context is made anew, programs among it.
TEST_P(EveryAllocationFails, InTheFirstCallOfAContext)
{
    const auto teardown = [] { clgemm_teardown(test_device().context()); };
    teardown();
    const auto living = living_opencl_objects();
    const long allocations = fail_each(
        1,
        [&] {
            restore();
            teardown();
            EXPECT_EQ(living_opencl_objects(), living) << "leaked";
        },
        [&] { return call(queue, nullptr); }, [&](clgemm_status status) { check(status); });
    EXPECT_GT(allocations, 20);
}

TEST_P(EveryAllocationFails, InACallLikeOneBefore)
{
    for (const auto& on : {test_device().in_order, test_device().out_of_order}) {
        cl::Event event;
        const long allocations = fail_each(
            1,
            [&] {
                on.finish();
                event = cl::Event();
                restore();
            },
            [&] { return call(on, &event()); },
            [&](clgemm_status status) {
                EXPECT_EQ(event() != nullptr, status == CLGEMM_SUCCESS);
                check(status);
            });
        // Without temporaries there is nothing to allocate.
        EXPECT_EQ(allocations > 0, GetParam() != std::string_view("01_naive"));
    }
}

INSTANTIATE_TEST_SUITE_P(Of, EveryAllocationFails, testing::Values("01_naive", "10_incomplete_tiles", "cpu_packed"),
                         name_of_kernel);

// One product after the other, as they lie at no equal distances. Where some are computed and there is no memory to go on,
// there may be none for the message either, and yet the status must say so.
TEST(EveryAllocationFailsOf, AListOfProductsOnHostMemory)
{
    constexpr std::size_t n = 20, count = 3;
    const std::vector<float> ones(count * n * n, 1), right(count * n * n, 1 + n);
    std::vector<float> c = ones;
    const float one = 1;
    const float *a[count] = {}, *b[count] = {};
    float* results[count] = {};
    for (std::size_t i = 0; i < count; i++) {
        a[i] = ones.data() + (i * i) % count * n * n;
        b[i] = ones.data();
        results[i] = c.data() + i * n * n;
    }
    const auto call = [&] {
        return clgemm_sgemm_host_batched(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, n, n, n, 1, &one, a, n, b, n,
                                         &one, results, n, count, nullptr);
    };
    ASSERT_EQ(call(), CLGEMM_SUCCESS) << clgemm_last_error(); // what is made once is there
    std::size_t incomplete = 0;
    fail_each(
        1, [&] { std::copy(ones.begin(), ones.end(), c.begin()); }, call,
        [&](clgemm_status status) {
            if (status == CLGEMM_INCOMPLETE)
                incomplete++;
            else
                EXPECT_EQ(c, status == CLGEMM_SUCCESS ? right : ones) << "status " << status;
        },
        CLGEMM_INCOMPLETE);
    EXPECT_GT(incomplete, 0u);
}

// Queries that find nothing of the device: its profile and its tuning are read. (That takes some ten thousand allocations,
// nearly all of them for one thing, the text of the tuning data; the next test makes each of those fail, of a shorter text.)
TEST(EveryAllocationFailsOf, TheFirstQueryOfADevice)
{
    std::size_t bytes = 0;
    const auto query = [&] {
        return clgemm_sgemm_workspace_size(CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 70, 50, 90, 1, 0, 90, 0, 90,
                                           0, 0, 70, test_device().device(), nullptr, &bytes);
    };
    ASSERT_EQ(query(), CLGEMM_SUCCESS) << clgemm_last_error();
    const std::size_t right = bytes;
    const long allocations = fail_each(
        1999, [&] { clgemm_teardown(nullptr); }, query,
        [&](clgemm_status) {
            EXPECT_EQ(query(), CLGEMM_SUCCESS) << "the next query: " << clgemm_last_error();
            EXPECT_EQ(bytes, right);
        });
    EXPECT_GT(allocations, 100);
}

TEST(EveryAllocationFailsOf, AnExplanation)
{
    std::string text(4096, ' ');
    const long allocations = fail_each(
        1, [] {},
        [&] {
            return clgemm_explain(CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 70, 50, 90, 1, 0, 90, 0, 90, 0, 0, 70,
                                  test_device().device(), nullptr, text.data(), text.size(), nullptr);
        },
        [](clgemm_status) {});
    EXPECT_GT(allocations, 5);
}

TEST(EveryAllocationFailsOf, ATuningFilesReader)
{
    const auto profile = clgemm::core::query_profile(test_device().device);
    auto tuning = clgemm::core::derived_tuning(profile);
    ASSERT_FALSE(tuning.measurements.empty());
    tuning.measurements.erase(tuning.measurements.begin() + 1, tuning.measurements.end());
    const std::string good = to_text(tuning, profile), name = "\"kernel\":\"";
    std::string left_out = good;
    left_out.insert(left_out.find(name) + name.size(), "another_");
    for (const std::string& text :
         {good, left_out, good.substr(0, good.size() / 2), std::string("{\"format\": 1, \"device\": [[1, 2], {}]}")}) {
        fail_allocations(0, 0);
        try {
            parse_tuning(text, profile, "a test");
        } catch (const clgemm::core::TuningFileError&) {
        }
        const long allocations = stop_failing_allocations();
        EXPECT_GT(allocations, 5);
        for (long first = 1; first <= allocations; first++)
            for (const long last : {first, for_ever}) {
                fail_allocations(first, last);
                try {
                    parse_tuning(text, profile, "a test");
                } catch (const clgemm::core::TuningFileError&) {
                } catch (const std::bad_alloc&) {
                }
                stop_failing_allocations();
            }
    }
}

} // namespace
