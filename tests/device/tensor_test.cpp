// Kernels 14, 19 and 20, tensor_tf32, tensor_fast and tensor_rounded where they run (skipped elsewhere): sizes around their
// tiles and all else that a call may vary, the same bits each time, also from many threads; all but kernel 20 in blocks for
// want of workspace, and it and tensor_rounded with their operands exchanged.
#include "support/one_pocl_worker.hpp"
#include "support/pairwise.hpp"
#include "support/tensor_kernels.hpp"
#include "support/threads.hpp"

#include <limits>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

INSTANTIATE_TEST_SUITE_P(All, TensorCores, testing::Values(of_images, of_images_by_mma, direct), name_of_kernel);

INSTANTIATE_TEST_SUITE_P(All, TensorCoresVariant,
                         testing::ValuesIn(variants_of({of_images, of_images_by_mma, direct, of_one_half, of_two_halves,
                                                        rounded})),
                         name_of_variant);

TEST_P(TensorCoresVariant, IsRightForEveryPairOfArguments)
{
    // Around the sizes of tiles, and some that are aligned for pairs of floats alone.
    constexpr std::size_t sizes[] = {1,  15, 16, 17,  30,  32,  33,  46,  48,  49,  63, 64,
                                     66, 80, 81, 126, 128, 129, 158, 160, 161, 254, 320};
    constexpr std::size_t depths[] = {1, 15, 16, 17, 30, 32, 33, 63, 64, 66, 127, 129, 256, 258, 500, 1000};
    constexpr std::size_t parts[] = {1, 2, 3, 8};
    constexpr clgemm_layout layouts[] = {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR};
    constexpr clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
    constexpr float alphas[] = {1, -1, 0.5f}, betas[] = {0, 1, -0.7f};
    constexpr std::array<std::size_t, 3> gaps[] = {{0, 0, 0}, {1, 3, 5}, {8, 16, 4}, {2, 6, 2}};
    constexpr std::array<std::size_t, 3> offsets[] = {{0, 0, 0}, {1, 3, 7}, {8, 64, 16}, {6, 2, 2}};
    constexpr bool exchanges[] = {false, true}; // where the kernel can
    for (const auto& row :
         pairwise({std::size(sizes), std::size(sizes), std::size(depths), std::size(parts), std::size(layouts),
                   std::size(transposes), std::size(transposes), std::size(alphas), std::size(betas), std::size(gaps),
                   std::size(offsets), GetParam().can_exchange() ? std::size(exchanges) : 1})) {
        const SgemmCase x{layouts[row[4]], transposes[row[5]], transposes[row[6]], sizes[row[0]],
                          sizes[row[1]],   depths[row[2]],     alphas[row[7]],     betas[row[8]],
                          gaps[row[9]],    offsets[row[10]],   GetParam().math()};
        const Way way = in_parts(parts[row[3]], exchanges[row[11]]);
        ASSERT_TRUE(is_right(x, with_selection(selection_of(GetParam(), way))))
            << way.split_k << " parts of K" << (way.transposed ? ", transposed" : "");
    }
}

// Also where K, or its last part, is no more than one stage.
TEST_P(TensorCoresVariant, GivesTheSameBitsAThousandTimes)
{
    const auto& queue = test_device().in_order;
    for (const auto& [k, parts] : {std::pair<std::size_t, std::size_t>{20, 1}, {32, 1}, {97, 4}, {1100, 1}, {1100, 4}}) {
        const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 300, 200, k, 1, 0, {}, {}, GetParam().math()};
        const CaseOnDevice on_device(x);
        const Multiply multiply = with_selection(selection_of(GetParam(), in_parts(parts)));
        const auto result = [&] {
            queue.enqueueFillBuffer(on_device.c, std::numeric_limits<float>::quiet_NaN(), 0, on_device.before.c.bytes());
            multiply(x, on_device.before, on_device.a(), on_device.b(), on_device.c());
            GuardedMatrix c = on_device.before.c;
            queue.enqueueReadBuffer(on_device.c, CL_TRUE, 0, c.bytes(), c.elements.data());
            return c;
        };
        const GuardedMatrix first = result();
        if (parts == 1) { // adding parts makes other bits in any case
            EXPECT_TRUE(is_of_tensor_cores(x, on_device.before, first));
        }
        for (int i = 0; i < 1000; i++)
            ASSERT_TRUE(result().same_bits(first)) << "call " << i << ", K = " << k << " in " << parts << " parts";
    }
}

TEST_P(TensorCores, MayBeUsedByManyThreadsOnQueuesOfBothKinds)
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
            ASSERT_EQ(on_device.call(queue, i % 5 == 4 ? nullptr : GetParam(), {}, i % 3 ? &done : nullptr), CLGEMM_SUCCESS)
                << clgemm_last_error();
            queue.finish();
            ASSERT_TRUE(on_device.is_right(queue));
        }
    });
}

