// A program that calls clBLAS, run in each way in which libclgemm_clblas can take clBLAS's place: linked instead of it,
// loaded before it, and under its soname.
#include "door_test.hpp"
#include "support/threads.hpp"

#include <clBLAS.h>

#include <algorithm>
#include <functional>

using namespace clgemm::test;

// As clBLAS.h declares them.
extern "C" {
clblasStatus clblasDgemm(clblasOrder order, clblasTranspose transA, clblasTranspose transB, size_t M, size_t N, size_t K,
                         cl_double alpha, cl_mem A, size_t offA, size_t lda, cl_mem B, size_t offB, size_t ldb,
                         cl_double beta, cl_mem C, size_t offC, size_t ldc, cl_uint numCommandQueues,
                         cl_command_queue* commandQueues, cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                         cl_event* events);
cl_ulong clblasAddScratchImage(cl_command_queue queue, size_t width, size_t height, clblasStatus* error);
}

namespace {

// The arguments of a call to clblasSgemm().
struct Call {
    explicit Call(const CaseOnDevice& on_device, std::vector<cl_command_queue> its_queues)
        : order(on_device.x.layout == CLGEMM_ROW_MAJOR ? clblasRowMajor : clblasColumnMajor),
          trans_a(static_cast<clblasTranspose>(on_device.x.trans_a - CLGEMM_NO_TRANS)),
          trans_b(static_cast<clblasTranspose>(on_device.x.trans_b - CLGEMM_NO_TRANS)), m(on_device.x.m), n(on_device.x.n),
          k(on_device.x.k), alpha(on_device.x.alpha), beta(on_device.x.beta), a(on_device.a()), b(on_device.b()),
          c(on_device.c()), off_a(on_device.before.a.offset), off_b(on_device.before.b.offset),
          off_c(on_device.before.c.offset), lda(on_device.before.a.ld), ldb(on_device.before.b.ld),
          ldc(on_device.before.c.ld), queues(std::move(its_queues)), queue_count(static_cast<cl_uint>(queues.size())),
          queue_list(queues.data())
    {
    }

    clblasStatus run(cl_event* events = nullptr) const
    {
        return clblasSgemm(order, trans_a, trans_b, m, n, k, alpha, a, off_a, lda, b, off_b, ldb, beta, c, off_c, ldc,
                           queue_count, queue_list, wait_count, wait_list, events);
    }

    clblasOrder order;
    clblasTranspose trans_a, trans_b;
    std::size_t m, n, k;
    float alpha, beta;
    cl_mem a, b, c;
    std::size_t off_a, off_b, off_c, lda, ldb, ldc;
    std::vector<cl_command_queue> queues;
    cl_uint queue_count;
    cl_command_queue* queue_list;
    cl_uint wait_count = 0;
    const cl_event* wait_list = nullptr;
};

class Clblas : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(clblasSetup(), clblasSuccess); }
    void TearDown() override { clblasTeardown(); }

    const TestDevice& on = test_device();
    const SgemmCase some{CLGEMM_ROW_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 67, 35, 21, 2, 0.5f, {1, 2, 3}, {3, 1, 5}};
};

TEST(ClblasBeforeSetup, NothingWorks)
{
    const CaseOnDevice on_device(SgemmCase{});
    const Call call(on_device, {test_device().in_order()});
    EXPECT_EQ(call.run(), clblasNotInitialized);
    clblasTeardown(); // does nothing
    EXPECT_EQ(clblasSetup(), clblasSuccess);
    EXPECT_EQ(clblasSetup(), clblasSuccess);
    EXPECT_EQ(call.run(), clblasSuccess);
    test_device().in_order.finish();
    clblasTeardown();
    EXPECT_EQ(call.run(), clblasNotInitialized);
}

TEST_F(Clblas, IsTheDoor)
{
    for (const char* const symbol : {"clblasSetup", "clblasTeardown", "clblasGetVersion", "clblasSgemm", "clblasDgemm"})
        EXPECT_TRUE(is_from_door(symbol)) << symbol;
}

TEST_F(Clblas, TellsWhichInterfaceItHas)
{
    cl_uint major = 0, minor = 0, patch = 1;
    EXPECT_EQ(clblasGetVersion(&major, &minor, &patch), clblasSuccess);
    EXPECT_EQ(major, 2u);
    EXPECT_EQ(minor, 12u);
    EXPECT_EQ(patch, 0u);
}

