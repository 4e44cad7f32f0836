// Prepared operands of products on host memory: in place, and in pieces that travel to a device with memory of its own.
#include "engine/prepared_call.hpp"
#include "host/multiply_on_host.hpp"
#include "host/small_product.hpp"
#include "support/batched_case.hpp"
#include "support/case_on_device.hpp"
#include "support/failing_opencl.hpp"
#include "support/kept_operand.hpp"

#include "clgemm/clgemm.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <optional>
#include <thread>

using namespace clgemm::core;
using namespace clgemm::test;
using clgemm::test::A;
using clgemm::test::B;
using clgemm::test::C;

namespace {

// A batch in host memory.
struct OnHost {
    explicit OnHost(const BatchedCase& its_case) : x(its_case), before(x), after(before) {}

    float* memory(Which which) { return after.elements[which].data() + x.offset[which]; }
    testing::AssertionResult is_right() const { return clgemm::test::is_right(x, before, after); }
    void restore_c() { after.elements[C] = before.elements[C]; }

    clgemm_status prepare(Which which, clgemm_prepared* to, cl_command_queue queue = nullptr)
    {
        return clgemm_prepare_host_strided_batched(x.layout, which == A ? CLGEMM_OPERAND_A : CLGEMM_OPERAND_B,
                                                   which == A ? x.trans_a : x.trans_b, x.m, x.n, x.k, memory(which),
                                                   x.ld[which], x.distance[which], x.count, queue, nullptr, to);
    }
    clgemm_status multiply(clgemm_prepared a, clgemm_prepared b, cl_command_queue queue = nullptr,
                           const char* kernel = nullptr)
    {
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.kernel = kernel;
        return clgemm_sgemm_host_prepared_strided_batched(
            x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, a ? nullptr : memory(A), a ? 0 : x.ld[A],
            a ? 1 : x.distance[A], a, b ? nullptr : memory(B), b ? 0 : x.ld[B], b ? 1 : x.distance[B], b, x.beta, memory(C),
            x.ld[C], x.distance[C], x.count, queue, &options);
    }

    BatchedCase x;
    BatchedOperands before, after;
};

// Nothing is whole.
BatchedCase uneven(std::size_t count)
{
    BatchedCase x;
    x.trans_b = CLGEMM_TRANS;
    x.m = 33;
    x.n = 21;
    x.k = 40;
    x.count = count;
    x.alpha = 1.5f;
    x.beta = -0.5f;
    x.offset = {1, 2, 3};
    x.ld = {35, 23, 34};
    x.distance = {35 * 40 + 3, 23 * 40 + 5, 34 * 21 + 7};
    return x;
}

// As a device with memory of its own computes it, where these operands are kept.
testing::AssertionResult is_right_in_pieces(const BatchedCase& x, bool keeps_a, bool keeps_b)
{
    OnHost batch(x);
    const auto state = device_state(test_device().context(), test_device().device());
    const clgemm::core::Arguments arguments = arguments_on_host(x);
    const auto kept = [&](bool is_a) {
        const OperandToKeep matrix = read_operand(is_a ? CLGEMM_OPERAND_A : CLGEMM_OPERAND_B, is_a ? x.trans_a : x.trans_b,
                                                  0, x.ld[is_a ? A : B], x.distance[is_a ? A : B], x.count);
        return prepare_on_host(typical_products(x.layout, matrix, x.m, x.n, x.k, {}), matrix, batch.memory(is_a ? A : B),
                               test_device().in_order(), {});
    };
    PreparedOperands operands;
    if (keeps_a)
        operands.a = kept(true);
    if (keeps_b)
        operands.b = kept(false);
    // What is kept is not looked at.
    const HostOperands host{keeps_a ? nullptr : batch.memory(A), keeps_b ? nullptr : batch.memory(B), batch.memory(C)};
    multiply_in_pieces(problem_with(arguments, operands), host, *state, {}, operands);
    return batch.is_right() << x;
}

} // namespace

