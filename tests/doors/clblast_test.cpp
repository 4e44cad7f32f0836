// A program that calls CLBlast in C and in C++, written against CLBlast's own headers, run in each way in which
// libclgemm_clblast can take CLBlast's place: linked instead of it, loaded before it, and under its soname.
#include "door_test.hpp"

#include <clblast.h>
#include <clblast_c.h>

#include <algorithm>
#include <functional>

using namespace clgemm::test;

namespace {

// The arguments of a call to CLBlastSgemm().
struct Call {
    Call(const CaseOnDevice& on_device, const cl::CommandQueue& its_queue)
        : layout(static_cast<CLBlastLayout>(on_device.x.layout)),
          trans_a(static_cast<CLBlastTranspose>(on_device.x.trans_a)),
          trans_b(static_cast<CLBlastTranspose>(on_device.x.trans_b)), m(on_device.x.m), n(on_device.x.n), k(on_device.x.k),
          alpha(on_device.x.alpha), beta(on_device.x.beta), a(on_device.a()), b(on_device.b()), c(on_device.c()),
          off_a(on_device.before.a.offset), off_b(on_device.before.b.offset), off_c(on_device.before.c.offset),
          lda(on_device.before.a.ld), ldb(on_device.before.b.ld), ldc(on_device.before.c.ld), queue(its_queue())
    {
    }

    CLBlastStatusCode run(cl_event* event = nullptr)
    {
        return CLBlastSgemm(layout, trans_a, trans_b, m, n, k, alpha, a, off_a, lda, b, off_b, ldb, beta, c, off_c, ldc,
                            queue_pointer, event);
    }

    CLBlastStatusCode run_with(cl_mem temporary)
    {
        return CLBlastSgemmWithTempBuffer(layout, trans_a, trans_b, m, n, k, alpha, a, off_a, lda, b, off_b, ldb, beta, c,
                                          off_c, ldc, queue_pointer, nullptr, temporary);
    }

    clblast::StatusCode run_in_cpp(cl_event* event = nullptr, cl_mem temporary = nullptr)
    {
        return clblast::Gemm(static_cast<clblast::Layout>(layout), static_cast<clblast::Transpose>(trans_a),
                             static_cast<clblast::Transpose>(trans_b), m, n, k, alpha, a, off_a, lda, b, off_b, ldb, beta, c,
                             off_c, ldc, queue_pointer, event, temporary);
    }

    std::size_t temporary_size()
    {
        std::size_t in_c = 1, in_cpp = 2;
        EXPECT_EQ(CLBlastSGemmTempBufferSize(layout, trans_a, trans_b, m, n, k, off_a, lda, off_b, ldb, off_c, ldc,
                                             queue_pointer, &in_c),
                  CLBlastSuccess);
        EXPECT_EQ(clblast::GemmTempBufferSize<float>(static_cast<clblast::Layout>(layout),
                                                     static_cast<clblast::Transpose>(trans_a),
                                                     static_cast<clblast::Transpose>(trans_b), m, n, k, off_a, lda, off_b,
                                                     ldb, off_c, ldc, queue_pointer, in_cpp),
                  clblast::StatusCode::kSuccess);
        EXPECT_EQ(in_c, in_cpp);
        return in_c;
    }

