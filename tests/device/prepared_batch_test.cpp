// Prepared operands that all products of a batch share: each product is right, has the bits that it has without preparation,
// and takes the workspace that the query said.
#include "engine/prepared_call.hpp"
#include "execute/execution.hpp"
#include "families/registry.hpp"
#include "select/plan_of.hpp"
#include "select/selection.hpp"
#include "support/batch_on_device.hpp"
#include "support/case_on_device.hpp"
#include "support/with_selection.hpp"

#include "clgemm/clgemm.hpp"

#include <cstring>

using namespace clgemm::core;
using namespace clgemm::test;
using clgemm::test::A;
using clgemm::test::B;
using clgemm::test::C;

namespace {

// Of a batch whose products share one matrix A, or B. Released at the end.
struct Shared {
    Shared(const BatchOnDevice& batch, Which which)
    {
        const BatchedCase& x = batch.x;
        EXPECT_EQ(x.distance[which], 0u);
        EXPECT_EQ(clgemm_prepare(x.layout, which == A ? CLGEMM_OPERAND_A : CLGEMM_OPERAND_B,
                                 which == A ? x.trans_a : x.trans_b, x.m, x.n, x.k, batch.buffer[which](), x.offset[which],
                                 x.ld[which], test_device().in_order(), 0, nullptr, nullptr, nullptr, &handle),
                  CLGEMM_SUCCESS)
            << clgemm_last_error();
    }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    ~Shared() { clgemm_release_prepared(handle); }
    clgemm_prepared handle = nullptr;
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
    for (int i = 0; i < 90; i++) {
        BatchedCase x = random_batched_case(random);
        const bool a_is_kept = i % 3 != 0, b_is_kept = i % 3 != 1;
        if (a_is_kept)
            x.distance[A] = 0;
        if (b_is_kept)
            x.distance[B] = 0;
        if (x.count == 0)
            continue;
        const BatchOnDevice batch(x);
        const Shared a(batch, a_is_kept ? A : B), b(batch, b_is_kept ? B : A);
        const clgemm_prepared of_a = a_is_kept ? a.handle : nullptr, of_b = b_is_kept ? b.handle : nullptr;
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        if (random() % 2 == 0)
            options.kernel = kernels[random() % kernels.size()];
        const clgemm_call described = batch.described();
        std::size_t bytes = 0;
        ASSERT_EQ(clgemm_call_prepared_workspace_size(&described, of_a, of_b, &options, &bytes), CLGEMM_SUCCESS)
            << x << clgemm_last_error();
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
    for (const auto& [keeps_a, keeps_b] : {std::pair{true, false}, {false, true}, {true, true}}) {
        const BatchOnDevice batch(uneven(keeps_a, keeps_b));
        const BatchedCase& x = batch.x;
        const clgemm::core::Arguments arguments{x.layout,  x.trans_a,     x.trans_b,     x.m,          x.n,
                                                x.k,       x.alpha,       x.offset[A],   x.ld[A],      x.offset[B],
                                                x.ld[B],   x.beta,        x.offset[C],   x.ld[C],      {},
                                                {x.count}, x.distance[A], x.distance[B], x.distance[C]};
        const Problem problem = make_problem(arguments);
        ASSERT_EQ(problem.batch.count, x.count);
        PreparedOperands operands;
        if (keeps_a)
            operands.a = std::make_shared<PreparedOperand>(*state, problem.a, batch.buffer[A](), submission);
        if (keeps_b)
            operands.b = std::make_shared<PreparedOperand>(*state, problem.b, batch.buffer[B](), submission);
        const Problem kept = problem_with(arguments, operands);
        for (const char* const name : kernels_here()) {
            const Variant variant =
                with_device_features(variants_for(*find_kernel(name), test_profile()).front(), test_profile());
            auto ways = variant.family().ways(problem, test_profile(), variant);
            ways.insert(ways.begin(), Way{});
            if (ways.size() > 3)
                ways.resize(3);
            for (const Way& way : ways) {
                SCOPED_TRACE(testing::Message()
                             << name << ", form " << way.form << (keeps_a ? ", A" : "") << (keeps_b ? ", B" : ""));
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

// More than a plan has parts for. Each of them has the image, and the queue is one where nothing follows by itself.
TEST(PreparedBatch, OfManyProductsIsRight)
{
    BatchedCase x;
    x.m = 3;
    x.n = 4;
    x.k = 5;
    x.count = 9'000;
    x.ld = {3, 5, 3};
    x.distance = {17, 0, 14};
    const BatchOnDevice batch(x);
    const Shared weights(batch, B);
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

TEST(PreparedBatch, IsExplainedAndNamesWhatIsWrong)
{
    const BatchOnDevice batch(uneven(false, true));
    const Shared weights(batch, B);
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
    const Shared pixels(other_batch, A);
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
