// After clgemm_warm_up() the first call builds and loads nothing, which a layer below the library counts. What it is told is
// checked, and it enqueues nothing.
#include "engine/device_state.hpp"
#include "engine/warm_up.hpp"
#include "families/registry.hpp"
#include "host/by_copies.hpp"
#include "support/case_on_device.hpp"
#include "support/failing_opencl.hpp"
#include "support/one_pocl_worker.hpp"
#include "support/with_selection.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <set>
#include <thread>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

long calls_of(const char* function, const std::function<void()>& work)
{
    fail_opencl({function, Failure::never, Failure::never});
    work();
    return stop_failing_opencl().calls;
}

constexpr std::array what_builds{"clBuildProgram", "clCreateProgramWithSource", "clCreateProgramWithBinary",
                                 "clCreateKernel"};

const std::array cases{
    SgemmCase{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 64, 64, 64, 1, 0, {}, {}},
    SgemmCase{CLGEMM_ROW_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 70, 50, 90, 2, 0.5f, {1, 2, 3}, {1, 2, 3}},
    SgemmCase{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 300, 1, 200, 1, 0, {}, {}},
    SgemmCase{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 40, 30, 0, 1, 2, {}, {}},
    SgemmCase{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 0, 30, 20, 1, 2, {}, {}},
};

clgemm_call described(const SgemmCase& x)
{
    const Operands operands(x);
    clgemm_call call = CLGEMM_CALL_INIT;
    call.layout = x.layout;
    call.transA = x.trans_a;
    call.transB = x.trans_b;
    call.m = x.m;
    call.n = x.n;
    call.k = x.k;
    call.alpha = x.alpha;
    call.offA = operands.a.offset;
    call.lda = operands.a.ld;
    call.offB = operands.b.offset;
    call.ldb = operands.b.ld;
    call.beta = x.beta;
    call.offC = operands.c.offset;
    call.ldc = operands.c.ld;
    return call;
}

class WarmUp : public testing::Test {
protected:
    ~WarmUp() override { clgemm_teardown(context()); }

    // Null: the library chooses.
    static clgemm_options options(const char* kernel)
    {
        clgemm_options result = CLGEMM_OPTIONS_INIT;
        result.kernel = kernel;
        return result;
    }

    clgemm_status warm_up(const std::vector<SgemmCase>& xs, const char* kernel = nullptr) const
    {
        std::vector<clgemm_call> calls;
        for (const auto& x : xs)
            calls.push_back(described(x));
        const clgemm_options asked = options(kernel);
        return clgemm_warm_up(context(), device(), calls.size(), calls.data(), &asked);
    }

    const cl::Device device = test_device().device;
    const cl::Context context{device};
    const cl::CommandQueue queue{context, device};
};

} // namespace

TEST_F(WarmUp, TheFirstCallBuildsAndLoadsNothing)
{
    for (const char* const function : what_builds)
        for (const char* const kernel : {static_cast<const char*>(nullptr), "10_incomplete_tiles"}) {
            ASSERT_EQ(clgemm_teardown(context()), CLGEMM_SUCCESS);
            const std::string what = std::string(function) + " with " + (kernel ? kernel : "the library's choice");
            const long before = calls_of(function, [&] {
                EXPECT_EQ(warm_up({cases.begin(), cases.end()}, kernel), CLGEMM_SUCCESS) << clgemm_last_error();
            });
            EXPECT_GT(before + (function == std::string("clCreateProgramWithBinary") ? 1 : 0), 0) << what;
            for (const auto& x : cases) {
                const CaseOnDevice on_device(x, context);
                const long calls = calls_of(
                    function, [&] { EXPECT_EQ(on_device.call(queue, kernel), CLGEMM_SUCCESS) << clgemm_last_error(); });
                EXPECT_EQ(calls, 0) << what << ", " << x;
                EXPECT_TRUE(on_device.is_right(queue)) << what;
            }
        }
}