    CLBlastLayout layout;
    CLBlastTranspose trans_a, trans_b;
    std::size_t m, n, k;
    float alpha, beta;
    cl_mem a, b, c;
    std::size_t off_a, off_b, off_c, lda, ldb, ldc;
    cl_command_queue queue;
    cl_command_queue* queue_pointer = &queue;
};

class Clblast : public testing::Test {
protected:
    const TestDevice& on = test_device();
    const SgemmCase some{CLGEMM_ROW_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 67, 35, 21, 2, 0.5f, {1, 2, 3}, {3, 1, 5}};
};

TEST_F(Clblast, IsTheDoor)
{
    for (const char* const symbol :
         {"CLBlastSgemm", "CLBlastSgemmWithTempBuffer", "CLBlastSGemmTempBufferSize", "CLBlastClearCache", "CLBlastSaxpy",
          "_ZN7clblast4GemmIfEENS_10StatusCodeENS_6LayoutENS_9TransposeES3_mmmT_P7_cl_memmmS6_mmS4_S6_mmPP17_cl_command_"
          "queuePP9_cl_eventS6_"})
        EXPECT_TRUE(is_from_door(symbol)) << symbol;
}

TEST_F(Clblast, ComputesWhatTheTripleLoopDoes)
{
    for (const SgemmCase& x : door_cases()) {
        const CaseOnDevice in_c(x), in_cpp(x);
        ASSERT_EQ(Call(in_c, on.in_order).run(), CLBlastSuccess) << x;
        ASSERT_TRUE(in_c.is_right(on.in_order));
        ASSERT_EQ(Call(in_cpp, on.in_order).run_in_cpp(), clblast::StatusCode::kSuccess) << x;
        ASSERT_TRUE(in_cpp.is_right(on.in_order));
    }
}

TEST_F(Clblast, TakesTheTemporaryBufferThatItAskedFor)
{
    for (SgemmCase x : door_cases())
        for (const float alpha : {x.alpha, 0.0f})
            for (const float beta : {x.beta, 0.0f}) {
                x.alpha = alpha;
                x.beta = beta;
                const CaseOnDevice in_c(x), in_cpp(x);
                const std::size_t size = Call(in_c, on.in_order).temporary_size();
                const cl::Buffer temporary(on.context, CL_MEM_READ_WRITE, std::max<std::size_t>(1, size));
                ASSERT_EQ(Call(in_c, on.in_order).run_with(temporary()), CLBlastSuccess) << x;
                ASSERT_EQ(Call(in_cpp, on.in_order).run_in_cpp(nullptr, temporary()), clblast::StatusCode::kSuccess) << x;
                ASSERT_TRUE(in_c.is_right(on.in_order));
                ASSERT_TRUE(in_cpp.is_right(on.in_order));
            }
}

TEST_F(Clblast, RefusesATemporaryBufferThatIsTooSmall)
{
    const CaseOnDevice on_device(some);
    Call call(on_device, on.in_order);
    if (call.temporary_size() == 0)
        GTEST_SKIP() << "the kernel that clgemm chooses here needs none";
    const cl::Buffer tiny(on.context, CL_MEM_READ_WRITE, 1);
    EXPECT_EQ(call.run_with(tiny()), CLBlastInsufficientMemoryTemp);
    EXPECT_TRUE(on_device.read(on.in_order).c.same_bits(on_device.before.c));
}

TEST_F(Clblast, FindsTheFirstWrongArgumentInItsOrder)
{
    const CaseOnDevice on_device(some);
    Call call(on_device, on.in_order);
    const cl::Buffer tiny(on.context, CL_MEM_READ_WRITE, sizeof(float));
    // From the last one to be found to the first, each in addition to those before it.
    struct Mistake {
        const char* what;
        CLBlastStatusCode status;
        std::function<void()> make;
    };
    const Mistake mistakes[] = {
        {"C too small", CLBlastInsufficientMemoryC, [&] { call.c = tiny(); }},
        {"C null", CLBlastInvalidMatrixC, [&] { call.c = nullptr; }},
        {"ldc too small", CLBlastInvalidLeadDimC, [&] { call.ldc = some.n - 1; }},
        {"B too small", CLBlastInsufficientMemoryB, [&] { call.off_b = SIZE_MAX; }},
        {"B null", CLBlastInvalidMatrixB, [&] { call.b = nullptr; }},
        {"ldb 0", CLBlastInvalidLeadDimB, [&] { call.ldb = 0; }},
        {"A too small", CLBlastInsufficientMemoryA, [&] { call.lda = std::size_t{1} << 32; }},
        {"A null", CLBlastInvalidMatrixA, [&] { call.a = nullptr; }},
        {"lda too small", CLBlastInvalidLeadDimA, [&] { call.lda = some.m - 1; }},
        {"k 0", CLBlastInvalidDimension, [&] { call.k = 0; }},
        {"n 0", CLBlastInvalidDimension, [&] { call.n = 0; }},
        {"m 0", CLBlastInvalidDimension, [&] { call.m = 0; }},
        {"no transpose", CLBlastInvalidValue, [&] { call.trans_b = static_cast<CLBlastTranspose>(114); }},
        {"a null queue", CLBlastInvalidCommandQueue, [&] { call.queue = nullptr; }},
        {"no queue", CLBlastInvalidCommandQueue, [&] { call.queue_pointer = nullptr; }},
    };
    auto* const nobodys = reinterpret_cast<cl_event>(1);
    cl_event event = nobodys;
    for (const auto& mistake : mistakes) {
        mistake.make();
        EXPECT_EQ(call.run(&event), mistake.status) << mistake.what;
        EXPECT_EQ(static_cast<int>(call.run_in_cpp(&event)), mistake.status) << mistake.what;
        EXPECT_EQ(event, nobodys) << mistake.what;
    }
    EXPECT_TRUE(on_device.read(on.in_order).c.same_bits(on_device.before.c));
}

TEST_F(Clblast, TheEventCoversTheWholeOperation)
{
    const cl::CommandQueue reader(on.context, on.device);
    for (const auto& queue : {on.in_order, on.out_of_order}) {
        const CaseOnDevice on_device(some);
        cl::UserEvent gate(on.context);
        const std::vector<cl::Event> held_back{gate};
        queue.enqueueBarrierWithWaitList(&held_back);
        cl::Event done;
        ASSERT_EQ(Call(on_device, queue).run(&done()), CLBlastSuccess);
        queue.flush();
        let_others_run();
        EXPECT_GT(status_of(done), CL_COMPLETE);
        EXPECT_TRUE(on_device.read(reader).c.same_bits(on_device.before.c));
        gate.setStatus(CL_COMPLETE);
        done.wait();
        EXPECT_TRUE(on_device.is_right(reader));
    }
}

// Products of a batch in C and C++, on a queue out of order, against one product after another.
class ClblastBatches : public Clblast {
protected:
    static constexpr std::size_t n = 13, count = 3, stride = n * n + 5;

