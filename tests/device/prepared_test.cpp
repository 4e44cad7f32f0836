// Prepared operands: every kernel gives the bits that it gives without, any sizes may follow, and what is kept lives as long
// as anybody needs it.
#include "engine/prepared_call.hpp"
#include "execute/execution.hpp"
#include "families/registry.hpp"
#include "select/plan_of.hpp"
#include "support/case_on_device.hpp"
#include "support/failing_opencl.hpp"
#include "support/kept_operand.hpp"
#include "support/one_pocl_worker.hpp"
#include "support/with_selection.hpp"

#include "clgemm/clgemm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// An operand of the case, for products like it.
clgemm_status prepare(const CaseOnDevice& on, clgemm_operand operand, const cl::CommandQueue& queue,
                      clgemm_prepared* prepared, const std::vector<cl_event>& wait_for = {}, cl_event* read = nullptr,
                      bool without_sizes = false)
{
    const SgemmCase& x = on.x;
    const bool is_a = operand == CLGEMM_OPERAND_A;
    const GuardedMatrix& matrix = is_a ? on.before.a : on.before.b;
    return clgemm_prepare(x.layout, operand, is_a ? x.trans_a : x.trans_b, !is_a && without_sizes ? 0 : x.m,
                          is_a && without_sizes ? 0 : x.n, x.k, is_a ? on.a() : on.b(), matrix.offset, matrix.ld, queue(),
                          static_cast<cl_uint>(wait_for.size()), wait_for.empty() ? nullptr : wait_for.data(), read, nullptr,
                          prepared);
}

// The call with these operands in place of the buffers.
clgemm_status multiply(const CaseOnDevice& on, const cl::CommandQueue& queue, clgemm_prepared a, clgemm_prepared b,
                       const char* kernel = nullptr)
{
    const SgemmCase& x = on.x;
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = kernel;
    return clgemm_sgemm_prepared(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, a ? nullptr : on.a(),
                                 a ? 0 : on.before.a.offset, a ? 0 : on.before.a.ld, a, b ? nullptr : on.b(),
                                 b ? 0 : on.before.b.offset, b ? 0 : on.before.b.ld, b, x.beta, on.c(), on.before.c.offset,
                                 on.before.c.ld, queue(), 0, nullptr, nullptr, &options);
}

std::string explanation(const CaseOnDevice& on, clgemm_prepared a, clgemm_prepared b)
{
    const SgemmCase& x = on.x;
    char text[4096];
    EXPECT_EQ(clgemm_sgemm_prepared_explain(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, on.before.a.offset,
                                            on.before.a.ld, a, on.before.b.offset, on.before.b.ld, b, x.beta,
                                            on.before.c.offset, on.before.c.ld, nullptr, text, sizeof text, nullptr),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    return text;
}

const cl::CommandQueue& queue()
{
    return test_device().in_order;
}

void restore_c(const CaseOnDevice& on)
{
    queue().enqueueWriteBuffer(on.c, CL_TRUE, 0, on.before.c.bytes(), on.before.c.elements.data());
}

// Wide enough that every family has something to make; nothing is whole.
const SgemmCase uneven{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 61, 75, 90, 1.5f, -0.5f, {1, 2, 3}, {5, 3, 1}};

class OfKernel : public testing::TestWithParam<const char*> {};

} // namespace