TEST_F(Clblas, ComputesWhatTheTripleLoopDoes)
{
    for (const SgemmCase& x : door_cases()) {
        const CaseOnDevice on_device(x);
        ASSERT_EQ(Call(on_device, {on.in_order()}).run(), clblasSuccess) << x;
        ASSERT_TRUE(on_device.is_right(on.in_order));
    }
}

TEST_F(Clblas, WithoutProductsScalesC)
{
    for (const auto layout : {CLGEMM_ROW_MAJOR, CLGEMM_COLUMN_MAJOR})
        for (const float beta : {0.0f, -2.0f}) {
            SgemmCase x = some;
            x.layout = layout;
            x.beta = beta;
            x.k = 0;
            const CaseOnDevice on_device(x);
            Call call(on_device, {on.in_order()});
            call.a = call.b = nullptr;
            call.lda = call.ldb = 0;
            cl::Event done;
            ASSERT_EQ(call.run(&done()), clblasSuccess);
            done.wait();
            EXPECT_TRUE(on_device.is_right(on.in_order));
        }
}

TEST_F(Clblas, FindsTheFirstWrongArgumentInItsOrder)
{
    const CaseOnDevice on_device(some);
    Call call(on_device, {on.in_order(), on.out_of_order()});
    const cl::Context other_context(on.device);
    const cl::CommandQueue elsewhere(other_context, on.device);
    const cl::Buffer tiny(on.context, CL_MEM_READ_WRITE, sizeof(float));
    cl::Image2D image;
    if (on.device.getInfo<CL_DEVICE_IMAGE_SUPPORT>())
        image = cl::Image2D(on.context, CL_MEM_READ_WRITE, cl::ImageFormat(CL_RGBA, CL_FLOAT), 64, 64);

    // From the last one to be found to the first, each in addition to those before it.
    struct Mistake {
        const char* what;
        clblasStatus status;
        std::function<void()> make;
    };
    std::vector<Mistake> mistakes{
        {"events, but no list", clblasInvalidEventWaitList, [&] { call.wait_count = 1; }},
        {"a queue of another context", clblasInvalidContext, [&] { call.queues[1] = elsewhere(); }},
        {"a null queue", clblasInvalidCommandQueue, [&] { call.queues[1] = nullptr; }},
        {"no list of queues", clblasInvalidValue, [&] { call.queue_list = nullptr; }},
        {"no queues", clblasInvalidValue, [&] { call.queue_count = 0; }},
        {"C too small", clblasInsufficientMemMatC, [&] { call.c = tiny(); }},
        {"C null", clblasInvalidMatC, [&] { call.c = nullptr; }},
        {"ldc too small", clblasInvalidLeadDimC, [&] { call.ldc = some.n - 1; }},
        {"B too small", clblasInsufficientMemMatB, [&] { call.off_b = SIZE_MAX; }},
        {"B null", clblasInvalidMatB, [&] { call.b = nullptr; }},
        {"ldb 0", clblasInvalidLeadDimB, [&] { call.ldb = 0; }},
        {"A too small", clblasInsufficientMemMatA, [&] { call.lda = std::size_t{1} << 32; }},
        {"A null", clblasInvalidMatA, [&] { call.a = nullptr; }},
        {"lda too small", clblasInvalidLeadDimA, [&] { call.lda = some.m - 1; }},
        {"n 0", clblasInvalidDim, [&] { call.n = 0; }},
        {"m 0", clblasInvalidDim, [&] { call.m = 0; }},
    };
    if (image())
        mistakes.insert(mistakes.end(), {{"C an image", clblasInvalidMatC, [&] { call.c = image(); }},
                                         {"B an image", clblasInvalidMatB, [&] { call.b = image(); }},
                                         {"A an image", clblasInvalidMatA, [&] { call.a = image(); }}});
    mistakes.push_back({"no transpose", clblasInvalidValue, [&] { call.trans_b = static_cast<clblasTranspose>(3); }});

    auto* const nobodys = reinterpret_cast<cl_event>(1);
    cl_event events[] = {nobodys, nobodys};
    for (const auto& mistake : mistakes) {
        mistake.make();
        EXPECT_EQ(call.run(events), mistake.status) << mistake.what;
        EXPECT_TRUE(events[0] == nobodys && events[1] == nobodys) << mistake.what;
    }
    EXPECT_TRUE(on_device.read(on.in_order).c.same_bits(on_device.before.c));
}

