// Kernel 14 where it runs (skipped elsewhere): sizes around its tiles and all else that a call may vary, the same bits each
// time, also from many threads, numbers that cannot be computed in pieces, and blocks for want of workspace. And what
// callers ask about such kernels, on any device: strict mode and the workspace's limit.
#include "api/decision.hpp"
#include "execute/device_state.hpp"
#include "support/case_on_device.hpp"
#include "support/one_pocl_worker.hpp"
#include "support/pairwise.hpp"
#include "support/reference.hpp"
#include "support/threads.hpp"
#include "support/with_selection.hpp"

#include <limits>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

constexpr const char* tensor_cores = "14_tensor_cores";
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float largest = std::numeric_limits<float>::max();

const KernelInfo& kernel()
{
    return *find_kernel(tensor_cores);
}

Selection selection_of(std::size_t variant, const Way& way = {})
{
    Selection selection = selection_of(kernel(), kernel().variants[variant], test_profile(), "tested");
    selection.way = way;
    return selection;
}

// C of a call with this selection.
GuardedMatrix result_of(const SgemmCase& x, const Operands& operands, const Selection& selection)
{
    const CaseOnDevice on_device(x, operands);
    with_selection(selection)(x, operands, on_device.a(), on_device.b(), on_device.c());
    return on_device.read(test_device().in_order).c;
}

class TensorCores : public testing::TestWithParam<std::size_t> {
protected:
    void SetUp() override
    {
        if (!runs_here(tensor_cores))
            GTEST_SKIP() << "the device cannot run kernel 14";
    }
};

class TensorCoresVariant : public TensorCores {};

INSTANTIATE_TEST_SUITE_P(All, TensorCoresVariant, testing::Range<std::size_t>(0, kernel().variants.size()));

TEST_P(TensorCoresVariant, IsRightForEveryPairOfArguments)
{
    constexpr std::size_t sizes[] = {1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 159, 160, 161, 255, 320};
    constexpr std::size_t depths[] = {1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 256, 257, 500, 1000};
    constexpr std::size_t parts[] = {1, 2, 3, 8};
    constexpr clgemm_layout layouts[] = {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR};
    constexpr clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
    constexpr float alphas[] = {1, -1, 0.5f}, betas[] = {0, 1, -0.7f};
    constexpr std::array<std::size_t, 3> gaps[] = {{0, 0, 0}, {1, 3, 5}, {8, 16, 4}};
    constexpr std::array<std::size_t, 3> offsets[] = {{0, 0, 0}, {1, 3, 7}, {8, 64, 16}};
    for (const auto& row : pairwise({std::size(sizes), std::size(sizes), std::size(depths), std::size(parts),
                                     std::size(layouts), std::size(transposes), std::size(transposes), std::size(alphas),
                                     std::size(betas), std::size(gaps), std::size(offsets)})) {
        const SgemmCase x{layouts[row[4]], transposes[row[5]], transposes[row[6]], sizes[row[0]], sizes[row[1]],
                          depths[row[2]],  alphas[row[7]],     betas[row[8]],      gaps[row[9]],  offsets[row[10]]};
        ASSERT_TRUE(is_right(x, with_selection(selection_of(GetParam(), {false, false, parts[row[3]], false}))))
            << parts[row[3]] << " parts of K";
    }
}

// Each block is computed as it is in the whole: the same tiles, the same steps.
TEST_P(TensorCoresVariant, GivesTheSameBitsInBlocks)
{
    const Tiling tile = kernel().tiling(kernel().variants[GetParam()]);
    for (const auto trans : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
        const SgemmCase x{CLGEMM_COLUMN_MAJOR, trans,    trans, 3 * tile.m + 5, 2 * tile.n + 7, 333, -1.5f, 0.5f,
                          {1, 2, 3},           {3, 1, 2}};
        const Operands operands(x);
        const GuardedMatrix whole = result_of(x, operands, selection_of(GetParam()));
        ASSERT_TRUE(is_right(x, with_selection(selection_of(GetParam()))));
        for (const auto& [m, n] : {std::pair{tile.m, tile.n}, {2 * tile.m, tile.n}, {x.m, tile.n}, {tile.m, x.n}})
            EXPECT_TRUE(result_of(x, operands, selection_of(GetParam(), {false, false, 1, false, m, n})).same_bits(whole))
                << "in blocks of " << m << " x " << n;
    }
}