TEST(PreparedHost, RandomOnesAreRight)
{
    std::mt19937 random(31);
    const cl_command_queue queues[] = {nullptr, test_device().in_order(), test_device().out_of_order()};
    for (int i = 0; i < 90; i++) {
        OnHost batch(random_batched_case(random));
        KeptOperand a, b;
        if (i % 3 != 0) {
            ASSERT_EQ(batch.prepare(A, &a.handle, queues[i % 2]), CLGEMM_SUCCESS) << batch.x << clgemm_last_error();
        }
        if (i % 3 != 1) {
            ASSERT_EQ(batch.prepare(B, &b.handle, queues[i % 2]), CLGEMM_SUCCESS) << batch.x << clgemm_last_error();
        }
        ASSERT_EQ(batch.multiply(a.handle, b.handle, queues[i % 2 == 0 ? 0 : 1 + i / 2 % 2]), CLGEMM_SUCCESS)
            << batch.x << clgemm_last_error();
        ASSERT_TRUE(batch.is_right());
    }
}

// By the same kernel, in the same size.
TEST(PreparedHost, HasTheBitsOfTheUnpreparedCall)
{
    for (const std::size_t count : {0U, 1U, 3U})
        for (const char* const kernel : {"2", "13", "cpu_packed", "cpu_fused"}) {
            if (!runs_here(kernel))
                continue;
            OnHost batch(uneven(count));
            const BatchedCase& x = batch.x;
            KeptOperand a, b;
            ASSERT_EQ(batch.prepare(A, &a.handle), CLGEMM_SUCCESS) << clgemm_last_error();
            ASSERT_EQ(batch.prepare(B, &b.handle), CLGEMM_SUCCESS) << clgemm_last_error();
            clgemm_options options = CLGEMM_OPTIONS_INIT;
            options.kernel = kernel;
            ASSERT_EQ(clgemm_sgemm_host_strided_batched_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha,
                                                           batch.memory(A), x.ld[A], x.distance[A], batch.memory(B), x.ld[B],
                                                           x.distance[B], x.beta, batch.memory(C), x.ld[C], x.distance[C],
                                                           x.count, nullptr, &options),
                      CLGEMM_SUCCESS)
                << clgemm_last_error();
            const auto expected = batch.after.elements[C];
            for (const auto& [of_a, of_b] :
                 {std::pair(a.handle, clgemm_prepared{}), {nullptr, b.handle}, {a.handle, b.handle}}) {
                batch.restore_c();
                ASSERT_EQ(batch.multiply(of_a, of_b, nullptr, kernel), CLGEMM_SUCCESS) << clgemm_last_error();
                EXPECT_TRUE(batch.is_right()) << kernel;
                EXPECT_EQ(std::memcmp(expected.data(), batch.after.elements[C].data(), expected.size() * sizeof(float)), 0)
                    << kernel;
            }
        }
}

// What clgemm_teardown(NULL) drops is the library's own context, too, which operands are in that were prepared without a
// queue.
TEST(PreparedHost, OutlivesATeardownAlsoWithoutAQueue)
{
    OnHost batch(uneven(3));
    KeptOperand a, b;
    ASSERT_EQ(batch.prepare(A, &a.handle), CLGEMM_SUCCESS) << clgemm_last_error();
    ASSERT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
    ASSERT_EQ(batch.prepare(B, &b.handle), CLGEMM_SUCCESS) << clgemm_last_error();
    for (const auto& [of_a, of_b] : {std::pair(a.handle, clgemm_prepared{}), {nullptr, b.handle}, {a.handle, b.handle}}) {
        batch.restore_c();
        ASSERT_EQ(batch.multiply(of_a, of_b), CLGEMM_SUCCESS) << clgemm_last_error();
        EXPECT_TRUE(batch.is_right());
    }
}

