// Wrong arguments of the functions about prepared operands: each has its status and a sentence that names it, and does
// nothing.
#include "support/case_on_device.hpp"
#include "support/driver_defects.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

using namespace clgemm::test;

namespace {

constexpr std::size_t m = 6, n = 5, k = 4;

class PreparedArguments : public testing::Test {
protected:
    ~PreparedArguments() override { clgemm_release_prepared(weights); }

    clgemm_status prepare_b(clgemm_prepared* prepared)
    {
        return clgemm_prepare(CLGEMM_COLUMN_MAJOR, CLGEMM_OPERAND_B, CLGEMM_NO_TRANS, m, n, k, b(), 0, k, queue(), 0,
                              nullptr, nullptr, nullptr, prepared);
    }
    // With a prepared B of k x n; `rows` and `depth` are the call's.
    clgemm_status multiply(clgemm_prepared prepared_a, clgemm_prepared prepared_b, const cl::CommandQueue& on,
                           std::size_t columns = n, std::size_t depth = k)
    {
        return clgemm_sgemm_prepared(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, columns, depth, 1, a(), 0, m,
                                     prepared_a, nullptr, 0, 0, prepared_b, 0, c(), 0, m, on(), 0, nullptr, nullptr,
                                     nullptr);
    }

    void expect(clgemm_status status, clgemm_status expected, const std::string& words)
    {
        EXPECT_EQ(status, expected) << clgemm_last_error();
        EXPECT_NE(std::string(clgemm_last_error()).find(words), std::string::npos) << clgemm_last_error();
    }

    const TestDevice& test = test_device();
    const cl::CommandQueue& queue = test.in_order;
    const cl::Buffer a{test.context, CL_MEM_READ_WRITE, 1024}, b{test.context, CL_MEM_READ_WRITE, 1024},
        c{test.context, CL_MEM_READ_WRITE, 1024};
    clgemm_prepared weights = nullptr;
};

} // namespace

TEST_F(PreparedArguments, OfPreparationAreChecked)
{
    const auto prepare = [&](int operand, cl_mem x, std::size_t ld, cl_command_queue on, clgemm_prepared* to) {
        return clgemm_prepare(CLGEMM_COLUMN_MAJOR, static_cast<clgemm_operand>(operand), CLGEMM_NO_TRANS, m, n, k, x, 0, ld,
                              on, 0, nullptr, nullptr, nullptr, to);
    };
    expect(prepare(CLGEMM_OPERAND_B, b(), k, queue(), nullptr), CLGEMM_INVALID_POINTER, "prepared is null");
    expect(prepare(163, b(), k, queue(), &weights), CLGEMM_INVALID_OPERAND, "operand is 163");
    expect(prepare(CLGEMM_OPERAND_B, b(), 3, queue(), &weights), CLGEMM_INVALID_LDB, "ldb is 3, but must be at least 4");
    expect(prepare(CLGEMM_OPERAND_A, a(), 5, queue(), &weights), CLGEMM_INVALID_LDA, "lda is 5, but must be at least 6");
    expect(prepare(CLGEMM_OPERAND_B, nullptr, k, queue(), &weights), CLGEMM_INVALID_B, "B is null");
    expect(prepare(CLGEMM_OPERAND_A, b(), 1000, queue(), &weights), CLGEMM_A_TOO_SMALL, "A has 1024 bytes");
    expect(prepare(CLGEMM_OPERAND_B, b(), k, nullptr, &weights), CLGEMM_INVALID_QUEUE, "queue is null");
    const cl::Context other(test.device);
    const cl::Buffer foreign(other, CL_MEM_READ_WRITE, 1024);
    expect(prepare(CLGEMM_OPERAND_B, foreign(), k, queue(), &weights), CLGEMM_WRONG_CONTEXT_B,
           "B belongs to another context");
    EXPECT_EQ(weights, nullptr);
}

// Its caller gave no A and no C.
TEST_F(PreparedArguments, OfPreparationAreCheckedBeforeTheTypicalProduct)
{
    constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
    const auto prepare = [&](std::size_t rows, std::size_t distance, std::size_t count) {
        return clgemm_prepare_strided_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_OPERAND_B, CLGEMM_NO_TRANS, rows, n, k, b(), 0, k,
                                              distance, count, queue(), 0, nullptr, nullptr, nullptr, &weights);
    };
    expect(prepare(m, n * k, all), CLGEMM_OVERFLOW_B, "B is too large");
    expect(prepare(all, n * k, all), CLGEMM_OVERFLOW_B, "B is too large");
    expect(prepare(m, all, 2), CLGEMM_OVERFLOW_B, "B is too large");
    expect(prepare(all, 0, 1), CLGEMM_OVERFLOW_A, "the typical product, " + std::to_string(all) + " x 5 x 4, is too large");
    EXPECT_EQ(weights, nullptr);
}