// Calls that nobody waits for, on queues that share the workspace's pool.
TEST_P(TensorCores, OfSeveralQueuesDoNotDisturbEachOther)
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
        ASSERT_EQ(cases[i].call(queues[i % 3], GetParam()), CLGEMM_SUCCESS) << clgemm_last_error();
    for (const auto& queue : queues)
        queue.finish();
    for (const auto& one : cases)
        ASSERT_TRUE(one.is_right(queues[0]));
}

// Those of images: what needs little workspace needs no blocks.
class TensorBlocks : public TensorCoresVariant {};

INSTANTIATE_TEST_SUITE_P(All, TensorBlocks,
                         testing::ValuesIn(variants_of({of_images, of_images_by_mma, of_one_half, of_two_halves})),
                         name_of_variant);

// Each block is computed as it is in the whole: the same tiles, the same steps.
TEST_P(TensorBlocks, GiveTheSameBitsAsTheWhole)
{
    const Tiling tile = GetParam().tile();
    for (const auto trans : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
        const SgemmCase x{
            CLGEMM_COLUMN_MAJOR, trans, trans, 3 * tile.m + 5, 2 * tile.n + 7, 333, -1.5f, 0.5f, {1, 2, 3}, {3, 1, 2},
            GetParam().math()};
        const Operands operands(x);
        const GuardedMatrix whole = result_of(x, operands, selection_of(GetParam()));
        ASSERT_TRUE(is_right(x, with_selection(selection_of(GetParam()))));
        for (const auto& [m, n] : {std::pair{tile.m, tile.n}, {2 * tile.m, tile.n}, {x.m, tile.n}, {tile.m, x.n}}) {
            Selection in_blocks = selection_of(GetParam());
            in_blocks.blocks = {m, n};
            EXPECT_TRUE(result_of(x, operands, in_blocks).same_bits(whole)) << "in blocks of " << m << " x " << n;
        }
    }
}

// C' = B' A', into rows instead of columns.
class ExchangedOperands : public TensorCoresVariant {};

INSTANTIATE_TEST_SUITE_P(All, ExchangedOperands, testing::ValuesIn(variants_of({direct, rounded})), name_of_variant);

TEST_P(ExchangedOperands, GiveTheBitsOfTheExchangedProblem)
{
    const Tiling tile = GetParam().tile();
    struct Size {
        std::size_t m, n, k;
    };
    const Size sizes[] = {{1, 1, 1},
                          {1, 500, 33},
                          {500, 3, 1000},
                          {tile.n, tile.m, tile.k},
                          {tile.n - 1, 3 * tile.m + 1, 4 * tile.k + 7},
                          {2 * tile.n + 4, tile.m + 12, 5 * tile.k + 20}};
    for (const auto& [m, n, k] : sizes)
        for (const auto layout : {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR})
            for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
                for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
                    for (const bool aligned : {true, false})
                        for (const std::size_t parts : {1U, 3U}) {
                            const auto whole = [&](std::size_t size) { return aligned ? (size + 3) / 4 * 4 : size; };
                            SgemmCase x{layout, trans_a, trans_b, whole(m), whole(n),         whole(k),
                                        -1.5f,  0.5f,    {},      {},       GetParam().math()};
                            x.gaps = aligned ? std::array<std::size_t, 3>{8, 16, 4} : std::array<std::size_t, 3>{1, 3, 5};
                            x.offsets =
                                aligned ? std::array<std::size_t, 3>{8, 64, 16} : std::array<std::size_t, 3>{1, 3, 7};
                            const Selection exchanging = selection_of(GetParam(), in_parts(parts, true));
                            ASSERT_TRUE(is_right(x, with_selection(exchanging))) << parts << " parts of K";

                            x.alpha = 1; // and C is not read, where canaries are
                            x.beta = 0;
                            const SgemmCase turned = exchanged(x);
                            const Operands operands(x);
                            Operands turned_operands(turned);
                            turned_operands.a = operands.b;
                            turned_operands.b = operands.a;
                            const GuardedMatrix c = result_of(x, operands, exchanging);
                            const GuardedMatrix turned_c =
                                result_of(turned, turned_operands, selection_of(GetParam(), in_parts(parts)));
                            for (std::size_t i = 0; i < x.m; i++)
                                for (std::size_t j = 0; j < x.n; j++)
                                    ASSERT_EQ(c.at(i, j), turned_c.at(j, i)) << x << ", " << parts << " parts of K";
                            ASSERT_TRUE(c.canaries_are_alive()) << x;
                        }
}

// So that no test is skipped for another reason.
TEST(Kernels, RunOnEveryLargeDeviceButForThoseForTensorCores)
{
    const DeviceProfile& device = test_profile();
    for (const char* const kernel : {of_images, direct})
        EXPECT_EQ(runs_here(kernel), device.nvidia_ptx && device.compute_capability == 90) << kernel;
    EXPECT_EQ(runs_here(of_images_by_mma), device.nvidia_ptx && device.compute_capability >= 80);
    if (device.local_memory < 48 << 10 || device.max_work_group_size < 1024)
        GTEST_SKIP() << "some others may be too large for this device";
    for (const char* const name : every_kernel())
        EXPECT_TRUE(runs_here(name) || find_kernel(name)->instructions != Instructions::none) << name;
}

} // namespace
