// What a caller may wish of the choice: FP32 arithmetic alone, and a limit to the workspace; on any device, and of the
// tensor kernels where they run.
#include "engine/device_state.hpp"
#include "support/one_pocl_worker.hpp"
#include "support/tensor_kernels.hpp"

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

std::string told(const SgemmCase& x, const Operands& o, const clgemm_options& options, std::size_t& bytes)
{
    std::string text(10'000, '\0');
    EXPECT_EQ(clgemm_explain(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, o.a.offset, o.a.ld, o.b.offset, o.b.ld,
                             x.beta, o.c.offset, o.c.ld, test_device().device(), &options, text.data(), text.size(),
                             nullptr),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    EXPECT_EQ(clgemm_sgemm_workspace_size(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, o.a.offset, o.a.ld,
                                          o.b.offset, o.b.ld, x.beta, o.c.offset, o.c.ld, test_device().device(), &options,
                                          &bytes),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    return text.c_str();
}

// Kernels 14 and 19 by computing in blocks; kernel 20 needs none.
TEST_P(TensorCores, StayWithinTheWorkspacesLimit)
{
    const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 1000, 900, 700, -1.5f, 0.5f, {1, 2, 3}, {}};
    const CaseOnDevice on_device(x);
    const auto& queue = test_device().in_order;
    const bool has_blocks = std::string_view(GetParam()) != direct;
    std::vector<std::size_t> limits{2'000'000, 3'000'000, 5'000'000};
    if (!has_blocks)
        limits.push_back(1);
    for (const std::size_t limit : limits) {
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.kernel = GetParam();
        options.workspace_limit = limit;
        std::size_t bytes = 0;
        EXPECT_EQ(told(x, on_device.before, options, bytes).find("split A:") != std::string::npos, has_blocks);
        EXPECT_LE(bytes, limit);
        queue.enqueueWriteBuffer(on_device.c, CL_TRUE, 0, on_device.before.c.bytes(), on_device.before.c.elements.data());
        ASSERT_EQ(on_device.call(queue, options), CLGEMM_SUCCESS) << clgemm_last_error();
        ASSERT_TRUE(on_device.is_right(queue)) << limit;
    }
}

// Sizes for which a GPU and a CPU each take temporaries when they may.
constexpr SgemmCase any_sizes[] = {
    {CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 700, 700, 700, -1.5f, 0.5f, {1, 2, 3}, {}},
    {CLGEMM_ROW_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 64, 65, 3000, 1, 0, {}, {}},
    {CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 1000, 3, 500, 1, 1, {}, {1, 2, 3}}};

TEST(WorkspaceLimit, IsKeptByTheLibrarysChoiceOnAnyDevice)
{
    const auto& queue = test_device().in_order;
    for (const SgemmCase& x : any_sizes) {
        const CaseOnDevice on_device(x);
        for (const double limit : {1.0, 1000.0, 1e5, 1e6, 3e6, 1e7}) {
            clgemm_options options = CLGEMM_OPTIONS_INIT;
            options.workspace_limit = static_cast<std::size_t>(limit);
            std::size_t bytes = 0;
            told(x, on_device.before, options, bytes);
            EXPECT_LE(bytes, options.workspace_limit);
            queue.enqueueWriteBuffer(on_device.c, CL_TRUE, 0, on_device.before.c.bytes(),
                                     on_device.before.c.elements.data());
            ASSERT_EQ(on_device.call(queue, options), CLGEMM_SUCCESS) << clgemm_last_error();
            ASSERT_TRUE(on_device.is_right(queue)) << limit;
        }
    }
}

TEST(StrictMode, GivesTheBitsOfTheKernelThatItChoosesOnAnyDevice)
{
    const auto& test = test_device();
    const auto state = device_state(test.context(), test.device());
    for (const SgemmCase& x : any_sizes) {
        const CaseOnDevice on_device(x);
        const auto strict = state->planner->selection(strictly(problem_of(x, on_device.before)), {});
        EXPECT_TRUE(is_strict(strict->variant.family()));
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.math = CLGEMM_MATH_STRICT;
        ASSERT_EQ(on_device.call(test.in_order, options), CLGEMM_SUCCESS) << clgemm_last_error();
        EXPECT_TRUE(on_device.is_right(test.in_order));
        EXPECT_TRUE(on_device.read(test.in_order).c.same_bits(result_of(x, on_device.before, *strict))) << x;
    }
}

TEST(StrictMode, RefusesTheTensorCoresOnAnyDevice)
{
    for (const char* const kernel : {of_images, of_images_by_mma, direct}) {
        const CaseOnDevice on_device(any_sizes[0]);
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.kernel = kernel;
        options.math = CLGEMM_MATH_STRICT;
        EXPECT_EQ(on_device.call(test_device().in_order, options), CLGEMM_KERNEL_NOT_SUPPORTED);
        for (const char* const named : {kernel, "strict"})
            EXPECT_NE(std::string(clgemm_last_error()).find(named), std::string::npos) << clgemm_last_error();
        EXPECT_TRUE(on_device.read(test_device().in_order).c.same_bits(on_device.before.c));
    }
}

} // namespace