// Of very many products, too, which have several plans.
TEST_F(WarmUp, TheFirstBatchBuildsAndLoadsNothing)
{
    for (const std::size_t count : {3U, 5000U}) {
        clgemm_call call = CLGEMM_CALL_INIT;
        call.m = call.n = call.k = call.lda = call.ldb = call.ldc = 5;
        call.batch = count;
        call.distA = call.distC = 25;
        ASSERT_EQ(clgemm_teardown(context()), CLGEMM_SUCCESS);
        ASSERT_EQ(clgemm_warm_up(context(), device(), 1, &call, nullptr), CLGEMM_SUCCESS) << clgemm_last_error();
        const cl::Buffer a(context, CL_MEM_READ_WRITE, count * 25 * sizeof(float)),
            c(context, CL_MEM_READ_WRITE, count * 25 * sizeof(float));
        queue.enqueueFillBuffer(a, 1.0f, 0, count * 25 * sizeof(float));
        for (const char* const function : what_builds)
            EXPECT_EQ(calls_of(function,
                               [&] {
                                   EXPECT_EQ(clgemm_sgemm_strided_batched(
                                                 CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 5, 5, 5, 1, a(), 0,
                                                 5, 25, a(), 0, 5, 0, 0, c(), 0, 5, 25, count, queue(), 0, nullptr, nullptr),
                                             CLGEMM_SUCCESS)
                                       << clgemm_last_error();
                               }),
                      0)
                << function;
        float last = 0;
        queue.enqueueReadBuffer(c, CL_TRUE, (count * 25 - 1) * sizeof(float), sizeof last, &last);
        EXPECT_EQ(last, 5);
    }
}

TEST_F(WarmUp, TheFirstIndirectBatchBuildsAndLoadsNothing)
{
    clgemm_call call = CLGEMM_CALL_INIT;
    call.m = call.n = call.k = call.lda = call.ldb = call.ldc = 5;
    call.batch = 3;
    call.indirect = 1;
    call.distA = 77; // which does not count
    ASSERT_EQ(clgemm_warm_up(context(), device(), 1, &call, nullptr), CLGEMM_SUCCESS) << clgemm_last_error();
    const cl::Buffer a(context, CL_MEM_READ_WRITE, 25 * sizeof(float)), c(context, CL_MEM_READ_WRITE, 75 * sizeof(float));
    queue.enqueueFillBuffer(a, 1.0f, 0, 25 * sizeof(float));
    std::array<clgemm_product, 3> products{{{0, 0, 0, 1, 0}, {0, 0, 25, 2, 0}, {0, 0, 50, 3, 0}}};
    const cl::Buffer list(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof products, products.data());
    for (const char* const function : what_builds)
        EXPECT_EQ(calls_of(function,
                           [&] {
                               EXPECT_EQ(clgemm_sgemm_indirect_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS,
                                                                       5, 5, 5, a(), 5, a(), 5, c(), 5, list(), 0, 3,
                                                                       queue(), 0, nullptr, nullptr),
                                         CLGEMM_SUCCESS)
                                   << clgemm_last_error();
                           }),
                  0)
            << function;
    float last = 0;
    queue.enqueueReadBuffer(c, CL_TRUE, 74 * sizeof(float), sizeof last, &last);
    EXPECT_EQ(last, 15);
}

TEST_F(WarmUp, EachProgramIsBuiltOnce)
{
    const auto state = device_state(context(), device());
    std::set<std::pair<const KernelSource*, std::string>> programs;
    for (const auto& x : cases) {
        Problem problem = problem_of(x, Operands(x));
        for (const Step& step : state->planner->plan(problem, {}).plan.steps)
            programs.emplace(step.source, step.options);
    }
    const std::vector<SgemmCase> twice = [] {
        std::vector<SgemmCase> result(cases.begin(), cases.end());
        result.insert(result.end(), cases.begin(), cases.end());
        return result;
    }();
    long built = calls_of("clCreateProgramWithSource", [&] { EXPECT_EQ(warm_up(twice), CLGEMM_SUCCESS); });
    EXPECT_EQ(built, static_cast<long>(programs.size()));
    built = calls_of("clCreateProgramWithSource", [&] { EXPECT_EQ(warm_up(twice), CLGEMM_SUCCESS); });
    EXPECT_EQ(built, 0) << "the second time everything is there";
}