// One plan with images and one without, by the same kernel in the same size and way.
TEST_P(OfKernel, HasTheBitsOfTheUnpreparedCallInEveryWay)
{
    const KernelInfo& kernel = *find_kernel(GetParam());
    const auto state = device_state(test_device().context(), test_device().device());
    const Variant variant = variants_for(kernel, test_profile()).front();
    for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
        for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
            SgemmCase x = uneven;
            x.trans_a = trans_a;
            x.trans_b = trans_b;
            const CaseOnDevice plain(x);
            const Problem problem = problem_of(x, plain.before);
            auto ways = kernel.family->ways(problem, test_profile(), variant);
            ways.insert(ways.begin(), Way{});
            if (ways.size() > 4)
                ways.resize(4);
            for (const Way& way : ways) {
                const Selection selection = tested(kernel, variant.parameters, way);
                ASSERT_EQ(with_selection(selection)(x, plain.before, plain.a(), plain.b(), plain.c()), CLGEMM_SUCCESS);
                const Operands expected = plain.read(queue());
                restore_c(plain);
                for (const auto& [a, b] : {std::pair{true, false}, {false, true}, {true, true}}) {
                    SCOPED_TRACE(testing::Message() << x << ", form " << way.form << (a ? ", A" : "") << (b ? ", B" : ""));
                    PreparedOperands operands;
                    const Submission submission(queue(), true);
                    const auto copied = [&](const Matrix& matrix, cl_mem from) {
                        auto result = std::make_shared<PreparedOperand>(*state, matrix, 1);
                        result->enqueue_copy(from, *state, submission);
                        return result;
                    };
                    if (a)
                        operands.a = copied(problem.a, plain.a());
                    if (b)
                        operands.b = copied(problem.b, plain.b());
                    const Problem kept = problem_with({x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha,
                                                       plain.before.a.offset, plain.before.a.ld, plain.before.b.offset,
                                                       plain.before.b.ld, x.beta, plain.before.c.offset, plain.before.c.ld},
                                                      operands);
                    const ReadyPlan plan = ready(plan_of(kept, test_profile(), selection.variant, way), state->programs);
                    Buffers buffers{plain.a(), plain.b(), plain.c()};
                    PreparedForCall prepared(operands, *state, submission);
                    prepared.add_copies(buffers);
                    prepared.add_images(plan.plan, buffers);
                    execute(plan, state->workspaces, buffers, prepared.after_making(submission));
                    EXPECT_TRUE(plain.read(queue()).c.same_bits(expected.c));
                    restore_c(plain);
                }
            }
        }
}

TEST_P(OfKernel, IsRightInEveryLayoutThroughTheApi)
{
    for (const auto layout : {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR})
        for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
                for (const auto& [a, b] : {std::pair{true, false}, {false, true}, {true, true}}) {
                    SgemmCase x = uneven;
                    x.layout = layout;
                    x.trans_a = trans_a;
                    x.trans_b = trans_b;
                    const CaseOnDevice on(x);
                    KeptOperand first, second;
                    if (a) {
                        ASSERT_EQ(prepare(on, CLGEMM_OPERAND_A, queue(), &first.handle), CLGEMM_SUCCESS);
                    }
                    if (b) {
                        ASSERT_EQ(prepare(on, CLGEMM_OPERAND_B, queue(), &second.handle), CLGEMM_SUCCESS);
                    }
                    ASSERT_EQ(multiply(on, queue(), first.handle, second.handle, GetParam()), CLGEMM_SUCCESS)
                        << clgemm_last_error();
                    EXPECT_TRUE(on.is_right(queue())) << x;
                }
}

INSTANTIATE_TEST_SUITE_P(Prepared, OfKernel, testing::ValuesIn(kernels_here()), name_of_kernel);

TEST(Prepared, ServesEveryMAndKeepsWhatItMakes)
{
    SgemmCase x{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 64, 200, 300, 1, 0, {}, {}};
    const CaseOnDevice first(x);
    KeptOperand weights;
    ASSERT_EQ(prepare(first, CLGEMM_OPERAND_B, queue(), &weights.handle, {}, nullptr, true), CLGEMM_SUCCESS);
    EXPECT_NE(explanation(first, nullptr, weights.handle).find("prepared B: 300 x 200, as it is, "), std::string::npos);
    for (const char* kernel : {"cpu_packed", "13", "1"})
        for (const std::size_t m : {64U, 1U, 7U, 333U}) {
            x.m = m;
            CaseOnDevice on(x);
            on.b = first.b;
            on.before.b = first.before.b;
            for (int again = 0; again < 2; again++) {
                ASSERT_EQ(multiply(on, queue(), nullptr, weights.handle, kernel), CLGEMM_SUCCESS) << clgemm_last_error();
                EXPECT_TRUE(on.is_right(queue())) << kernel << ", " << m;
            }
        }
}

TEST(Prepared, SaysWhatItKeepsAndHowManyBytes)
{
    const CaseOnDevice on({CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 64, 96, 128, 1, 0, {}, {}});
    KeptOperand weights;
    ASSERT_EQ(prepare(on, CLGEMM_OPERAND_B, queue(), &weights.handle, {}, nullptr, true), CLGEMM_SUCCESS);
    EXPECT_NE(explanation(on, nullptr, weights.handle)
                  .find("prepared B: 128 x 96, as it is, " + std::to_string(128 * 96 * 4) + " bytes; " +
                        std::to_string(128 * 96 * 4) + " bytes in all\n"),
              std::string::npos)
        << explanation(on, nullptr, weights.handle);
    if (!runs_here("cpu_packed"))
        return;
    for (int again = 0; again < 2; again++)
        ASSERT_EQ(multiply(on, queue(), nullptr, weights.handle, "cpu_packed"), CLGEMM_SUCCESS);
    const std::string with_image = explanation(on, nullptr, weights.handle);
    const auto image = with_image.find("; pack B (cpu_packed.cl), ");
    EXPECT_NE(image, std::string::npos) << with_image;
    EXPECT_EQ(with_image.find("; pack B (cpu_packed.cl), ", image + 1), std::string::npos) << "it is made once";
}