    ClblastBatches()
    {
        std::mt19937 random(1);
        std::uniform_real_distribution<float> numbers(-1, 1);
        for (auto* const matrices : {&a, &b, &c})
            for (auto& element : *matrices)
                element = numbers(random);
    }

    // Has the door compute a batch, and compares with the triple loop.
    void expect_right(const float* alphas, const float* betas,
                      const std::function<int(cl_mem, cl_mem, cl_mem, cl_command_queue*, cl_event*)>& compute)
    {
        const auto upload = [&](std::vector<float>& elements) {
            return cl::Buffer(on.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, elements.size() * sizeof(float),
                              elements.data());
        };
        const cl::Buffer buffer_a = upload(a), buffer_b = upload(b), buffer_c = upload(c);
        cl_command_queue queue = on.out_of_order();
        cl::Event done;
        ASSERT_EQ(compute(buffer_a(), buffer_b(), buffer_c(), &queue, &done()), CLBlastSuccess);
        done.wait();
        std::vector<float> result(c.size());
        on.in_order.enqueueReadBuffer(buffer_c, CL_TRUE, 0, result.size() * sizeof(float), result.data());
        for (std::size_t p = 0; p < count; p++)
            for (std::size_t i = 0; i < n; i++)
                for (std::size_t j = 0; j < n; j++) {
                    const auto exact =
                        clgemm::reference::element(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, i, j, n, alphas[p],
                                                   &a[p * stride], n, &b[p * stride], n, betas[p], &c[p * stride], n);
                    ASSERT_TRUE(clgemm::reference::is_right(result[p * stride + i * n + j], exact, n))
                        << p << " " << i << " " << j;
                }
    }