TEST_P(TensorCoresVariant, GivesTheSameBitsAThousandTimes)
{
    const auto& queue = test_device().in_order;
    for (const std::size_t parts : {1, 4}) {
        const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 300, 200, 1100, 1, 0, {}, {}};
        const CaseOnDevice on_device(x);
        const Multiply multiply = with_selection(selection_of(GetParam(), {false, false, parts, false}));
        const auto result = [&] {
            queue.enqueueFillBuffer(on_device.c, nan, 0, on_device.before.c.bytes());
            multiply(x, on_device.before, on_device.a(), on_device.b(), on_device.c());
            GuardedMatrix c = on_device.before.c;
            queue.enqueueReadBuffer(on_device.c, CL_TRUE, 0, c.bytes(), c.elements.data());
            return c;
        };
        const GuardedMatrix first = result();
        for (int i = 0; i < 1000; i++)
            ASSERT_TRUE(result().same_bits(first)) << "call " << i << ", " << parts << " parts of K";
    }
}

TEST_F(TensorCores, MayBeUsedByManyThreadsOnQueuesOfBothKinds)
{
    at_once(8, [](std::size_t thread) {
        const auto& test = test_device();
        const cl_command_queue_properties wanted = thread % 2 == 0 ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        const cl::CommandQueue queue(test.context, test.device, wanted & test.device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>());
        constexpr std::size_t sizes[] = {33, 64, 130, 7, 300, 161};
        for (std::size_t i = 0; i < 40; i++) {
            SgemmCase x{CLGEMM_COLUMN_MAJOR,    CLGEMM_TRANS, CLGEMM_NO_TRANS,     sizes[(thread + i) % 6], sizes[i % 6],
                        sizes[(i + 2) % 6] * 4, 0.5f,         i % 2 ? -0.7f : 0.0f};
            const CaseOnDevice on_device(x);
            cl::Event done; // every third call has none, and leaves its workspace behind without one
            ASSERT_EQ(on_device.call(queue, i % 5 == 4 ? nullptr : tensor_cores, {}, i % 3 ? &done : nullptr),
                      CLGEMM_SUCCESS)
                << clgemm_last_error();
            queue.finish();
            ASSERT_TRUE(on_device.is_right(queue));
        }
    });
}

// Calls that nobody waits for, on queues that share the workspace's pool.
TEST_F(TensorCores, OfSeveralQueuesDoNotDisturbEachOthersWorkspace)
{
    const auto& test = test_device();
    const auto properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE & test.device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>();
    const cl::CommandQueue queues[] = {
        {test.context, test.device}, {test.context, test.device, properties}, {test.context, test.device}};
    std::vector<CaseOnDevice> cases;
    for (std::size_t i = 0; i < 60; i++)
        cases.emplace_back(SgemmCase{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 100 + 50 * (i % 5),
                                     200 + 30 * (i % 7), 300 + 100 * (i % 3), 1, 0.5f});
    for (std::size_t i = 0; i < cases.size(); i++)
        ASSERT_EQ(cases[i].call(queues[i % 3], tensor_cores), CLGEMM_SUCCESS) << clgemm_last_error();
    for (const auto& queue : queues)
        queue.finish();
    for (const auto& one : cases)
        ASSERT_TRUE(one.is_right(queues[0]));
}

// The triple loop in FP32 with fused multiply-adds, column-major, alpha 1, beta 0, A as stored, B transposed.
float fused_loop(const Operands& operands, std::size_t i, std::size_t j)
{
    float sum = 0;
    for (std::size_t k = 0; k < operands.a.cols; k++)
        sum = std::fma(operands.a.at(i, k), operands.b.at(j, k), sum);
    return sum;
}

bool same(float one, float other)
{
    return one == other || (std::isnan(one) && std::isnan(other));
}

// Some numbers of a few tiles cannot be computed in pieces: these tiles are the triple loop's to the bit, and all others
// as if the numbers were not there.
class SpecialBlocks : public TensorCoresVariant {
protected:
    struct Place {
        bool in_a;
        std::size_t row, k;
        float value;
    };

    void SetUp() override
    {
        TensorCoresVariant::SetUp();
        if (!IsSkipped())
            without_specials = result_of(x, plain, selection_of(GetParam()));
    }

    // Which tiles compute from the floats themselves: those whose rows or columns share a range's block, which has 128.
    static bool meets_block_of(std::size_t special, std::size_t tile_begin, std::size_t tile_size, std::size_t rows)
    {
        const std::size_t last = std::min(tile_begin + tile_size, rows) - 1;
        return special / 128 >= tile_begin / 128 && special / 128 <= last / 128;
    }

