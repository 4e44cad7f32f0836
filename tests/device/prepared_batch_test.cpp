// Prepared operands in batches, which all products share, or of which each has its own: each product is right, has the bits
// that it has without preparation, and takes the workspace that the query said.
#include "engine/prepared_call.hpp"
#include "execute/execution.hpp"
#include "families/registry.hpp"
#include "select/plan_of.hpp"
#include "select/selection.hpp"
#include "support/batch_on_device.hpp"
#include "support/case_on_device.hpp"
#include "support/failing_opencl.hpp"
#include "support/kept_operand.hpp"
#include "support/with_selection.hpp"

#include "clgemm/clgemm.hpp"

#include <cstdint>
#include <cstring>
#include <tuple>

using namespace clgemm::core;
using namespace clgemm::test;
using clgemm::test::A;
using clgemm::test::B;
using clgemm::test::C;

namespace {

// The matrices A, or B, of a batch, or the one that its products share. Released at the end.
struct Kept : KeptOperand {
    Kept(const BatchOnDevice& batch, Which which)
    {
        const BatchedCase& x = batch.x;
        EXPECT_EQ(clgemm_prepare_strided_batched(x.layout, which == A ? CLGEMM_OPERAND_A : CLGEMM_OPERAND_B,
                                                 which == A ? x.trans_a : x.trans_b, x.m, x.n, x.k, batch.buffer[which](),
                                                 x.offset[which], x.ld[which], x.distance[which], x.count,
                                                 test_device().in_order(), 0, nullptr, nullptr, nullptr, &handle),
                  CLGEMM_SUCCESS)
            << clgemm_last_error();
    }
};

clgemm_status multiply(const BatchOnDevice& batch, clgemm_prepared a, clgemm_prepared b, const cl::CommandQueue& queue,
                       const clgemm_options& options = CLGEMM_OPTIONS_INIT, cl::Event* event = nullptr)
{
    const BatchedCase& x = batch.x;
    cl_event done = nullptr;
    const clgemm_status status = clgemm_sgemm_prepared_strided_batched(
        x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, a ? nullptr : batch.buffer[A](), a ? 0 : x.offset[A],
        a ? 0 : x.ld[A], a ? 1 : x.distance[A], a, b ? nullptr : batch.buffer[B](), b ? 0 : x.offset[B], b ? 0 : x.ld[B],
        b ? 1 : x.distance[B], b, x.beta, batch.buffer[C](), x.offset[C], x.ld[C], x.distance[C], x.count, queue(), 0,
        nullptr, event ? &done : nullptr, &options);
    if (event)
        *event = cl::Event(done);
    return status;
}

// Nothing is whole, and no matrices lie as one.
BatchedCase uneven(bool shares_a, bool shares_b)
{
    BatchedCase x;
    x.trans_a = CLGEMM_TRANS;
    x.m = 61;
    x.n = 75;
    x.k = 90;
    x.count = 3;
    x.alpha = 1.5f;
    x.beta = -0.5f;
    x.offset = {1, 2, 3};
    x.ld = {95, 93, 62};
    x.distance = {shares_a ? 0U : 95 * 61 + 3U, shares_b ? 0U : 93 * 75 + 5U, 62 * 75 + 7U};
    return x;
}

} // namespace

TEST(PreparedBatch, RandomOnesAreRight)
{
    std::mt19937 random(26);
    const auto kernels = kernels_here();
    for (int i = 0; i < 180; i++) {
        BatchedCase x = random_batched_case(random);
        const bool a_is_kept = i % 3 != 0, b_is_kept = i % 3 != 1;
        if (a_is_kept && i % 2 != 0)
            x.distance[A] = 0;
        if (b_is_kept && i % 4 < 2)
            x.distance[B] = 0;
        const BatchOnDevice batch(x);
        const Kept a(batch, a_is_kept ? A : B), b(batch, b_is_kept ? B : A);
        const clgemm_prepared of_a = a_is_kept ? a.handle : nullptr, of_b = b_is_kept ? b.handle : nullptr;
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        if (random() % 2 == 0)
            options.kernel = kernels[random() % kernels.size()];
        const clgemm_call described = batch.described();
        std::size_t bytes = 0;
        if (x.count > 0) { // or else the description is of a single call
            ASSERT_EQ(clgemm_call_prepared_workspace_size(&described, of_a, of_b, &options, &bytes), CLGEMM_SUCCESS)
                << x << clgemm_last_error();
        }
        cl::Buffer workspace;
        if (bytes > 0 && random() % 2 == 0) {
            workspace = cl::Buffer(test_device().context, CL_MEM_READ_WRITE, bytes);
            options.workspace = workspace();
        }
        const auto& queue = random() % 2 == 0 ? test_device().in_order : test_device().out_of_order;
        cl::Event done;
        ASSERT_EQ(multiply(batch, of_a, of_b, queue, options, &done), CLGEMM_SUCCESS) << x << clgemm_last_error();
        queue.flush();
        done.wait();
        ASSERT_TRUE(batch.is_right()) << "batch " << i;
    }
}