    std::vector<float> a = std::vector<float>(count * stride), b = a, c = a;
};

TEST_F(ClblastBatches, WithOffsets)
{
    const std::size_t offsets[count] = {0, stride, 2 * stride};
    const float alphas[count] = {1, 0.5f, -2}, betas[count] = {0, 1, -0.5f};
    expect_right(alphas, betas, [&](cl_mem x, cl_mem y, cl_mem z, cl_command_queue* queue, cl_event* event) {
        return CLBlastSgemmBatched(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, n, n, n, alphas, x,
                                   offsets, n, y, offsets, n, betas, z, offsets, n, count, queue, event);
    });
    expect_right(alphas, betas, [&](cl_mem x, cl_mem y, cl_mem z, cl_command_queue* queue, cl_event* event) {
        return static_cast<int>(clblast::GemmBatched(clblast::Layout::kRowMajor, clblast::Transpose::kNo,
                                                     clblast::Transpose::kYes, n, n, n, alphas, x, offsets, n, y, offsets, n,
                                                     betas, z, offsets, n, count, queue, event));
    });
}

TEST_F(ClblastBatches, WithStrides)
{
    const float alphas[count] = {3, 3, 3}, betas[count] = {-1, -1, -1};
    expect_right(alphas, betas, [&](cl_mem x, cl_mem y, cl_mem z, cl_command_queue* queue, cl_event* event) {
        return CLBlastSgemmStridedBatched(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, n, n, n, 3, x, 0,
                                          n, stride, y, 0, n, stride, -1, z, 0, n, stride, count, queue, event);
    });
    expect_right(alphas, betas, [&](cl_mem x, cl_mem y, cl_mem z, cl_command_queue* queue, cl_event* event) {
        return static_cast<int>(clblast::GemmStridedBatched(clblast::Layout::kRowMajor, clblast::Transpose::kNo,
                                                            clblast::Transpose::kYes, n, n, n, 3.0f, x, 0, n, stride, y, 0,
                                                            n, stride, -1.0f, z, 0, n, stride, count, queue, event));
    });
}

TEST_F(ClblastBatches, WithoutAnyProductOrThatDoNotFit)
{
    const cl::Buffer buffer(on.context, CL_MEM_READ_WRITE, stride * sizeof(float));
    cl_command_queue queue = on.in_order();
    const auto compute = [&](std::size_t products) {
        return CLBlastSgemmStridedBatched(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, n, n, n, 3,
                                          buffer(), 0, n, 0, buffer(), 0, n, stride, -1, buffer(), 0, n, stride, products,
                                          &queue, nullptr);
    };
    EXPECT_EQ(compute(0), CLBlastInvalidBatchCount);
    EXPECT_EQ(compute(2), CLBlastInsufficientMemoryB);
    EXPECT_EQ(compute(SIZE_MAX), CLBlastInsufficientMemoryB) << "more than can be counted";
    const std::size_t offsets[] = {0, 0}, beyond[] = {0, 6};
    const float ones[] = {1, 1};
    EXPECT_EQ(CLBlastSgemmBatched(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, n, n, n, ones, buffer(),
                                  beyond, n, buffer(), offsets, n, ones, buffer(), offsets, n, 2, &queue, nullptr),
              CLBlastInsufficientMemoryA);
}

// Before the matrices are looked at, and also where there is one product alone, which nothing could overwrite.
TEST_F(ClblastBatches, MustHaveMatricesCThatLieApart)
{
    const cl::Buffer buffer(on.context, CL_MEM_READ_WRITE, stride * sizeof(float));
    cl_command_queue queue = on.in_order();
    const auto compute = [&](std::size_t lda, std::size_t products) {
        return CLBlastSgemmStridedBatched(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, n, n, n, 3,
                                          buffer(), 0, lda, 0, buffer(), 0, n, 0, 0, buffer(), 0, n, 0, products, &queue,
                                          nullptr);
    };
    EXPECT_EQ(compute(n, 0), CLBlastInvalidBatchCount);
    EXPECT_EQ(compute(n, 1), CLBlastInvalidDimension);
    EXPECT_EQ(compute(n, 2), CLBlastInvalidDimension);
    EXPECT_EQ(compute(1, 2), CLBlastInvalidDimension);
}

// Not one of the real library's, which would print nothing for it.
TEST_F(ClblastBatches, AreComputedByClgemm)
{
    const cl::Buffer buffer(on.context, CL_MEM_READ_WRITE, 2 * stride * sizeof(float)),
        result(on.context, CL_MEM_READ_WRITE, 2 * stride * sizeof(float));
    cl_command_queue queue = on.in_order();
    testing::internal::CaptureStderr();
    EXPECT_EQ(CLBlastSgemmStridedBatched(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, n, n, n, 3,
                                         buffer(), 0, n, 0, buffer(), 0, n, 0, 0, result(), 0, n, n, 2, &queue, nullptr),
              CL_INVALID_OPERATION);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("distC is 13"), std::string::npos);
}