// However many kernels it has served.
TEST(Prepared, KeepsFourImagesAtMost)
{
    const CaseOnDevice on(uneven);
    KeptOperand weights;
    ASSERT_EQ(prepare(on, CLGEMM_OPERAND_B, queue(), &weights.handle), CLGEMM_SUCCESS);
    std::size_t most = 0;
    for (const char* kernel : kernels_here()) {
        restore_c(on);
        ASSERT_EQ(multiply(on, queue(), nullptr, weights.handle, kernel), CLGEMM_SUCCESS) << clgemm_last_error();
        EXPECT_TRUE(on.is_right(queue())) << kernel;
        const std::string all = explanation(on, nullptr, weights.handle);
        std::size_t images = 0;
        for (auto at = all.find(".cl), "); at != std::string::npos; at = all.find(".cl), ", at + 1))
            images++;
        EXPECT_LE(images, 4u) << all;
        most = std::max(most, images);
    }
    EXPECT_EQ(most, 4u);
}

TEST(Prepared, IsAAndBInCallsOfEitherLayout)
{
    const CaseOnDevice as_b({CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 20, 40, 30, 1, 0, {}, {}});
    KeptOperand matrix; // op(X) is 30 x 40, and X is stored as 40 rows of 30
    ASSERT_EQ(prepare(as_b, CLGEMM_OPERAND_B, queue(), &matrix.handle), CLGEMM_SUCCESS);
    // The same memory, column-major, is 30 x 40 and not transposed.
    CaseOnDevice as_a({CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 30, 50, 40, 1, 0, {}, {}});
    as_a.a = as_b.b;
    as_a.before.a.elements = as_b.before.b.elements;
    for (const char* kernel : {static_cast<const char*>(nullptr), "6", "13"}) {
        ASSERT_EQ(multiply(as_b, queue(), nullptr, matrix.handle, kernel), CLGEMM_SUCCESS) << clgemm_last_error();
        EXPECT_TRUE(as_b.is_right(queue()));
        ASSERT_EQ(multiply(as_a, queue(), matrix.handle, nullptr, kernel), CLGEMM_SUCCESS) << clgemm_last_error();
        EXPECT_TRUE(as_a.is_right(queue()));
    }
}

// Its contents are those of the matrix when it was prepared.
TEST(Prepared, TheCallersMatrixMayChangeOnceItIsRead)
{
    const CaseOnDevice on(uneven);
    KeptOperand weights;
    cl_event event = nullptr;
    ASSERT_EQ(prepare(on, CLGEMM_OPERAND_B, test_device().out_of_order, &weights.handle, {}, &event), CLGEMM_SUCCESS);
    const cl::Event read(event);
    read.wait();
    queue().enqueueFillBuffer(on.b, 0.25f, 0, on.before.b.bytes());
    queue().finish();
    ASSERT_EQ(multiply(on, queue(), nullptr, weights.handle), CLGEMM_SUCCESS);
    queue().enqueueWriteBuffer(on.b, CL_TRUE, 0, on.before.b.bytes(), on.before.b.elements.data());
    EXPECT_TRUE(on.is_right(queue()));
}

// Whoever uses it on another queue waits for it by itself, and whoever releases it need not wait.
TEST(Prepared, OtherQueuesWaitForItAndItMayBeReleasedMeanwhile)
{
    const auto& test = test_device();
    const CaseOnDevice on(uneven);
    const cl::CommandQueue first(test.context, test.device), second(test.context, test.device);
    cl::UserEvent begin(test.context);
    clgemm_prepared a = nullptr, b = nullptr;
    ASSERT_EQ(prepare(on, CLGEMM_OPERAND_A, first, &a, {begin()}), CLGEMM_SUCCESS) << clgemm_last_error();
    ASSERT_EQ(prepare(on, CLGEMM_OPERAND_B, test.out_of_order, &b, {begin()}), CLGEMM_SUCCESS);
    ASSERT_EQ(multiply(on, second, a, b), CLGEMM_SUCCESS) << clgemm_last_error();
    second.flush();
    EXPECT_EQ(clgemm_release_prepared(a), CLGEMM_SUCCESS);
    EXPECT_EQ(clgemm_release_prepared(b), CLGEMM_SUCCESS);
    begin.setStatus(CL_COMPLETE);
    second.finish();
    EXPECT_TRUE(on.is_right(second));
}