// One plan with images and one without, by the same kernel in the same size and way.
TEST(PreparedBatch, HasTheBitsOfTheUnpreparedBatchInEveryWay)
{
    const auto state = device_state(test_device().context(), test_device().device());
    const Submission submission(test_device().in_order, true);
    for (const auto& [keeps_a, keeps_b, shares] : {std::tuple{true, false, true},
                                                   {false, true, true},
                                                   {true, true, true},
                                                   {true, false, false},
                                                   {false, true, false},
                                                   {true, true, false}}) {
        const BatchOnDevice batch(uneven(keeps_a && shares, keeps_b && shares));
        const BatchedCase& x = batch.x;
        const clgemm::core::Arguments arguments = arguments_of(x);
        const Problem problem = make_problem(arguments);
        ASSERT_EQ(problem.batch.count, x.count);
        PreparedOperands operands;
        const std::size_t kept_ones = shares ? 1 : x.count;
        const auto copied = [&](const Matrix& matrix, cl_mem from) {
            auto result = std::make_shared<PreparedOperand>(*state, matrix, kept_ones);
            result->enqueue_copy(from, *state, submission);
            return result;
        };
        if (keeps_a)
            operands.a = copied(problem.a, batch.buffer[A]());
        if (keeps_b)
            operands.b = copied(problem.b, batch.buffer[B]());
        const Problem kept = problem_with(arguments, operands);
        for (const char* const name : kernels_here()) {
            const Variant variant =
                with_device_features(variants_for(*find_kernel(name), test_profile()).front(), test_profile());
            auto ways = variant.family().ways(problem, test_profile(), variant);
            ways.insert(ways.begin(), Way{});
            if (ways.size() > 3)
                ways.resize(3);
            for (const Way& way : ways) {
                SCOPED_TRACE(testing::Message() << name << ", form " << way.form << (keeps_a ? ", A" : "")
                                                << (keeps_b ? ", B" : "") << (shares ? ", shared" : ""));
                const Buffers callers{batch.buffer[A](), batch.buffer[B](), batch.buffer[C]()};
                batch.restore_c(test_device().in_order);
                execute(ready(plan_of(problem, test_profile(), variant, way), state->programs), state->workspaces, callers,
                        submission);
                const auto expected = batch.read(test_device().in_order).elements[C];
                batch.restore_c(test_device().in_order);
                const ReadyPlan plan = ready(plan_of(kept, test_profile(), variant, way), state->programs);
                Buffers buffers = callers;
                PreparedForCall prepared(operands, *state, submission);
                prepared.add_copies(buffers);
                prepared.add_images(plan.plan, buffers);
                execute(plan, state->workspaces, buffers, prepared.after_making(submission));
                const auto with_images = batch.read(test_device().in_order).elements[C];
                EXPECT_EQ(std::memcmp(expected.data(), with_images.data(), expected.size() * sizeof(float)), 0);
            }
        }
    }
}

// More than a plan has parts for. Each of them has the image, or its own one, and the queue is one where nothing follows by
// itself.
TEST(PreparedBatch, OfManyProductsIsRight)
{
    for (const std::size_t distance : {0U, 21U}) {
        BatchedCase x;
        x.m = 3;
        x.n = 4;
        x.k = 5;
        x.count = 9'000;
        x.ld = {3, 5, 3};
        x.distance = {17, distance, 14};
        const BatchOnDevice batch(x);
        const Kept weights(batch, B);
        for (const char* const kernel : {static_cast<const char*>(nullptr), "2"}) {
            batch.restore_c(test_device().in_order);
            clgemm_options options = CLGEMM_OPTIONS_INIT;
            options.kernel = kernel;
            cl::Event done;
            ASSERT_EQ(multiply(batch, nullptr, weights.handle, test_device().out_of_order, options, &done), CLGEMM_SUCCESS)
                << clgemm_last_error();
            test_device().out_of_order.flush();
            done.wait();
            EXPECT_TRUE(batch.is_right());
        }
    }
}