// Another thread tears down and goes on to multiply, while the operand's program is built, which the log tells of.
TEST(PreparedHost, OutlivesATeardownDuringItsPreparation)
{
    ASSERT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
    std::atomic<bool> is_torn_down{false};
    const auto tear_down = [](const char*, void* done) {
        if (!static_cast<std::atomic<bool>*>(done)->exchange(true))
            std::thread([] {
                EXPECT_EQ(clgemm_teardown(nullptr), CLGEMM_SUCCESS);
                const float one = 1;
                float result = 0;
                EXPECT_EQ(clgemm_sgemm_host(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1, 1, &one, 1, &one, 1,
                                            0, &result, 1, nullptr),
                          CLGEMM_SUCCESS)
                    << clgemm_last_error();
            }).join();
    };
    ASSERT_EQ(clgemm_set_log(tear_down, &is_torn_down), CLGEMM_SUCCESS);
    OnHost on_host(uneven(1));
    KeptOperand b;
    EXPECT_EQ(on_host.prepare(B, &b.handle), CLGEMM_SUCCESS) << clgemm_last_error();
    ASSERT_EQ(clgemm_set_log(nullptr, nullptr), CLGEMM_SUCCESS);
    EXPECT_TRUE(is_torn_down);
    EXPECT_EQ(on_host.multiply(nullptr, b.handle), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_TRUE(on_host.is_right());
}

TEST(PreparedHost, TravelsInPiecesToADeviceWithMemoryOfItsOwn)
{
    for (const auto& [keeps_a, keeps_b] : {std::pair{true, false}, {false, true}, {true, true}}) {
        EXPECT_TRUE(is_right_in_pieces(uneven(1), keeps_a, keeps_b));
        EXPECT_TRUE(is_right_in_pieces(uneven(3), keeps_a, keeps_b));
        BatchedCase groups = uneven(60); // in several groups
        groups.m = 300;
        groups.n = 170;
        groups.ld = {301, 171, 302};
        groups.distance = {301 * 40, 171 * 40, 302 * 170};
        EXPECT_TRUE(is_right_in_pieces(groups, keeps_a, keeps_b));
        BatchedCase shared = groups;
        shared.distance[A] = 0;
        EXPECT_TRUE(is_right_in_pieces(shared, keeps_a, keeps_b));
        for (const auto layout : {CLGEMM_ROW_MAJOR, CLGEMM_COLUMN_MAJOR}) {
            BatchedCase rows; // not even one product fits
            rows.layout = layout;
            rows.m = 1300;
            rows.n = 1500;
            rows.k = 20;
            rows.count = 2;
            rows.beta = 0.5f;
            rows.ld = {1500, 1500, 1500};
            rows.distance = {1500 * 1300 + 1, 1500 * 1500, 1500 * 1500 + 3};
            EXPECT_TRUE(is_right_in_pieces(rows, keeps_a, keeps_b));
            BatchedCase wide; // nor one row or column
            wide.layout = layout;
            wide.m = keeps_b ? 2 : 1'700'000;
            wide.n = keeps_b ? 1'700'000 : 2;
            const bool row_major = layout == CLGEMM_ROW_MAJOR;
            wide.ld = {row_major ? 1 : wide.m, row_major ? wide.n : 1, row_major ? wide.n : wide.m};
            EXPECT_TRUE(is_right_in_pieces(wide, keeps_a, keeps_b));
        }
    }
}

// A handle is a handle, whatever it was made of.
TEST(PreparedHost, ServesBuffersAndThoseOfBuffersServeHostMemory)
{
    const cl_command_queue queue = test_device().in_order();
    OnHost batch(uneven(1));
    const BatchedCase& x = batch.x;
    const auto on_device = [&](Which which) {
        return cl::Buffer(test_device().context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          batch.before.elements[which].size() * sizeof(float), batch.after.elements[which].data());
    };
    const cl::Buffer a = on_device(A), b = on_device(B), c = on_device(C);
    KeptOperand of_host, of_buffer;
    ASSERT_EQ(batch.prepare(B, &of_host.handle, queue), CLGEMM_SUCCESS) << clgemm_last_error();
    ASSERT_EQ(clgemm_prepare(x.layout, CLGEMM_OPERAND_B, x.trans_b, x.m, x.n, x.k, b(), x.offset[B], x.ld[B], queue, 0,
                             nullptr, nullptr, nullptr, &of_buffer.handle),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    ASSERT_EQ(batch.multiply(nullptr, of_buffer.handle, queue), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_TRUE(batch.is_right());
    ASSERT_EQ(clgemm_sgemm_prepared(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, a(), x.offset[A], x.ld[A],
                                    nullptr, nullptr, 0, 0, of_host.handle, x.beta, c(), x.offset[C], x.ld[C], queue, 0,
                                    nullptr, nullptr, nullptr),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    test_device().in_order.enqueueReadBuffer(c, CL_TRUE, 0, batch.after.elements[C].size() * sizeof(float),
                                             batch.after.elements[C].data());
    EXPECT_TRUE(batch.is_right());
}

TEST(PreparedHost, TheCallersMatrixMayGoOnceItIsPrepared)
{
    OnHost batch(uneven(3));
    KeptOperand b;
    ASSERT_EQ(batch.prepare(B, &b.handle), CLGEMM_SUCCESS) << clgemm_last_error();
    auto& elements = batch.after.elements[B];
    const auto values = elements;
    std::fill(elements.begin(), elements.end(), 7.0f);
    ASSERT_EQ(batch.multiply(nullptr, b.handle), CLGEMM_SUCCESS) << clgemm_last_error();
    elements = values;
    EXPECT_TRUE(batch.is_right());
}

TEST(PreparedHost, WhatIsWrongIsNamed)
{
    OnHost batch(uneven(3));
    const BatchedCase& x = batch.x;
    const auto expect = [](clgemm_status status, clgemm_status expected, const char* words) {
        EXPECT_EQ(status, expected) << clgemm_last_error();
        EXPECT_NE(std::string(clgemm_last_error()).find(words), std::string::npos) << clgemm_last_error();
    };
    KeptOperand b;
    const auto prepare = [&](int operand, const float* from, std::size_t ld, clgemm_prepared* to) {
        return clgemm_prepare_host(x.layout, static_cast<clgemm_operand>(operand), CLGEMM_NO_TRANS, x.m, x.n, x.k, from, ld,
                                   nullptr, nullptr, to);
    };
    expect(prepare(CLGEMM_OPERAND_B, batch.memory(B), x.k, nullptr), CLGEMM_INVALID_POINTER, "prepared is null");
    expect(prepare(160, batch.memory(B), x.k, &b.handle), CLGEMM_INVALID_OPERAND, "operand is 160");
    expect(prepare(CLGEMM_OPERAND_B, nullptr, x.k, &b.handle), CLGEMM_INVALID_B, "B is null");
    expect(prepare(CLGEMM_OPERAND_A, batch.memory(A), 3, &b.handle), CLGEMM_INVALID_LDA, "lda is 3");
    EXPECT_EQ(b.handle, nullptr);
    ASSERT_EQ(batch.prepare(B, &b.handle, test_device().in_order()), CLGEMM_SUCCESS);
    expect(batch.multiply(nullptr, nullptr), CLGEMM_INVALID_PREPARED_A, "both null");
    expect(batch.multiply(b.handle, nullptr, test_device().in_order()), CLGEMM_INVALID_PREPARED_A,
           "preparedA is 40 x 21, but must be m x k, 33 x 40");
    const cl::Context other(test_device().device);
    const cl::CommandQueue foreign(other, test_device().device);
    expect(batch.multiply(nullptr, b.handle, foreign()), CLGEMM_WRONG_CONTEXT_B, "preparedB belongs to another context");
    batch.x.count = 2;
    expect(batch.multiply(nullptr, b.handle, test_device().in_order()), CLGEMM_INVALID_PREPARED_B,
           "preparedB is of 3 matrices");
    batch.x.count = 3;
    expect(clgemm_sgemm_host_prepared(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, 1, nullptr, x.ld[A], nullptr, nullptr,
                                      0, b.handle, 0, batch.memory(C), x.ld[C], nullptr, nullptr),
           CLGEMM_INVALID_PREPARED_B, "preparedB is of 3 matrices");
}

// Preparing and multiplying either work or fail as a whole, whichever of OpenCL's functions fails in between.
TEST(PreparedHost, ThatIsLargerThanAnyBufferIsNamed)
{
    const std::size_t largest = test_device().device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>() / sizeof(float);
    std::array<float, 8> first_column{};
    clgemm_prepared prepared = nullptr;
    EXPECT_EQ(clgemm_prepare_host(CLGEMM_COLUMN_MAJOR, CLGEMM_OPERAND_A, CLGEMM_NO_TRANS, 8, 8, 2, first_column.data(),
                                  largest, nullptr, nullptr, &prepared),
              CL_INVALID_BUFFER_SIZE);
    EXPECT_EQ(prepared, nullptr);
    EXPECT_EQ(std::string(clgemm_last_error()).find("A takes "), 0u) << clgemm_last_error();
}

// OpenCL's own matrices never do.
TEST(PreparedHost, MayBeginAtAnyAddress)
{
    constexpr std::size_t side = 16;
    std::vector<float> x(side * side), of_aligned(x.size()), of_odd(x.size());
    for (std::size_t i = 0; i < x.size(); i++)
        x[i] = static_cast<float>(i % 31) - 15;
    std::vector<std::byte> memory(x.size() * sizeof(float) + 1);
    std::memcpy(memory.data() + 1, x.data(), x.size() * sizeof(float));
    for (const auto& [matrix, result] :
         {std::pair{x.data(), of_aligned.data()}, std::pair{reinterpret_cast<float*>(memory.data() + 1), of_odd.data()}}) {
        clgemm_prepared prepared = nullptr;
        ASSERT_EQ(clgemm_prepare_host(CLGEMM_COLUMN_MAJOR, CLGEMM_OPERAND_B, CLGEMM_TRANS, side, side, side, matrix, side,
                                      nullptr, nullptr, &prepared),
                  CLGEMM_SUCCESS)
            << clgemm_last_error();
        EXPECT_EQ(clgemm_sgemm_host_prepared(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, side, side, side, 1,
                                             x.data(), side, nullptr, nullptr, 0, prepared, 0, result, side, nullptr,
                                             nullptr),
                  CLGEMM_SUCCESS)
            << clgemm_last_error();
        EXPECT_EQ(clgemm_release_prepared(prepared), CLGEMM_SUCCESS);
    }
    EXPECT_EQ(of_aligned, of_odd);
}

TEST(PreparedHost, AnyCallOfOpenClMayFail)
{
    OnHost batch(uneven(1));
    const auto living = [] {
        clgemm_teardown(nullptr);
        return living_opencl_objects();
    };
    const cl_command_queue queue = test_device().in_order();
    const auto before = living();
    long failures = 0, nth = 0;
    for (std::string caught = "something"; !caught.empty();) {
        batch.restore_c();
        KeptOperand b;
        nth++;
        fail_opencl({.function = "", .first = nth, .last = nth});
        clgemm_status status = batch.prepare(B, &b.handle, queue);
        EXPECT_EQ(status == CLGEMM_SUCCESS, b.handle != nullptr);
        if (status == CLGEMM_SUCCESS)
            status = batch.multiply(nullptr, b.handle, queue, "6");
        caught = stop_failing_opencl().caught;
        if (status == CLGEMM_SUCCESS) {
            EXPECT_TRUE(batch.is_right()) << nth << ", " << caught;
        } else {
            EXPECT_FALSE(caught.empty()) << clgemm_last_error();
            EXPECT_EQ(std::memcmp(batch.after.elements[C].data(), batch.before.elements[C].data(),
                                  batch.before.elements[C].size() * sizeof(float)),
                      0)
                << nth << ", " << caught;
            failures++;
        }
    }
    EXPECT_GT(failures, 5);
    EXPECT_EQ(living(), before);
}

TEST(PreparedHost, ThroughTheWrapper)
{
    OnHost batch(uneven(3));
    const BatchedCase& x = batch.x;
    const auto layout = clgemm::Layout::column_major;
    const clgemm::Prepared experts(layout, clgemm::Operand::b, clgemm::Transpose::yes, x.m, x.n, x.k, batch.memory(B),
                                   x.ld[B], x.distance[B], x.count);
    clgemm::sgemm_strided_batched(layout, x.m, x.n, x.k, x.alpha,
                                  clgemm::HostFactor(batch.memory(A), x.ld[A], clgemm::Transpose::no, x.distance[A]),
                                  experts, x.beta, batch.memory(C), x.ld[C], x.distance[C], x.count);
    EXPECT_TRUE(batch.is_right());
    OnHost one(uneven(1));
    const clgemm::Prepared weights(layout, clgemm::Operand::b, clgemm::Transpose::yes, x.m, x.n, x.k, one.memory(B),
                                   x.ld[B]);
    clgemm::sgemm(layout, x.m, x.n, x.k, x.alpha, clgemm::HostFactor(one.memory(A), x.ld[A]), weights, x.beta, one.memory(C),
                  x.ld[C]);
    EXPECT_TRUE(one.is_right());
}