TEST_F(Clblast, ClearedCachesFillAgain)
{
    const CaseOnDevice on_device(some);
    EXPECT_EQ(CLBlastClearCache(), CLBlastSuccess);
    EXPECT_EQ(clblast::ClearCache(), clblast::StatusCode::kSuccess);
    if (!has_real_library()) { // the real one compiles all its kernels, for minutes
        EXPECT_EQ(CLBlastFillCache(on.device()), CLBlastSuccess);
    }
    EXPECT_EQ(Call(on_device, on.in_order).run(), CLBlastSuccess);
    EXPECT_TRUE(on_device.is_right(on.in_order));
}

TEST_F(Clblast, OtherRoutinesReachTheRealOneOrSayThatThereIsNone)
{
    std::vector<float> x{1, 2, 3}, y{10, 20, 30};
    const cl::Buffer buffer_x(on.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 3 * sizeof(float), x.data());
    const cl::Buffer buffer_y(on.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 3 * sizeof(float), y.data());
    cl_command_queue queue = on.in_order();
    testing::internal::CaptureStderr();
    const int in_c = CLBlastSaxpy(3, 2, buffer_x(), 0, 1, buffer_y(), 0, 1, &queue, nullptr);
    const auto in_cpp = clblast::Axpy(3, 4.0f, buffer_x(), 0, 1, buffer_y(), 0, 1, &queue);
    const int again = CLBlastSaxpy(3, 1, buffer_x(), 0, 1, buffer_y(), 0, 1, &queue, nullptr);
    const std::string said = testing::internal::GetCapturedStderr();
    on.in_order.enqueueReadBuffer(buffer_y, CL_TRUE, 0, 3 * sizeof(float), y.data());
    if (has_real_library()) {
        EXPECT_EQ(in_c, CLBlastSuccess);
        EXPECT_EQ(in_cpp, clblast::StatusCode::kSuccess);
        EXPECT_EQ(again, CLBlastSuccess);
        EXPECT_EQ(y, (std::vector<float>{17, 34, 51}));
        EXPECT_EQ(said, "");
    } else {
        EXPECT_EQ(in_c, CLBlastNotImplemented);
        EXPECT_EQ(in_cpp, clblast::StatusCode::kNotImplemented);
        EXPECT_EQ(again, CLBlastNotImplemented);
        EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said; // one for each routine
        EXPECT_NE(said.find("CLBlastSaxpy"), std::string::npos) << said;
        EXPECT_NE(said.find("clblast::Axpy<float>"), std::string::npos) << said;
        EXPECT_NE(said.find("CLGEMM_REAL_CLBLAST"), std::string::npos) << said;
    }
}

} // namespace