// For drivers that compile at the first launch: each kernel that the call launches is launched once, on a small problem.
TEST_F(WarmUp, LaunchesWhatTheDriverCompilesAtLaunchAndElseNothing)
{
    const auto launches = [&](const SgemmCase& x, const char* kernel) {
        clgemm_teardown(context());
        device_state(context(), device()); // which tries out a buffer
        return calls_of("clEnqueueNDRangeKernel",
                        [&] { EXPECT_EQ(warm_up({x}, kernel), CLGEMM_SUCCESS) << clgemm_last_error(); });
    };
    const bool at_launch = test_profile().compiles_at_launch;
    for (const char* const kernel : kernels_here())
        for (const std::size_t which : {0U, 1U, 2U}) {
            SgemmCase x = cases[which];
            for (const std::size_t times : {1U, 20U}) {
                if (times > 1 && which > 0)
                    continue; // a large one for each kernel
                x.m *= times;
                x.k *= times;
                const Problem problem = problem_of(x, Operands(x));
                const Plan plan = planner_for(device())->plan(problem, {.kernel = find_kernel(kernel)}).plan;
                if (plan.workspace_bytes > test_profile().memory_for_temporaries())
                    continue;
                EXPECT_EQ(launches(x, kernel), at_launch ? static_cast<long>(plan.steps.size()) : 0) << kernel << ", " << x;
            }
        }
}

// On the default device, as the form on host memory needs it.
TEST(WarmUpWithoutAContext, IsForProductsOnHostMemory)
{
    const SgemmCase x{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 130, 70, 90, 1, 0, {}, {}};
    for (const char* const function : what_builds) {
        ASSERT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
        const clgemm_call call = described(x);
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.alignment = sizeof(float); // whatever memory the vectors get
        ASSERT_EQ(clgemm_warm_up(nullptr, nullptr, 1, &call, &options), CLGEMM_SUCCESS) << clgemm_last_error();
        // One float behind a multiple of 128 bytes, so that no more is aligned than was said.
        std::vector<float> a(130 * 90 + 64, 1.0f), b(70 * 90 + 64, 2.0f), c(130 * 70 + 64);
        const auto place = [](std::vector<float>& numbers) {
            auto address = reinterpret_cast<std::uintptr_t>(numbers.data());
            return numbers.data() + (128 - address % 128) % 128 / sizeof(float) + 1;
        };
        EXPECT_EQ(calls_of(function,
                           [&] {
                               EXPECT_EQ(clgemm_sgemm_host(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, 1, place(a), 90,
                                                           place(b), 90, 0, place(c), 70, nullptr),
                                         CLGEMM_SUCCESS)
                                   << clgemm_last_error();
                           }),
                  0)
            << function;
        EXPECT_EQ(place(c)[130 * 70 - 1], 180);
    }
}