TEST(Prepared, SurvivesATeardown)
{
    const CaseOnDevice on(uneven);
    KeptOperand weights;
    ASSERT_EQ(prepare(on, CLGEMM_OPERAND_B, queue(), &weights.handle), CLGEMM_SUCCESS);
    clgemm_teardown(test_device().context());
    ASSERT_EQ(multiply(on, queue(), nullptr, weights.handle), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_TRUE(on.is_right(queue()));
}

TEST(Prepared, ThreadsShareOne)
{
    const CaseOnDevice first(uneven);
    KeptOperand weights;
    ASSERT_EQ(prepare(first, CLGEMM_OPERAND_B, queue(), &weights.handle, {}, nullptr, true), CLGEMM_SUCCESS);
    std::vector<std::thread> threads;
    std::vector<std::string> wrong(4);
    for (std::string& result : wrong)
        threads.emplace_back([&] {
            const cl::CommandQueue own(test_device().context, test_device().device);
            for (const char* kernel : {"cpu_packed", "13", "6"}) {
                const CaseOnDevice on(uneven, first.before);
                if (runs_here(kernel) && multiply(on, own, nullptr, weights.handle, kernel) != CLGEMM_SUCCESS)
                    result = clgemm_last_error();
                const auto is_right = !runs_here(kernel) ? testing::AssertionSuccess() : on.is_right(own);
                if (!is_right)
                    result = is_right.message();
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(wrong, std::vector<std::string>(4));
}

TEST(Prepared, NothingToMultiplyIsTakenAsItIs)
{
    SgemmCase x = uneven;
    x.k = 0;
    const CaseOnDevice empty(x);
    KeptOperand a, b;
    ASSERT_EQ(prepare(empty, CLGEMM_OPERAND_A, queue(), &a.handle), CLGEMM_SUCCESS) << clgemm_last_error();
    ASSERT_EQ(multiply(empty, queue(), a.handle, nullptr), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_TRUE(empty.is_right(queue()));
    x = uneven;
    x.alpha = 0;
    const CaseOnDevice scaled(x);
    ASSERT_EQ(prepare(scaled, CLGEMM_OPERAND_B, queue(), &b.handle), CLGEMM_SUCCESS);
    ASSERT_EQ(multiply(scaled, queue(), nullptr, b.handle), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_TRUE(scaled.is_right(queue()));
}

// The copy serves every kernel, so the call goes on without the image.
TEST(Prepared, WithoutMemoryForAnImageTheCallIsMadeWithoutIt)
{
    for (const char* kernel : {static_cast<const char*>(nullptr), "cpu_packed", "6"}) {
        if (kernel && !runs_here(kernel))
            continue;
        const CaseOnDevice on(uneven);
        KeptOperand weights;
        ASSERT_EQ(prepare(on, CLGEMM_OPERAND_B, queue(), &weights.handle, {}, nullptr, true), CLGEMM_SUCCESS);
        ASSERT_EQ(on.call(queue(), kernel), CLGEMM_SUCCESS) << "so that all temporaries are there";
        restore_c(on);
        fail_opencl({.function = "clCreateBuffer", .last = Failure::for_ever, .code = CL_MEM_OBJECT_ALLOCATION_FAILURE});
        const clgemm_status status = multiply(on, queue(), nullptr, weights.handle, kernel);
        stop_failing_opencl();
        ASSERT_EQ(status, CLGEMM_SUCCESS) << (kernel ? kernel : "") << ": " << clgemm_last_error();
        EXPECT_TRUE(on.is_right(queue()));
    }
}

// Preparing and multiplying either work or fail as a whole, whichever of OpenCL's functions fails in between.
TEST(Prepared, AnyCallOfOpenClMayFail)
{
    const CaseOnDevice on(uneven);
    const auto living = [] {
        queue().finish();
        clgemm_teardown(nullptr);
        return living_opencl_objects();
    };
    const auto before = living();
    long failures = 0, nth = 0;
    for (std::string caught = "something"; !caught.empty();) {
        restore_c(on);
        KeptOperand weights;
        nth++;
        fail_opencl({.function = "", .first = nth, .last = nth});
        clgemm_status status = prepare(on, CLGEMM_OPERAND_B, queue(), &weights.handle);
        EXPECT_EQ(status == CLGEMM_SUCCESS, weights.handle != nullptr);
        if (status == CLGEMM_SUCCESS)
            status = multiply(on, queue(), nullptr, weights.handle, "6");
        caught = stop_failing_opencl().caught;
        if (status == CLGEMM_SUCCESS) {
            EXPECT_TRUE(on.is_right(queue())) << nth << ", " << caught;
        } else {
            EXPECT_FALSE(caught.empty()) << clgemm_last_error();
            EXPECT_TRUE(on.read(queue()).c.same_bits(on.before.c)) << nth << ", " << caught;
            failures++;
        }
    }
    EXPECT_GT(failures, 5);
    EXPECT_EQ(living(), before);
}

TEST(Prepared, LeavesNothingBehind)
{
    const auto living = [] {
        queue().finish();
        clgemm_teardown(nullptr);
        return living_opencl_objects()["buffer"];
    };
    const CaseOnDevice on(uneven);
    const long before = living();
    {
        KeptOperand a, b;
        ASSERT_EQ(prepare(on, CLGEMM_OPERAND_A, queue(), &a.handle), CLGEMM_SUCCESS);
        ASSERT_EQ(prepare(on, CLGEMM_OPERAND_B, queue(), &b.handle), CLGEMM_SUCCESS);
        ASSERT_EQ(multiply(on, queue(), a.handle, b.handle), CLGEMM_SUCCESS);
        EXPECT_GT(living(), before);
    }
    EXPECT_EQ(living(), before);
}

TEST(Prepared, TheCppWrapperMultipliesAndReleases)
{
    const SgemmCase x{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 30, 20, 40, 1.5f, 0.5f, {}, {}};
    const CaseOnDevice on(x);
    const auto layout = clgemm::Layout::row_major;
    clgemm_prepared handle = nullptr;
    {
        cl::Event read;
        clgemm::Prepared made(layout, clgemm::Operand::b, clgemm::Transpose::yes, x.m, x.n, x.k, on.b, 0, on.before.b.ld,
                              queue(), nullptr, &read);
        read.wait();
        const clgemm::Prepared weights = std::move(made);
        handle = weights();
        const clgemm::Factor a(on.a, 0, on.before.a.ld), b(weights);
        cl::Event done;
        clgemm::sgemm(layout, x.m, x.n, x.k, x.alpha, a, b, x.beta, on.c, 0, on.before.c.ld, queue(), nullptr, &done);
        done.wait();
        EXPECT_TRUE(on.is_right(queue()));
        EXPECT_EQ(clgemm::explain(layout, x.m, x.n, x.k, x.alpha, a, b, x.beta, 0, on.before.c.ld),
                  explanation(on, nullptr, handle));
        const std::size_t bytes = clgemm::workspace_size(layout, x.m, x.n, x.k, x.alpha, a, b, x.beta, 0, on.before.c.ld);
        EXPECT_LT(bytes, std::size_t{1} << 20);
        EXPECT_THROW(clgemm::sgemm(layout, x.m, x.n + 1, x.k, x.alpha, a, b, x.beta, on.c, 0, x.n + 1, queue()),
                     clgemm::Error);
    }
    EXPECT_EQ(clgemm_release_prepared(handle), CLGEMM_INVALID_POINTER) << "it was not released";
}

// What a prepared operand keeps changes between two calls if another thread multiplies with it.
TEST(Prepared, TheCppWrappersTextIsWholeThoughItGrowsOrShrinks)
{
    for (const std::vector<std::string>& texts : {std::vector<std::string>{"kept", "kept, and more", "kept, and more"},
                                                  std::vector<std::string>{"kept, and more", "kept"}}) {
        std::size_t calls = 0;
        const auto write = [&](char* text, std::size_t size, std::size_t* needed) {
            const std::string now = texts.at(calls++);
            if (needed)
                *needed = now.size() + 1;
            if (size > 0)
                text[now.copy(text, size - 1)] = '\0';
            return clgemm_status{CLGEMM_SUCCESS};
        };
        EXPECT_EQ(clgemm::detail::text_of(write), texts.back());
        EXPECT_EQ(calls, texts.size());
    }
}