// An event may fail with any number, also with that of another error.
TEST_F(PreparedArguments, WhatCouldNotBeReadIsRefused)
{
    if (!heeds_failed_wait_lists())
        GTEST_SKIP() << "the driver does not heed that a wait list failed";
    cl::UserEvent failing(test.context);
    cl_event wait_for = failing();
    cl::Event read;
    ASSERT_EQ(clgemm_prepare(CLGEMM_COLUMN_MAJOR, CLGEMM_OPERAND_B, CLGEMM_NO_TRANS, m, n, k, b(), 0, k, queue(), 1,
                             &wait_for, &read(), nullptr, &weights),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    failing.setStatus(CLGEMM_INVALID_LAYOUT);
    queue.flush();
    EXPECT_THROW(read.wait(), cl::Error);
    expect(multiply(nullptr, weights, queue), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
           "preparedB: the prepared operand could not be copied from the caller's matrix");
}

// Nobody would know when the caller's matrix has been read.
TEST_F(PreparedArguments, WhatIsRefusedEnqueuesNothing)
{
    cl::UserEvent later(test.context);
    cl_event wait_for = later();
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = "09_prefetch"; // which is not reproducible on any device
    options.math = CLGEMM_MATH_REPRODUCIBLE;
    const auto references = b.getInfo<CL_MEM_REFERENCE_COUNT>();
    expect(clgemm_prepare(CLGEMM_COLUMN_MAJOR, CLGEMM_OPERAND_B, CLGEMM_NO_TRANS, m, n, k, b(), 0, k, queue(), 1, &wait_for,
                          nullptr, &options, &weights),
           CLGEMM_KERNEL_NOT_SUPPORTED, "kernel 09_prefetch");
    EXPECT_EQ(b.getInfo<CL_MEM_REFERENCE_COUNT>(), references);
    EXPECT_EQ(weights, nullptr);
    later.setStatus(CL_COMPLETE);
    queue.finish();
}

TEST_F(PreparedArguments, OfCallsAreChecked)
{
    ASSERT_EQ(prepare_b(&weights), CLGEMM_SUCCESS) << clgemm_last_error();
    expect(multiply(nullptr, nullptr, queue), CLGEMM_INVALID_PREPARED_A, "preparedA and preparedB are both null");
    expect(multiply(nullptr, weights, queue, n + 1), CLGEMM_INVALID_PREPARED_B,
           "preparedB is 4 x 5, but must be k x n, 4 x 6");
    expect(multiply(weights, nullptr, queue), CLGEMM_INVALID_PREPARED_A, "preparedA is 4 x 5, but must be m x k, 6 x 4");
    const cl::Context other(test.device);
    const cl::CommandQueue foreign(other, test.device);
    expect(multiply(nullptr, weights, foreign), CLGEMM_WRONG_CONTEXT_B, "preparedB belongs to another context");
    EXPECT_EQ(multiply(nullptr, weights, queue), CLGEMM_SUCCESS) << clgemm_last_error();
}

// Where OpenCL has no second device, a part of one is another device.
TEST_F(PreparedArguments, AnotherDeviceOfTheContextIsRefused)
{
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    std::vector<cl::Device> parts;
    cl::Device device = test.device;
    if (device.getInfo<CL_DEVICE_PARTITION_MAX_SUB_DEVICES>() < 2 || device.createSubDevices(halves, &parts) != CL_SUCCESS ||
        parts.size() < 2)
        GTEST_SKIP() << "the device has no parts";
    const cl::Context both(std::vector<cl::Device>{parts[0], parts[1]});
    const cl::CommandQueue first(both, parts[0]), second(both, parts[1]);
    const cl::Buffer of_both(both, CL_MEM_READ_WRITE, 1024);
    ASSERT_EQ(clgemm_prepare(CLGEMM_COLUMN_MAJOR, CLGEMM_OPERAND_B, CLGEMM_NO_TRANS, 0, n, k, of_both(), 0, k, first(), 0,
                             nullptr, nullptr, nullptr, &weights),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    expect(multiply(nullptr, weights, second), CLGEMM_INVALID_PREPARED_B, "preparedB was prepared for another device");
    first.finish();
}

TEST_F(PreparedArguments, AReleasedHandleIsRefusedAndNoOtherGetsIt)
{
    ASSERT_EQ(prepare_b(&weights), CLGEMM_SUCCESS);
    const clgemm_prepared released = weights;
    EXPECT_EQ(clgemm_release_prepared(nullptr), CLGEMM_SUCCESS);
    EXPECT_EQ(clgemm_release_prepared(released), CLGEMM_SUCCESS);
    expect(clgemm_release_prepared(released), CLGEMM_INVALID_POINTER, "released before");
    ASSERT_EQ(prepare_b(&weights), CLGEMM_SUCCESS);
    EXPECT_NE(weights, released);
    expect(multiply(nullptr, released, queue), CLGEMM_INVALID_PREPARED_B,
           "preparedB is no prepared operand, or was released");
}

TEST_F(PreparedArguments, OfQueriesAreChecked)
{
    ASSERT_EQ(prepare_b(&weights), CLGEMM_SUCCESS);
    const auto workspace = [&](clgemm_prepared prepared, std::size_t* bytes) {
        return clgemm_sgemm_prepared_workspace_size(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1, 0, m,
                                                    nullptr, 0, 0, prepared, 0, 0, m, nullptr, bytes);
    };
    const auto explain = [&](clgemm_prepared prepared, char* text, std::size_t size) {
        return clgemm_sgemm_prepared_explain(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1, 0, m,
                                             nullptr, 0, 0, prepared, 0, 0, m, nullptr, text, size, nullptr);
    };
    std::size_t bytes = 0;
    expect(workspace(weights, nullptr), CLGEMM_INVALID_POINTER, "bytes is null");
    expect(workspace(nullptr, &bytes), CLGEMM_INVALID_PREPARED_A, "both null");
    expect(explain(weights, nullptr, 5), CLGEMM_INVALID_POINTER, "text is null");
    expect(explain(nullptr, nullptr, 0), CLGEMM_INVALID_PREPARED_A, "both null");
    EXPECT_EQ(workspace(weights, &bytes), CLGEMM_SUCCESS);
    EXPECT_EQ(explain(weights, nullptr, 0), CLGEMM_SUCCESS);

    const cl::Context other(test.device);
    const cl::CommandQueue foreign(other, test.device);
    const cl::Buffer of_other(other, CL_MEM_READ_WRITE, 1024);
    clgemm_prepared rows = nullptr;
    ASSERT_EQ(clgemm_prepare(CLGEMM_COLUMN_MAJOR, CLGEMM_OPERAND_A, CLGEMM_NO_TRANS, m, n, k, of_other(), 0, m, foreign(), 0,
                             nullptr, nullptr, nullptr, &rows),
              CLGEMM_SUCCESS);
    expect(clgemm_sgemm_prepared_workspace_size(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1, 0, 0,
                                                rows, 0, 0, weights, 0, 0, m, nullptr, &bytes),
           CLGEMM_WRONG_CONTEXT_B, "preparedB belongs to another context than preparedA");
    EXPECT_EQ(clgemm_release_prepared(rows), CLGEMM_SUCCESS);
}

// What the query says suffices, and less does not.
TEST_F(PreparedArguments, AWorkspaceThatIsAnotherBufferOfTheCallIsRefused)
{
    ASSERT_EQ(prepare_b(&weights), CLGEMM_SUCCESS);
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    for (const auto& [shared, name] : {std::pair{&a, "A"}, {&c, "C"}}) {
        options.workspace = (*shared)();
        expect(clgemm_sgemm_prepared(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1, a(), 0, m, nullptr,
                                     nullptr, 0, 0, weights, 0, c(), 0, m, queue(), 0, nullptr, nullptr, &options),
               CLGEMM_INVALID_WORKSPACE, std::string("options->workspace shares memory with ") + name);
        expect(clgemm_sgemm_prepared_strided_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1, a(),
                                                     0, m, m * k, nullptr, nullptr, 0, 0, 0, weights, 0, c(), 0, m, m * n, 2,
                                                     queue(), 0, nullptr, nullptr, &options),
               CLGEMM_INVALID_WORKSPACE, std::string("options->workspace shares memory with ") + name);
    }
    options.workspace = b(); // which is not the call's any more
    EXPECT_EQ(clgemm_sgemm_prepared(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1, a(), 0, m, nullptr,
                                    nullptr, 0, 0, weights, 0, c(), 0, m, queue(), 0, nullptr, nullptr, &options),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    queue.finish();
}

TEST_F(PreparedArguments, TheWorkspaceQueryTellsWhatTheCallNeeds)
{
    if (!runs_here("cpu_packed"))
        GTEST_SKIP() << "no kernel that needs a workspace";
    ASSERT_EQ(prepare_b(&weights), CLGEMM_SUCCESS);
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = "cpu_packed";
    std::size_t bytes = 0, unprepared = 0;
    ASSERT_EQ(clgemm_sgemm_prepared_workspace_size(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1, 0, m,
                                                   nullptr, 0, 0, weights, 0, 0, m, &options, &bytes),
              CLGEMM_SUCCESS);
    ASSERT_EQ(clgemm_sgemm_workspace_size(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1, 0, m, 0, k, 0,
                                          0, m, test.device(), &options, &unprepared),
              CLGEMM_SUCCESS);
    EXPECT_LT(bytes, unprepared);
    for (const std::size_t size : {bytes, bytes - 1}) {
        const cl::Buffer workspace(test.context, CL_MEM_READ_WRITE, size);
        options.workspace = workspace();
        EXPECT_EQ(clgemm_sgemm_prepared(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1, a(), 0, m,
                                        nullptr, nullptr, 0, 0, weights, 0, c(), 0, m, queue(), 0, nullptr, nullptr,
                                        &options),
                  size == bytes ? CLGEMM_SUCCESS : CLGEMM_WORKSPACE_TOO_SMALL)
            << clgemm_last_error();
        queue.finish();
    }
}