TEST_F(Clblas, DoesNotCutSizesTo32Bits)
{
    const CaseOnDevice on_device(SgemmCase{});
    Call call(on_device, {on.in_order()});
    call.m = (std::size_t{1} << 32) + 1;
    call.lda = call.ldc = call.m;
    EXPECT_EQ(call.run(), clblasInsufficientMemMatA);
    call.k = 0;
    EXPECT_EQ(call.run(), clblasInsufficientMemMatC);
}

TEST_F(Clblas, EveryQueuesEventCoversTheWholeOperation)
{
    const CaseOnDevice on_device(some);
    const cl::CommandQueue third(on.context, on.device), reader(on.context, on.device);
    cl::UserEvent gate(on.context);
    Call call(on_device, {on.out_of_order(), on.in_order(), third()});
    call.wait_count = 1;
    call.wait_list = &gate();
    cl_event handles[3] = {};
    ASSERT_EQ(call.run(handles), clblasSuccess);
    const std::vector<cl::Event> events(std::begin(handles), std::end(handles));
    third.flush();
    on.in_order.flush();
    let_others_run();
    for (const auto& event : events)
        EXPECT_GT(status_of(event), CL_COMPLETE);
    EXPECT_TRUE(on_device.read(reader).c.same_bits(on_device.before.c));

    gate.setStatus(CL_COMPLETE);
    events[2].wait(); // nobody has flushed the first queue, which computes
    EXPECT_TRUE(on_device.is_right(reader));
    events[0].wait();
    events[1].wait();
}

TEST_F(Clblas, WhatFollowsOnAnyQueueFindsTheResult)
{
    const CaseOnDevice on_device(some);
    const cl::CommandQueue second(on.context, on.device);
    ASSERT_EQ(Call(on_device, {on.in_order(), second()}).run(), clblasSuccess);
    EXPECT_TRUE(on_device.is_right(second));
    on.in_order.finish();
}

TEST_F(Clblas, WorksFromSeveralThreadsAtOnce)
{
    at_once(4, [&](std::size_t thread) {
        SgemmCase x = some;
        x.m += thread;
        const CaseOnDevice on_device(x);
        const cl::CommandQueue queue(on.context, on.device), other(on.context, on.device);
        for (int i = 0; i < 5; i++) {
            queue.enqueueWriteBuffer(on_device.c, CL_TRUE, 0, on_device.before.c.bytes(),
                                     on_device.before.c.elements.data());
            EXPECT_EQ(Call(on_device, {queue(), other()}).run(), clblasSuccess);
            EXPECT_TRUE(on_device.is_right(other));
        }
    });
}

TEST_F(Clblas, OtherRoutinesReachTheRealOneOrSayThatThereIsNone)
{
    const auto handle = [](auto type, std::size_t number) { return reinterpret_cast<decltype(type)>(number); };
    const auto dgemm = [&] {
        return clblasDgemm(static_cast<clblasOrder>(1), static_cast<clblasTranspose>(2), static_cast<clblasTranspose>(3), 4,
                           5, 6, 7, handle(cl_mem{}, 8), 9, 10, handle(cl_mem{}, 11), 12, 13, 14, handle(cl_mem{}, 15), 16,
                           17, 18, handle(static_cast<cl_command_queue*>(nullptr), 19), 20,
                           handle(static_cast<const cl_event*>(nullptr), 21), handle(static_cast<cl_event*>(nullptr), 22));
    };
    testing::internal::CaptureStderr();
    const int first = dgemm(), second = dgemm();
    const cl_ulong image = clblasAddScratchImage(nullptr, 6, 7, nullptr);
    const std::string said = testing::internal::GetCapturedStderr();
    if (has_real_library()) {
        EXPECT_EQ(first, 22 * 23 * 45 / 6); // 1 * 1 + 2 * 2 + ... + 22 * 22
        EXPECT_EQ(second, first);
        EXPECT_EQ(image, 42u);
        EXPECT_EQ(said, "");
        clblasTeardown();
        EXPECT_EQ(dgemm(), clblasNotInitialized); // says the real one
    } else {
        EXPECT_EQ(first, clblasNotImplemented);
        EXPECT_EQ(second, clblasNotImplemented);
        EXPECT_EQ(image, 0u);
        EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said; // one for each routine
        EXPECT_NE(said.find("clblasDgemm"), std::string::npos) << said;
        EXPECT_NE(said.find("CLGEMM_REAL_CLBLAS"), std::string::npos) << said;
    }
}

} // namespace