// What travels in tiles, of which the last ones are smaller, and those after the first along K add to C.
TEST_F(WarmUp, KnowsTheTilesOfProductsOnHostMemory)
{
    const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 230, 170, 190, 1, 0.5f, {1, 2, 3}, {}};
    const Devices devices{device_state(context(), device())};
    for (const HostLimits& limits :
         {HostLimits{{80'000, 40'000}, 2, false}, HostLimits{{SIZE_MAX / 16, SIZE_MAX / 16}, 2, true}}) {
        ASSERT_EQ(clgemm_teardown(context()), CLGEMM_SUCCESS);
        const Devices again{device_state(context(), device())};
        const Operands before(x);
        Operands after = before;
        const Problem problem = problem_of(x, after);
        const auto products = different_products(problem, again, {}, limits);
        EXPECT_EQ(products.size() > 1, !limits.small_products);
        clgemm::core::warm_up(*again[0], products, {});
        for (const char* const function : what_builds)
            EXPECT_EQ(calls_of(function,
                               [&] {
                                   after = before;
                                   multiply_by_copies(
                                       problem_of(x, after),
                                       {after.a.data(), after.b.data(), after.c.elements.data() + after.c.offset}, again, {},
                                       limits);
                               }),
                      0)
                << function;
        EXPECT_TRUE(clgemm::test::is_right(x, before, after));
    }
}

TEST_F(WarmUp, AFailureReachesTheCallerAndTheNextTryBuildsTheRest)
{
    // The first look at a CPU may build a program that asks for tiles (device/tiles.hpp). Where that fails the library goes
    // without them, and the caller is told nothing: so it must be over before programs are counted.
    ASSERT_NE(planner_for(device()), nullptr);
    const long builds = calls_of("clCreateProgramWithSource", [&] { EXPECT_EQ(warm_up({cases[1]}, "10"), CLGEMM_SUCCESS); });
    EXPECT_GT(builds, 2) << "else nothing is built side by side";
    for (long first = 1; first <= builds; first++)
        for (const long last : {first, Failure::for_ever}) {
            ASSERT_EQ(clgemm_teardown(context()), CLGEMM_SUCCESS);
            const auto living = living_opencl_objects();
            fail_opencl({"clCreateProgramWithSource", first, last, CL_OUT_OF_HOST_MEMORY});
            EXPECT_EQ(warm_up({cases[1]}, "10"), CL_OUT_OF_HOST_MEMORY);
            stop_failing_opencl();
            EXPECT_EQ(warm_up({cases[1]}, "10"), CLGEMM_SUCCESS) << clgemm_last_error();
            const CaseOnDevice on_device(cases[1], context);
            EXPECT_EQ(calls_of("clCreateProgramWithSource", [&] { on_device.call(queue, "10"); }), 0);
            EXPECT_TRUE(on_device.is_right(queue));
        }
}