    testing::AssertionResult spoil_only_their_tiles(const std::vector<Place>& places) const
    {
        Operands operands = plain;
        for (const auto& [in_a, row, k, value] : places)
            (in_a ? operands.a : operands.b).at(row, k) = value;
        const GuardedMatrix with = result_of(x, operands, selection_of(GetParam()));
        std::size_t on_tensor_cores = 0;
        for (std::size_t j = 0; j < x.n; j++)
            for (std::size_t i = 0; i < x.m; i++) {
                const bool in_floats = std::any_of(places.begin(), places.end(), [&](const Place& place) {
                    return place.in_a ? meets_block_of(place.row, i / tile.m * tile.m, tile.m, x.m)
                                      : meets_block_of(place.row, j / tile.n * tile.n, tile.n, x.n);
                });
                const float expected = in_floats ? fused_loop(operands, i, j) : without_specials.at(i, j);
                if (!same(with.at(i, j), expected))
                    return testing::AssertionFailure()
                           << "C(" << i << ", " << j << "), " << (in_floats ? "of the floats" : "on tensor cores") << ", is "
                           << std::hexfloat << with.at(i, j) << ", not " << expected;
                on_tensor_cores += in_floats ? 0 : 1;
            }
        if (on_tensor_cores == 0)
            return testing::AssertionFailure() << "nothing was computed on tensor cores";
        return with.canaries_are_alive() ? testing::AssertionSuccess()
                                         : testing::AssertionFailure() << "something outside C was written";
    }

    const Tiling tile = kernel().tiling(kernel().variants[GetParam()]);
    const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 2 * tile.m + 5, tile.n + 9, 101};
    const Operands plain{x};
    GuardedMatrix without_specials = plain.c;
};

INSTANTIATE_TEST_SUITE_P(All, SpecialBlocks, testing::Range<std::size_t>(0, kernel().variants.size()));

// Infinite, not a number, not finite once rounded to bf16, and what three pieces do not hold: subnormal and tiny.
constexpr float specials[] = {infinity,       -infinity,       nan, largest, -largest, 0x1p127f, 0x1p-149f,
                              -0x1.234p-130f, 0x1.abcdeep-115f};

// The two ways round differently, so that tests can tell them apart.
TEST_P(SpecialBlocks, AreNoneWithoutSpecialNumbers)
{
    std::size_t unlike_the_loop = 0;
    for (std::size_t j = 0; j < x.n; j++)
        for (std::size_t i = 0; i < x.m; i++)
            unlike_the_loop += without_specials.at(i, j) != fused_loop(plain, i, j) ? 1 : 0;
    EXPECT_GT(unlike_the_loop, x.m * x.n / 4);
    ASSERT_TRUE(is_right(x, with_selection(selection_of(GetParam()))));
}

TEST_P(SpecialBlocks, AreThoseOfSpecialNumbersInA)
{
    for (const float special : specials)
        for (const auto& [row, k] : {std::pair<std::size_t, std::size_t>{0, 0}, {tile.m, 50}, {x.m - 1, x.k - 1}})
            ASSERT_TRUE(spoil_only_their_tiles({{true, row, k, special}})) << special << " in A(" << row << ", " << k << ")";
}

TEST_P(SpecialBlocks, AreThoseOfSpecialNumbersInB)
{
    for (const float special : specials)
        for (const auto& [row, k] : {std::pair<std::size_t, std::size_t>{0, 0}, {tile.n, 50}, {x.n - 1, x.k - 1}})
            ASSERT_TRUE(spoil_only_their_tiles({{false, row, k, special}}))
                << special << " in B(" << k << ", " << row << ")";
}

TEST_P(SpecialBlocks, AreThoseOfBothOperands)
{
    for (const float special : specials)
        for (const float other : specials) {
            ASSERT_TRUE(spoil_only_their_tiles({{true, 1, 77, special}, {false, x.n - 1, 77, other}}))
                << special << " times " << other;
            ASSERT_TRUE(spoil_only_their_tiles({{true, 1, 0, special}, {true, 1, x.k - 1, other}}))
                << special << " and " << other << " in one row";
        }
}