// Kernel 2 wants a copy of each operand, which is made by each call where there are more than a launch makes images of.
TEST(PreparedBatch, OfMoreThanALaunchMakesImagesOfIsRight)
{
    BatchedCase x;
    x.layout = CLGEMM_ROW_MAJOR;
    x.m = x.n = 1;
    x.k = 2;
    x.count = 65'537;
    x.ld = {2, 1, 1};
    x.distance = {0, 3, 2};
    const BatchOnDevice batch(x);
    const Kept many(batch, B);
    ASSERT_EQ(multiply(batch, nullptr, many.handle, test_device().in_order), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_TRUE(batch.is_right());
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = "2";
    const clgemm_call call = batch.described();
    char text[4096];
    ASSERT_EQ(clgemm_call_prepared_explain(&call, nullptr, many.handle, &options, text, sizeof text, nullptr),
              CLGEMM_SUCCESS);
    EXPECT_NE(std::string(text).find("prepared B: 65537 of 2 x 1, as they are, "), std::string::npos) << text;
    EXPECT_EQ(std::string(text).find("kept:"), std::string::npos) << text;
}

// None, one, and three, of operands of which each product has its own.
TEST(PreparedBatch, OfAnyNumberOfOperandsTakesAsManyProducts)
{
    for (const std::size_t count : {0U, 1U, 3U}) {
        BatchedCase x = uneven(false, false);
        x.count = count;
        const BatchOnDevice batch(x);
        const Kept a(batch, A), b(batch, B);
        for (const char* const kernel : kernels_here()) {
            batch.restore_c(test_device().in_order);
            clgemm_options options = CLGEMM_OPTIONS_INIT;
            options.kernel = kernel;
            ASSERT_EQ(multiply(batch, a.handle, b.handle, test_device().in_order, options), CLGEMM_SUCCESS)
                << kernel << ": " << clgemm_last_error();
            EXPECT_TRUE(batch.is_right()) << kernel << ", " << count;
        }
    }
}

// What a matrix has been prepared for by itself serves any number of products; what three have been, three alone.
TEST(PreparedBatch, OfAnotherNumberOfOperandsIsRefused)
{
    const BatchOnDevice three(uneven(false, false));
    const Kept a(three, A), b(three, B);
    BatchOnDevice two(uneven(false, false));
    two.x.count = 2;
    const auto says = [](const char* what) { return std::string(clgemm_last_error()).find(what) != std::string::npos; };
    EXPECT_EQ(multiply(two, a.handle, nullptr, test_device().in_order), CLGEMM_INVALID_PREPARED_A);
    EXPECT_TRUE(says("preparedA is of 3 matrices, but must be of one, or of as many as there are products, 2"))
        << clgemm_last_error();
    EXPECT_EQ(multiply(two, nullptr, b.handle, test_device().in_order), CLGEMM_INVALID_PREPARED_B);
    EXPECT_TRUE(says("preparedB is of 3 matrices")) << clgemm_last_error();
    const BatchedCase& x = three.x;
    EXPECT_EQ(clgemm_sgemm_prepared(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, 1, nullptr, 0, 0, a.handle,
                                    three.buffer[B](), x.offset[B], x.ld[B], nullptr, 0, three.buffer[C](), x.offset[C],
                                    x.ld[C], test_device().in_order(), 0, nullptr, nullptr, nullptr),
              CLGEMM_INVALID_PREPARED_A);
    EXPECT_TRUE(says("as many as there are products, 1")) << clgemm_last_error();
    std::size_t bytes = 0;
    const clgemm_call described = two.described();
    EXPECT_EQ(clgemm_call_prepared_workspace_size(&described, a.handle, nullptr, nullptr, &bytes),
              CLGEMM_INVALID_PREPARED_A);
    clgemm_prepared handle = nullptr;
    const auto prepare = [&](std::size_t distance, std::size_t count) {
        return clgemm_prepare_strided_batched(x.layout, CLGEMM_OPERAND_B, x.trans_b, x.m, x.n, x.k, three.buffer[B](),
                                              x.offset[B], x.ld[B], distance, count, test_device().in_order(), 0, nullptr,
                                              nullptr, nullptr, &handle);
    };
    EXPECT_EQ(prepare(x.distance[B], 100), CLGEMM_B_TOO_SMALL);
    EXPECT_TRUE(says("B has ")) << clgemm_last_error();
    EXPECT_EQ(prepare(SIZE_MAX / 8, 100), CLGEMM_OVERFLOW_B);
    EXPECT_TRUE(says("distB")) << clgemm_last_error();
    EXPECT_EQ(handle, nullptr);
}

// A shared A, and matrices B that the library keeps without gaps: one product of many columns.
TEST(PreparedBatch, OfOperandsThatLieAsOneIsOneProduct)
{
    BatchedCase x;
    x.m = 33;
    x.n = 6;
    x.k = 7;
    x.count = 4;
    x.ld = {33, 9, 33};
    x.distance = {0, 60, 33 * 6};
    const BatchOnDevice batch(x);
    const Kept experts(batch, B);
    for (const char* const kernel : {static_cast<const char*>(nullptr), "2", "13"}) {
        batch.restore_c(test_device().in_order);
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.kernel = kernel;
        ASSERT_EQ(multiply(batch, nullptr, experts.handle, test_device().in_order, options), CLGEMM_SUCCESS)
            << clgemm_last_error();
        EXPECT_TRUE(batch.is_right());
    }
    const clgemm_call call = batch.described();
    char text[4096];
    ASSERT_EQ(clgemm_call_prepared_explain(&call, nullptr, experts.handle, nullptr, text, sizeof text, nullptr),
              CLGEMM_SUCCESS);
    EXPECT_EQ(std::string(text).find("sgemm NN 33x24x7 (column-major)"), 0u) << text;
}

// The images of all products together may be more than the device has memory for, or than a buffer can be.
TEST(PreparedBatch, WithoutMemoryForTheImagesTheCallIsMadeWithoutThem)
{
    for (const cl_int code : {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_BUFFER_SIZE})
        for (const char* const kernel : {"2", "6", "cpu_packed"}) {
            if (!runs_here(kernel))
                continue;
            const BatchOnDevice batch(uneven(false, false));
            const Kept a(batch, A), b(batch, B);
            clgemm_options options = CLGEMM_OPTIONS_INIT;
            options.kernel = kernel;
            ASSERT_EQ(batch.call(test_device().in_order, options), CLGEMM_SUCCESS) << "so that all temporaries are there";
            batch.restore_c(test_device().in_order);
            fail_opencl({.function = "clCreateBuffer", .last = Failure::for_ever, .code = code});
            const clgemm_status status = multiply(batch, a.handle, b.handle, test_device().in_order, options);
            stop_failing_opencl();
            ASSERT_EQ(status, CLGEMM_SUCCESS) << kernel << ": " << clgemm_last_error();
            EXPECT_TRUE(batch.is_right()) << kernel;
        }
}

TEST(PreparedBatch, IsExplainedAndNamesWhatIsWrong)
{
    const BatchOnDevice batch(uneven(false, true));
    const Kept weights(batch, B);
    clgemm_call call = batch.described();
    call.distB = 77; // which does not count
    char text[4096];
    ASSERT_EQ(clgemm_call_prepared_explain(&call, nullptr, weights.handle, nullptr, text, sizeof text, nullptr),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    EXPECT_NE(std::string(text).find("61x75x90 (column-major), 3 products, "), std::string::npos) << text;
    EXPECT_NE(std::string(text).find("prepared B: 90 x 75, as it is, "), std::string::npos) << text;
    EXPECT_EQ(std::string(text).find("prepared A: "), std::string::npos) << text;
    const BatchOnDevice other_batch(uneven(true, true));
    const Kept pixels(other_batch, A);
    ASSERT_EQ(clgemm_call_prepared_explain(&call, pixels.handle, weights.handle, nullptr, text, sizeof text, nullptr),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    EXPECT_NE(std::string(text).find("prepared A: 61 x 90, as it is, "), std::string::npos) << text;
    EXPECT_NE(std::string(text).find("prepared B: 90 x 75, as it is, "), std::string::npos) << text;
    const auto says = [](const char* what) { return std::string(clgemm_last_error()).find(what) != std::string::npos; };
    std::size_t bytes = 0;
    EXPECT_EQ(clgemm_call_prepared_workspace_size(nullptr, nullptr, weights.handle, nullptr, &bytes),
              CLGEMM_INVALID_POINTER);
    EXPECT_TRUE(says("call is null"));
    EXPECT_EQ(clgemm_call_prepared_workspace_size(&call, nullptr, nullptr, nullptr, &bytes), CLGEMM_INVALID_PREPARED_A);
    EXPECT_EQ(clgemm_call_prepared_workspace_size(&call, weights.handle, nullptr, nullptr, &bytes),
              CLGEMM_INVALID_PREPARED_A);
    EXPECT_TRUE(says("preparedA is 90 x 75, but must be m x k, 61 x 90"));
    call.distC = 61;
    EXPECT_EQ(clgemm_call_prepared_explain(&call, nullptr, weights.handle, nullptr, nullptr, 0, nullptr),
              CLGEMM_OVERLAPPING_C);
    BatchOnDevice overlapping(uneven(false, true));
    overlapping.x.distance[C] = 61;
    EXPECT_EQ(multiply(overlapping, nullptr, weights.handle, test_device().in_order), CLGEMM_OVERLAPPING_C);
}

// Rows of all products that lie below one another are one product of the layer's weights.
TEST(PreparedBatch, ThroughTheWrapperIsOneProductWhereItCanBe)
{
    BatchedCase x;
    x.layout = CLGEMM_ROW_MAJOR;
    x.m = 5;
    x.n = 6;
    x.k = 7;
    x.count = 4;
    x.ld = {7, 6, 6};
    x.distance = {35, 0, 30};
    const BatchOnDevice batch(x);
    const cl::CommandQueue& queue = test_device().in_order;
    const clgemm::Prepared weights(clgemm::Layout::row_major, clgemm::Operand::b, clgemm::Transpose::no, x.m, x.n, x.k,
                                   batch.buffer[B], 0, 6, queue);
    const clgemm::Factor rows(batch.buffer[A], 0, 7, clgemm::Transpose::no, 35);
    clgemm::sgemm_strided_batched(clgemm::Layout::row_major, x.m, x.n, x.k, 1, rows, weights, 0, batch.buffer[C], 0, 6, 30,
                                  x.count, queue);
    queue.finish();
    EXPECT_TRUE(batch.is_right());
    clgemm::Call call;
    call.layout = clgemm::Layout::row_major;
    call.m = x.m;
    call.n = x.n;
    call.k = x.k;
    call.lda = 7;
    call.ldb = call.ldc = 6;
    call.batch = x.count;
    call.distA = 35;
    call.distC = 30;
    EXPECT_EQ(clgemm::explain(call, nullptr, &weights).find("sgemm NN 20x6x7 (row-major"), 0u)
        << clgemm::explain(call, nullptr, &weights);
    EXPECT_NO_THROW(clgemm::workspace_size(call, nullptr, &weights));
}

// Each product its own weights, in C++.
TEST(PreparedBatch, ThroughTheWrapperEachProductHasItsOwnOperand)
{
    const BatchOnDevice batch(uneven(false, false));
    const BatchedCase& x = batch.x;
    const cl::CommandQueue& queue = test_device().in_order;
    const auto layout = clgemm::Layout::column_major;
    cl::Event read;
    const clgemm::Prepared experts(layout, clgemm::Operand::b, clgemm::Transpose::no, x.m, x.n, x.k, batch.buffer[B],
                                   x.offset[B], x.ld[B], x.distance[B], x.count, queue, nullptr, &read);
    read.wait();
    const clgemm::Factor a(batch.buffer[A], x.offset[A], x.ld[A], clgemm::Transpose::yes, x.distance[A]);
    clgemm::sgemm_strided_batched(layout, x.m, x.n, x.k, x.alpha, a, experts, x.beta, batch.buffer[C], x.offset[C], x.ld[C],
                                  x.distance[C], x.count, queue);
    queue.finish();
    EXPECT_TRUE(batch.is_right());
}