// Whatever fails: the caller is told or goes on without, nothing is leaked, and the next call is right.
TEST_F(WarmUp, FailuresOfAnyCallOfOpenCLAreToldOrMadeGood)
{
    const SgemmCase x = cases[1];
    const CaseOnDevice on_device(x, context);
    ASSERT_EQ(clgemm_teardown(context()), CLGEMM_SUCCESS);
    const auto living = living_opencl_objects();
    const long calls = calls_of("", [&] { EXPECT_EQ(warm_up({x}, "10"), CLGEMM_SUCCESS); });
    for (long failing = 1; failing <= calls; failing += 3) {
        ASSERT_EQ(clgemm_teardown(context()), CLGEMM_SUCCESS);
        EXPECT_EQ(living_opencl_objects(), living) << "before call " << failing;
        fail_opencl({"", failing, failing});
        const clgemm_status status = warm_up({x}, "10");
        stop_failing_opencl();
        if (status != CLGEMM_SUCCESS) {
            EXPECT_STRNE(clgemm_last_error(), "");
        }
    }
    EXPECT_EQ(warm_up({x}, "10"), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_EQ(on_device.call(queue, "10"), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_TRUE(on_device.is_right(queue));
}

TEST_F(WarmUp, ManyThreadsWarmUpAndCallAtOnce)
{
    for (int round = 0; round < 3; round++) {
        ASSERT_EQ(clgemm_teardown(context()), CLGEMM_SUCCESS);
        std::atomic<int> wrong = 0;
        fail_opencl({"clCreateProgramWithSource", Failure::never, Failure::never});
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; i++)
            threads.emplace_back([&, i] {
                if (i % 2 == 0) {
                    wrong += warm_up({cases.begin(), cases.end()}) == CLGEMM_SUCCESS ? 0 : 1;
                    return;
                }
                const cl::CommandQueue own(context, device);
                const CaseOnDevice on_device(cases[1], context);
                wrong += on_device.call(own) == CLGEMM_SUCCESS && on_device.is_right(own) ? 0 : 1;
            });
        for (auto& thread : threads)
            thread.join();
        EXPECT_EQ(wrong, 0);
        const long built = stop_failing_opencl().calls;
        EXPECT_EQ(calls_of("clCreateProgramWithSource", [&] { warm_up({cases.begin(), cases.end()}); }), 0);
        EXPECT_GT(built, 0);
    }
}

TEST_F(WarmUp, TakesTheCallsOfALaterVersion)
{
    struct Later {
        clgemm_call known;
        std::size_t more;
    };
    std::array<Later, 3> calls{};
    for (std::size_t i = 0; i < calls.size(); i++) {
        calls[i].known = described(cases[i]);
        calls[i].known.size = sizeof(Later);
    }
    const auto warmed_up = [&] { return clgemm_warm_up(context(), device(), 3, &calls[0].known, nullptr); };
    EXPECT_EQ(warmed_up(), CLGEMM_SUCCESS) << clgemm_last_error();
    calls[2].more = 1;
    EXPECT_EQ(warmed_up(), CLGEMM_INVALID_CALL);
    EXPECT_NE(std::strstr(clgemm_last_error(), "calls[2]"), nullptr) << clgemm_last_error();
    calls[2].more = 0;
    calls[1].known.size = sizeof(clgemm_call);
    EXPECT_EQ(warmed_up(), CLGEMM_INVALID_CALL);
    EXPECT_NE(std::strstr(clgemm_last_error(), "calls[1]"), nullptr) << clgemm_last_error();
}

// Which ended before the fields of a batch, or before that of an indirect one.
TEST_F(WarmUp, TakesTheCallsOfEarlierVersions)
{
    for (const std::size_t size : {offsetof(clgemm_call, batch), offsetof(clgemm_call, indirect)}) {
        ASSERT_EQ(clgemm_teardown(context()), CLGEMM_SUCCESS);
        std::vector<unsigned char> memory(2 * size); // of its own size, so that a sanitizer sees who reads on
        for (std::size_t i = 0; i < 2; i++) {
            clgemm_call call = described(cases[i]);
            call.size = size;
            std::memcpy(memory.data() + i * size, &call, size);
        }
        const auto* const calls = reinterpret_cast<const clgemm_call*>(memory.data());
        EXPECT_EQ(clgemm_warm_up(context(), device(), 2, calls, nullptr), CLGEMM_SUCCESS) << clgemm_last_error();
        const CaseOnDevice on_device(cases[1], context);
        EXPECT_EQ(calls_of("clCreateProgramWithSource", [&] { on_device.call(queue); }), 0);
    }
}

TEST_F(WarmUp, NamesTheArgumentThatIsWrong)
{
    const auto expect = [&](clgemm_status expected, const std::string& named, cl_context its_context,
                            cl_device_id its_device, std::size_t count, const clgemm_call* calls,
                            const clgemm_options* options = nullptr) {
        EXPECT_EQ(clgemm_warm_up(its_context, its_device, count, calls, options), expected) << named;
        EXPECT_NE(std::string(clgemm_last_error()).find(named), std::string::npos)
            << "nothing of '" << named << "' in: " << clgemm_last_error();
    };
    std::array calls{described(cases[0]), described(cases[1])};
    const auto spoilt = [&](clgemm_status status, const std::string& named, const std::function<void(clgemm_call&)>& spoil) {
        auto wrong = calls;
        spoil(wrong[1]);
        expect(status, named, context(), device(), wrong.size(), wrong.data());
    };
    expect(CLGEMM_INVALID_POINTER, "calls is null, but count is 2", context(), device(), 2, nullptr);
    expect(CLGEMM_INVALID_DEVICE, "device is given without a context", nullptr, device(), 1, calls.data());
    // Any handle that is no device of this context's.
    expect(CLGEMM_INVALID_DEVICE, "device", context(), reinterpret_cast<cl_device_id>(queue()), 1, calls.data());
    // Not every driver can tell a context from something else.
    fail_opencl({"clGetContextInfo", 1, Failure::for_ever, CL_INVALID_CONTEXT});
    expect(CLGEMM_INVALID_CONTEXT, "context is no OpenCL context", context(), nullptr, 1, calls.data());
    stop_failing_opencl();
    clgemm_options wrong_options = CLGEMM_OPTIONS_INIT;
    wrong_options.alignment = 3;
    expect(CLGEMM_INVALID_OPTIONS, "options->alignment", context(), device(), 1, calls.data(), &wrong_options);
    wrong_options = options("nonsense");
    expect(CLGEMM_UNKNOWN_KERNEL, "options->kernel", context(), device(), 1, calls.data(), &wrong_options);
    spoilt(CLGEMM_INVALID_LAYOUT, "calls[1]: layout", [](clgemm_call& x) { x.layout = static_cast<clgemm_layout>(100); });
    spoilt(CLGEMM_INVALID_TRANS_A, "calls[1]: transA", [](clgemm_call& x) { x.transA = static_cast<clgemm_transpose>(1); });
    spoilt(CLGEMM_INVALID_TRANS_B, "calls[1]: transB", [](clgemm_call& x) { x.transB = static_cast<clgemm_transpose>(1); });
    spoilt(CLGEMM_INVALID_LDA, "calls[1]: lda is 1", [](clgemm_call& x) { x.lda = 1; });
    spoilt(CLGEMM_INVALID_LDB, "calls[1]: ldb is 1", [](clgemm_call& x) { x.ldb = 1; });
    spoilt(CLGEMM_INVALID_LDC, "calls[1]: ldc is 0", [](clgemm_call& x) { x.ldc = 0; });
    spoilt(CLGEMM_OVERLAPPING_C, "calls[1]: distC is 0", [](clgemm_call& x) { x.batch = 2; });
    spoilt(CLGEMM_INVALID_CALL, "calls[1]: indirect is 2, but must be 0 or 1", [](clgemm_call& x) { x.indirect = 2; });
    auto indirect = calls;
    indirect[1].indirect = 1;
    expect(CLGEMM_INVALID_CALL, "calls[1]: indirect is 1, which needs a context", nullptr, nullptr, 2, indirect.data());
    spoilt(CLGEMM_OVERFLOW_C, "calls[1]: C", [](clgemm_call& x) { x.offC = SIZE_MAX; });
    for (const std::size_t size : {std::size_t{0}, sizeof(clgemm_call) - 1, std::size_t{5000}}) {
        clgemm_call wrong = calls[0];
        wrong.size = size;
        expect(CLGEMM_INVALID_CALL, "calls[0]: size is " + std::to_string(size), context(), device(), 1, &wrong);
    }
    EXPECT_EQ(clgemm_warm_up(context(), nullptr, 0, nullptr, nullptr), CLGEMM_SUCCESS) << clgemm_last_error();
}

// What the library chooses for itself falls back; what was asked for is an error.
TEST_F(WarmUp, TellsThatAKernelCannotBeUsed)
{
    for (const char* const kernel : every_kernel())
        if (!runs_here(kernel)) {
            EXPECT_EQ(warm_up({cases[0]}, kernel), CLGEMM_KERNEL_NOT_SUPPORTED) << kernel;
            return;
        }
    GTEST_SKIP() << "the device can run all kernels";
}