// In one of several parts of K alone.
TEST_P(SpecialBlocks, AreRightInPartsOfK)
{
    const SgemmCase deep{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, x.m, x.n, 500};
    for (const float special : {infinity, -infinity, nan, 0x1p-149f})
        for (const std::size_t k : {std::size_t{0}, std::size_t{250}, deep.k - 1}) {
            Operands operands(deep);
            operands.a.at(tile.m + 1, k) = special;
            operands.b.at(3, 300) = special;
            const CaseOnDevice on_device(deep, operands);
            with_selection(selection_of(GetParam(), {false, false, 3, false}))(deep, operands, on_device.a(), on_device.b(),
                                                                               on_device.c());
            ASSERT_TRUE(on_device.is_right(test_device().in_order)) << special << " in A(" << tile.m + 1 << ", " << k << ")";
        }
}

// Where sums may overflow all is the triple loop's; a little below, the tensor cores are as accurate as ever.
TEST_P(SpecialBlocks, AreAllWhereProductsOverflow)
{
    const SgemmCase flat{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, x.m, x.n, 32};
    for (const float factor : {0x1p60f, 0x1p61f, 0x1p63f, 0x1p64f, 0x1p70f}) {
        Operands operands(flat);
        for (auto* const matrix : {&operands.a, &operands.b})
            for (std::size_t i = 0; i < matrix->rows; i++)
                for (std::size_t k = 0; k < matrix->cols; k++)
                    matrix->at(i, k) *= factor;
        if (factor == 0x1p60f) {
            const CaseOnDevice on_device(flat, operands);
            with_selection(selection_of(GetParam()))(flat, operands, on_device.a(), on_device.b(), on_device.c());
            ASSERT_TRUE(on_device.is_right(test_device().in_order));
            continue;
        }
        const GuardedMatrix c = result_of(flat, operands, selection_of(GetParam()));
        for (std::size_t j = 0; j < x.n; j++)
            for (std::size_t i = 0; i < x.m; i++)
                ASSERT_TRUE(same(c.at(i, j), fused_loop(operands, i, j)))
                    << factor << ": C(" << i << ", " << j << ") is " << c.at(i, j);
    }
}

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

TEST_F(TensorCores, ComputeInBlocksWhereTheWorkspaceIsLimited)
{
    const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 1000, 900, 700, -1.5f, 0.5f, {1, 2, 3}, {}};
    const CaseOnDevice on_device(x);
    const auto& queue = test_device().in_order;
    for (const std::size_t limit : {std::size_t{2'000'000}, std::size_t{3'000'000}, std::size_t{5'000'000}}) {
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.kernel = tensor_cores;
        options.workspace_limit = limit;
        std::size_t bytes = 0;
        EXPECT_NE(told(x, on_device.before, options, bytes).find("split A:"), std::string::npos) << "there are no blocks";
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
        const Decision strict = decide(problem_of(x, on_device.before), state->profile, state->selector, {nullptr, true});
        EXPECT_TRUE(strict.selection->kernel->is_strict());
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.math = CLGEMM_MATH_STRICT;
        ASSERT_EQ(on_device.call(test.in_order, options), CLGEMM_SUCCESS) << clgemm_last_error();
        EXPECT_TRUE(on_device.is_right(test.in_order));
        EXPECT_TRUE(on_device.read(test.in_order).c.same_bits(result_of(x, on_device.before, *strict.selection))) << x;
    }
}

TEST(StrictMode, RefusesTheTensorCoresOnAnyDevice)
{
    const CaseOnDevice on_device(any_sizes[0]);
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = tensor_cores;
    options.math = CLGEMM_MATH_STRICT;
    EXPECT_EQ(on_device.call(test_device().in_order, options), CLGEMM_KERNEL_NOT_SUPPORTED);
    for (const char* const named : {tensor_cores, "strict"})
        EXPECT_NE(std::string(clgemm_last_error()).find(named), std::string::npos) << clgemm_last_error();
    EXPECT_TRUE(on_device.read(test_device().in_order).c.same_bits(on_device.before.c));
}

// So that no test is skipped for another reason.
TEST(Kernels, RunOnEveryLargeDeviceButForThoseForTensorCores)
{
    const DeviceProfile& device = test_profile();
    EXPECT_EQ(runs_here(tensor_cores), device.nvidia_ptx && device.compute_capability == 90);
    EXPECT_EQ(runs_here("19_tensor_mma"), device.nvidia_ptx && device.compute_capability >= 80);
    if (device.local_memory < 48 << 10 || device.max_work_group_size < 1024)
        GTEST_SKIP() << "some others may be too large for this device";
    for (const char* const name : every_kernel())
        EXPECT_TRUE(runs_here(name) || find_kernel(name)->has_instructions) << name;
}

} // namespace
