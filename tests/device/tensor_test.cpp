// Kernels 14 and 20 where they run (skipped elsewhere): sizes around their tiles and all else that a call may vary, the same
// bits each time, also from many threads, and numbers that cannot be computed in pieces; kernel 14 in blocks for want of
// workspace, kernel 20 with its operands exchanged. And what callers ask about such kernels, on any device: strict mode and
// the workspace's limit.
#include "api/decision.hpp"
#include "execute/device_state.hpp"
#include "support/case_on_device.hpp"
#include "support/one_pocl_worker.hpp"
#include "support/pairwise.hpp"
#include "support/reference.hpp"
#include "support/threads.hpp"
#include "support/with_selection.hpp"

#include <bit>
#include <limits>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

constexpr const char* of_images = "14_tensor_cores"; // in pieces, as `split` writes them
constexpr const char* direct = "20_tensor_direct";
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float largest = std::numeric_limits<float>::max();

struct Variant {
    const char* kernel;
    std::size_t index;

    const KernelInfo& info() const { return *find_kernel(kernel); }
    const Parameters& parameters() const { return info().variants[index]; }
    Tiling tile() const { return info().tiling(parameters()); }
    bool is_direct() const { return std::string_view(kernel) == direct; }
};

std::vector<Variant> variants_of(const std::vector<const char*>& kernels)
{
    std::vector<Variant> result;
    for (const char* const kernel : kernels)
        for (std::size_t i = 0; i < find_kernel(kernel)->variants.size(); i++)
            result.push_back({kernel, i});
    return result;
}

std::string name_of_variant(const testing::TestParamInfo<Variant>& info)
{
    return std::string(info.param.kernel) + "_variant_" + std::to_string(info.param.index);
}

Selection selection_of(const Variant& variant, const Way& way = {})
{
    Selection selection = selection_of(variant.info(), variant.parameters(), test_profile(), "tested");
    selection.way = way;
    return selection;
}

Way in_parts(std::size_t splits, bool is_exchanged = false)
{
    return {false, false, splits, is_exchanged};
}

// C of a call with this selection.
GuardedMatrix result_of(const SgemmCase& x, const Operands& operands, const Selection& selection)
{
    const CaseOnDevice on_device(x, operands);
    with_selection(selection)(x, operands, on_device.a(), on_device.b(), on_device.c());
    return on_device.read(test_device().in_order).c;
}

// Is what this selection makes of these operands right?
testing::AssertionResult is_right_with(const SgemmCase& x, const Operands& operands, const Selection& selection)
{
    const CaseOnDevice on_device(x, operands);
    with_selection(selection)(x, operands, on_device.a(), on_device.b(), on_device.c());
    return on_device.is_right(test_device().in_order);
}

// The triple loop in FP32 with fused multiply-adds; alpha 1, beta 0.
float fused_loop(const SgemmCase& x, const Operands& operands, std::size_t i, std::size_t j)
{
    float sum = 0;
    for (std::size_t k = 0; k < x.k; k++)
        sum = std::fma(element_of_op(operands.a, x.trans_a, i, k), element_of_op(operands.b, x.trans_b, k, j), sum);
    return sum;
}

bool same(float one, float other)
{
    return one == other || (std::isnan(one) && std::isnan(other));
}

// How many elements are not the loop's to the bit. What tensor cores compute differs in most, what work-groups compute from
// the floats themselves in none.
std::size_t unlike_the_loop(const SgemmCase& x, const Operands& operands, const GuardedMatrix& c)
{
    std::size_t count = 0;
    for (std::size_t j = 0; j < x.n; j++)
        for (std::size_t i = 0; i < x.m; i++)
            count += same(c.at(i, j), fused_loop(x, operands, i, j)) ? 0 : 1;
    return count;
}

testing::AssertionResult is_of_tensor_cores(const SgemmCase& x, const Operands& operands, const GuardedMatrix& c)
{
    const std::size_t unlike = unlike_the_loop(x, operands, c);
    return unlike > x.m * x.n / 4 ? testing::AssertionSuccess()
                                  : testing::AssertionFailure() << x << ": only " << unlike << " elements are";
}

class TensorCores : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        if (!runs_here(GetParam()))
            GTEST_SKIP() << "the device cannot run kernel " << GetParam();
    }
};

INSTANTIATE_TEST_SUITE_P(Both, TensorCores, testing::Values(of_images, direct), name_of_kernel);

class TensorCoresVariant : public testing::TestWithParam<Variant> {
protected:
    void SetUp() override
    {
        if (!runs_here(GetParam().kernel))
            GTEST_SKIP() << "the device cannot run kernel " << GetParam().kernel;
    }
};

INSTANTIATE_TEST_SUITE_P(All, TensorCoresVariant, testing::ValuesIn(variants_of({of_images, direct})), name_of_variant);

TEST_P(TensorCoresVariant, IsRightForEveryPairOfArguments)
{
    constexpr std::size_t sizes[] = {1,  15, 16, 17,  31,  32,  33,  47,  48,  49,  63, 64,
                                     65, 80, 81, 127, 128, 129, 159, 160, 161, 255, 320};
    constexpr std::size_t depths[] = {1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 256, 257, 500, 1000};
    constexpr std::size_t parts[] = {1, 2, 3, 8};
    constexpr clgemm_layout layouts[] = {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR};
    constexpr clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
    constexpr float alphas[] = {1, -1, 0.5f}, betas[] = {0, 1, -0.7f};
    constexpr std::array<std::size_t, 3> gaps[] = {{0, 0, 0}, {1, 3, 5}, {8, 16, 4}};
    constexpr std::array<std::size_t, 3> offsets[] = {{0, 0, 0}, {1, 3, 7}, {8, 64, 16}};
    constexpr bool exchanges[] = {false, true}; // kernel 20 alone
    for (const auto& row :
         pairwise({std::size(sizes), std::size(sizes), std::size(depths), std::size(parts), std::size(layouts),
                   std::size(transposes), std::size(transposes), std::size(alphas), std::size(betas), std::size(gaps),
                   std::size(offsets), GetParam().is_direct() ? std::size(exchanges) : 1})) {
        const SgemmCase x{layouts[row[4]], transposes[row[5]], transposes[row[6]], sizes[row[0]], sizes[row[1]],
                          depths[row[2]],  alphas[row[7]],     betas[row[8]],      gaps[row[9]],  offsets[row[10]]};
        const Way way = in_parts(parts[row[3]], exchanges[row[11]]);
        ASSERT_TRUE(is_right(x, with_selection(selection_of(GetParam(), way))))
            << way.splits << " parts of K" << (way.exchanged ? ", exchanged" : "");
    }
}

// Also where K, or its last part, is no more than one stage.
TEST_P(TensorCoresVariant, GivesTheSameBitsAThousandTimes)
{
    const auto& queue = test_device().in_order;
    for (const auto& [k, parts] : {std::pair<std::size_t, std::size_t>{20, 1}, {32, 1}, {97, 4}, {1100, 1}, {1100, 4}}) {
        const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 300, 200, k, 1, 0, {}, {}};
        const CaseOnDevice on_device(x);
        const Multiply multiply = with_selection(selection_of(GetParam(), in_parts(parts)));
        const auto result = [&] {
            queue.enqueueFillBuffer(on_device.c, nan, 0, on_device.before.c.bytes());
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

// Kernel 14 alone: what needs no workspace needs no blocks.
class TensorBlocks : public TensorCoresVariant {};

INSTANTIATE_TEST_SUITE_P(All, TensorBlocks, testing::ValuesIn(variants_of({of_images})), name_of_variant);

// Each block is computed as it is in the whole: the same tiles, the same steps.
TEST_P(TensorBlocks, GiveTheSameBitsAsTheWhole)
{
    const Tiling tile = GetParam().tile();
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

// Kernel 20 alone: C' = B' A', into rows instead of columns.
class ExchangedOperands : public TensorCoresVariant {};

INSTANTIATE_TEST_SUITE_P(All, ExchangedOperands, testing::ValuesIn(variants_of({direct})), name_of_variant);

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
                        for (const std::size_t parts : {1, 3}) {
                            const auto whole = [&](std::size_t size) { return aligned ? (size + 3) / 4 * 4 : size; };
                            SgemmCase x{layout, trans_a, trans_b, whole(m), whole(n), whole(k), -1.5f, 0.5f};
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

// Some numbers of a few tiles cannot be computed in pieces: these tiles are the triple loop's to the bit, and all others
// as if the numbers were not there.
class SpecialBlocks : public TensorCoresVariant {
protected:
    struct Place {
        bool in_a;
        std::size_t row, k; // of op(A), or column and k of op(B)
        float value;
    };

    // A problem without special numbers, and its C.
    struct Plain {
        SgemmCase x;
        Operands operands;
        GuardedMatrix c;
    };

    // Each tile has sums that are 0: tiny numbers are of account where a sum is tiny, too.
    Plain plain(const SgemmCase& of) const
    {
        Operands operands(of);
        for (std::size_t i = 2; i < of.m; i += tile.m)
            for (std::size_t k = 0; k < of.k; k++)
                element_of_op(operands.a, of.trans_a, i, k) = 0;
        return {of, operands, result_of(of, operands, selection_of(GetParam()))};
    }

    // Infinite, not a number, not finite once rounded to bf16, and what three pieces do not hold: subnormal and tiny. Where
    // `split` tells by the largest magnitude, also what is only near to infinity.
    std::vector<float> specials() const
    {
        std::vector<float> result{infinity, -infinity, nan, largest, -largest, 0x1p-149f, -0x1.234p-130f, 0x1.abcdeep-115f};
        if (!GetParam().is_direct())
            result.push_back(0x1p127f);
        return result;
    }

    // Whether the tile that begins there computes from the floats themselves because of a special number in this row: with
    // kernel 14 if it shares one of the blocks of 128 rows, which have a range each; with kernel 20 if the row is its own.
    bool meets(std::size_t special, std::size_t tile_begin, std::size_t tile_size, std::size_t rows) const
    {
        const std::size_t last = std::min(tile_begin + tile_size, rows) - 1;
        const std::size_t block = GetParam().is_direct() ? 1 : 128;
        return special / block >= tile_begin / block && special / block <= last / block;
    }

    static Operands with(const std::vector<Place>& places, const Plain& of)
    {
        Operands operands = of.operands;
        for (const auto& [in_a, row, k, value] : places)
            (in_a ? element_of_op(operands.a, of.x.trans_a, row, k) : element_of_op(operands.b, of.x.trans_b, k, row)) =
                value;
        return operands;
    }

    testing::AssertionResult spoil_only_their_tiles(const std::vector<Place>& places, const Plain& of) const
    {
        const SgemmCase& x = of.x;
        const Operands operands = with(places, of);
        const GuardedMatrix c = result_of(x, operands, selection_of(GetParam()));
        std::size_t on_tensor_cores = 0;
        for (std::size_t j = 0; j < x.n; j++)
            for (std::size_t i = 0; i < x.m; i++) {
                const bool in_floats = std::any_of(places.begin(), places.end(), [&](const Place& place) {
                    return place.in_a ? meets(place.row, i / tile.m * tile.m, tile.m, x.m)
                                      : meets(place.row, j / tile.n * tile.n, tile.n, x.n);
                });
                const float expected = in_floats ? fused_loop(x, operands, i, j) : of.c.at(i, j);
                if (!same(c.at(i, j), expected))
                    return testing::AssertionFailure()
                           << x << ": C(" << i << ", " << j << "), " << (in_floats ? "of the floats" : "on tensor cores")
                           << ", is " << std::hexfloat << c.at(i, j) << ", not " << expected;
                on_tensor_cores += in_floats ? 0 : 1;
            }
        if (on_tensor_cores == 0)
            return testing::AssertionFailure() << "nothing was computed on tensor cores";
        return c.canaries_are_alive() ? testing::AssertionSuccess()
                                      : testing::AssertionFailure() << "something outside C was written";
    }

    const Tiling tile = GetParam().tile();
    // Beyond one block of columns that have a range, so that some tiles have nothing to do with a special number.
    const std::size_t columns = std::max<std::size_t>(tile.n, 128);
    const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 2 * tile.m + 5, columns + 9, 101};
};

INSTANTIATE_TEST_SUITE_P(All, SpecialBlocks, testing::ValuesIn(variants_of({of_images, direct})), name_of_variant);

// The two ways round differently, so that tests can tell them apart.
TEST_P(SpecialBlocks, AreNoneWithoutSpecialNumbers)
{
    const Plain of = plain(x);
    EXPECT_TRUE(is_of_tensor_cores(x, of.operands, of.c));
    ASSERT_TRUE(is_right(x, with_selection(selection_of(GetParam()))));
}

TEST_P(SpecialBlocks, AreThoseOfSpecialNumbersInA)
{
    const Plain of = plain(x);
    for (const float special : specials())
        for (const auto& [row, k] : {std::pair<std::size_t, std::size_t>{0, 0}, {tile.m, 50}, {x.m - 1, x.k - 1}})
            ASSERT_TRUE(spoil_only_their_tiles({{true, row, k, special}}, of))
                << special << " in A(" << row << ", " << k << ")";
}

TEST_P(SpecialBlocks, AreThoseOfSpecialNumbersInB)
{
    const Plain of = plain(x);
    for (const float special : specials())
        for (const auto& [row, k] : {std::pair<std::size_t, std::size_t>{0, 0}, {tile.n, 50}, {x.n - 1, x.k - 1}})
            ASSERT_TRUE(spoil_only_their_tiles({{false, row, k, special}}, of))
                << special << " in B(" << k << ", " << row << ")";
}

TEST_P(SpecialBlocks, AreThoseOfBothOperands)
{
    const Plain of = plain(x);
    for (const float special : specials())
        for (const float other : specials()) {
            ASSERT_TRUE(spoil_only_their_tiles({{true, 1, 77, special}, {false, x.n - 1, 77, other}}, of))
                << special << " times " << other;
            ASSERT_TRUE(spoil_only_their_tiles({{true, 1, 0, special}, {true, 1, x.k - 1, other}}, of))
                << special << " and " << other << " in one row";
        }
}

// What three pieces lack of them does not count there.
TEST_P(SpecialBlocks, AreNotThoseOfTinyNumbersAmongOrdinaryOnes)
{
    for (const float tiny : {0x1p-149f, -0x1.234p-130f, 0x1.abcdeep-115f}) {
        Operands operands(x);
        for (std::size_t i = 0; i < x.m; i += 3)
            operands.a.at(i, (7 * i) % x.k) = tiny;
        for (std::size_t j = 0; j < x.n; j += 3)
            operands.b.at(j, (5 * j) % x.k) = -tiny;
        ASSERT_TRUE(is_right_with(x, operands, selection_of(GetParam()))) << tiny;
        EXPECT_TRUE(is_of_tensor_cores(x, operands, result_of(x, operands, selection_of(GetParam())))) << tiny;
    }
}

// One row of A and one column of B are scaled so that their product is ordinary, though the row is not its pieces' sum; the
// other sums of the row are as tiny as it is.
TEST_P(SpecialBlocks, AreThoseOfTinyNumbersTimesHugeOnes)
{
    for (const auto& [small, large] : {std::pair{0x1p-118f, 0x1p110f}, {0x1p-130f, 0x1p120f}, {0x1p-112f, 0x1p60f}})
        for (const bool all : {false, true}) {
            Operands operands(x);
            for (std::size_t k = 0; k < x.k; k++) {
                for (std::size_t i = 0; i < x.m; i++)
                    operands.a.at(i, k) *= all || i == tile.m + 1 ? small : 1;
                for (std::size_t j = 0; j < x.n; j++)
                    operands.b.at(j, k) *= all || j == 5 ? large : 1;
            }
            ASSERT_TRUE(is_right_with(x, operands, selection_of(GetParam()))) << small << ", " << large << ", " << all;
        }
}

// Whichever way operands are loaded and split.
TEST_P(SpecialBlocks, AreTheSameHoweverOperandsLie)
{
    for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
        for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const bool aligned : {true, false}) {
                SgemmCase lying{CLGEMM_COLUMN_MAJOR, trans_a, trans_b, 2 * tile.m + 8, columns + 12, 104};
                lying.gaps = aligned ? std::array<std::size_t, 3>{8, 16, 4} : std::array<std::size_t, 3>{1, 3, 5};
                const Plain of = plain(lying);
                EXPECT_TRUE(is_of_tensor_cores(lying, of.operands, of.c));
                for (const float special : {infinity, nan, -largest, 0x1p-149f}) {
                    for (const auto& [row, k] :
                         {std::pair<std::size_t, std::size_t>{0, lying.k - 1}, {tile.m - 1, 0}, {lying.m - 1, 43}})
                        ASSERT_TRUE(spoil_only_their_tiles({{true, row, k, special}}, of))
                            << special << " in A(" << row << ", " << k << ")";
                    for (const auto& [row, k] :
                         {std::pair<std::size_t, std::size_t>{0, lying.k - 1}, {tile.n - 1, 0}, {lying.n - 1, 43}})
                        ASSERT_TRUE(spoil_only_their_tiles({{false, row, k, special}}, of))
                            << special << " in B(" << k << ", " << row << ")";
                }
            }
}

// Every row and every k takes part in looking for small numbers, which leave no trace in the sums.
TEST_P(SpecialBlocks, AreFoundWhereverSmallNumbersAre)
{
    SgemmCase deep = x; // so that some warps have several stages
    deep.k = 165;
    const Plain of = plain(deep);
    for (const bool in_a : {true, false})
        for (std::size_t i = 0, rows = in_a ? deep.m : deep.n; i < std::max(rows, deep.k); i++)
            ASSERT_TRUE(spoil_only_their_tiles({{in_a, i % rows, i % deep.k, 0x1p-140f}}, of))
                << "row " << i % rows << " of " << (in_a ? "A" : "B") << ", k = " << i % deep.k;
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
            for (const bool is_exchanged : {false, true})
                if (!is_exchanged || GetParam().is_direct()) {
                    ASSERT_TRUE(is_right_with(deep, operands, selection_of(GetParam(), in_parts(3, is_exchanged))))
                        << special << " in A(" << tile.m + 1 << ", " << k << ")";
                }
        }
}

// Where sums overflow all is the triple loop's; a little below, the tensor cores are as accurate as ever. Kernel 14 leaves
// all to the loop where sums may overflow; kernel 20 leaves to it the tiles in which one did.
TEST_P(SpecialBlocks, AreThoseWhereProductsOverflow)
{
    const SgemmCase flat{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, x.m, x.n, 32};
    for (const float factor : {0x1p60f, 0x1p61f, 0x1p63f, 0x1p64f, 0x1p70f}) {
        Operands operands(flat);
        for (auto* const matrix : {&operands.a, &operands.b})
            for (std::size_t i = 0; i < matrix->rows; i++)
                for (std::size_t k = 0; k < matrix->cols; k++)
                    matrix->at(i, k) *= factor;
        if (factor == 0x1p60f) {
            ASSERT_TRUE(is_right_with(flat, operands, selection_of(GetParam())));
            continue;
        }
        const GuardedMatrix c = result_of(flat, operands, selection_of(GetParam()));
        for (std::size_t j = 0; j < x.n; j++)
            for (std::size_t i = 0; i < x.m; i++) {
                const Exact exact = reference(flat.layout, flat.trans_a, flat.trans_b, i, j, flat.k, 1, operands.a.data(),
                                              operands.a.ld, operands.b.data(), operands.b.ld, 0, nullptr, 1);
                const bool on_tensor_cores =
                    GetParam().is_direct() && std::isfinite(c.at(i, j)) && is_right(c.at(i, j), exact, flat.k);
                ASSERT_TRUE(on_tensor_cores || same(c.at(i, j), fused_loop(flat, operands, i, j)))
                    << factor << ": C(" << i << ", " << j << ") is " << c.at(i, j);
            }
    }
}

// Powers of two have one piece, so that nothing but the sums of first pieces tells of the overflow, in one order to the
// tensor cores, from one to the next, or where their sums are added: all are infinite, not the largest finite number, to
// which cutting off might come.
TEST_P(TensorCoresVariant, SumsOfFirstPiecesThatOverflowAreInfinite)
{
    for (const std::size_t k : {1, 2, 15, 16, 17, 32, 33, 64, 100, 300}) {
        SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 150, 135, k};
        for (const bool overflows : {true, false})
            for (const float sign : {1.0f, -1.0f}) {
                // Sums are at least 2^128, or less by half.
                const int product = 128 - static_cast<int>(std::bit_width(k) - 1) - (overflows ? 0 : 1);
                Operands operands(x);
                for (std::size_t i = 0; i < x.m; i++)
                    for (std::size_t l = 0; l < k; l++)
                        element_of_op(operands.a, x.trans_a, i, l) = sign * 0x1p64f;
                for (std::size_t j = 0; j < x.n; j++)
                    for (std::size_t l = 0; l < k; l++)
                        element_of_op(operands.b, x.trans_b, l, j) = std::ldexp(1.0f, product - 64);
                const float expected = sign * (overflows ? infinity : std::ldexp(static_cast<float>(k), product));
                const GuardedMatrix c = result_of(x, operands, selection_of(GetParam()));
                for (std::size_t j = 0; j < x.n; j++)
                    for (std::size_t i = 0; i < x.m; i++)
                        ASSERT_EQ(c.at(i, j), expected) << x << ": C(" << i << ", " << j << ")";
            }
    }
}

// Kernel 20 looks at its own numbers, and leaves no more to the triple loop than it must.
class OwnNumbers : public SpecialBlocks {};

INSTANTIATE_TEST_SUITE_P(All, OwnNumbers, testing::ValuesIn(variants_of({direct})), name_of_variant);

// Magnitudes from 2^exponent to twice that, the least among them, of either sign.
void fill(GuardedMatrix& matrix, int exponent, std::mt19937& random)
{
    std::uniform_real_distribution<float> magnitude(1, 2);
    for (std::size_t i = 0; i < matrix.rows; i++)
        for (std::size_t j = 0; j < matrix.cols; j++)
            matrix.at(i, j) = std::ldexp(random() % 2 == 0 ? magnitude(random) : -magnitude(random), exponent);
    matrix.at(0, 0) = std::ldexp(1.0f, exponent);
}

// Numbers, and products of any two of them, from 2^-100 on have pieces whose products are normal numbers.
TEST_P(OwnNumbers, MayBeAsSmallAsThePiecesOfTheirProductsAllow)
{
    struct Exponents {
        int of_a, of_b;
        bool on_tensor_cores;
    };
    const SgemmCase one_tile{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, tile.m, tile.n, 101};
    std::mt19937 random(1);
    for (const auto& [of_a, of_b, on_tensor_cores] : {Exponents{-100, 0, true},
                                                      {-101, 0, false},
                                                      {-101, 30, false},
                                                      {0, -100, true},
                                                      {0, -101, false},
                                                      {30, -101, false},
                                                      {-50, -50, true},
                                                      {-51, -50, false},
                                                      {-50, -51, false},
                                                      {-100, 100, true},
                                                      {100, -100, true},
                                                      {60, 60, true}}) {
        Operands operands(one_tile);
        fill(operands.a, of_a, random);
        fill(operands.b, of_b, random);
        ASSERT_TRUE(is_right_with(one_tile, operands, selection_of(GetParam()))) << of_a << ", " << of_b;
        const GuardedMatrix c = result_of(one_tile, operands, selection_of(GetParam()));
        if (on_tensor_cores)
            EXPECT_TRUE(is_of_tensor_cores(one_tile, operands, c)) << of_a << ", " << of_b;
        else
            EXPECT_EQ(unlike_the_loop(one_tile, operands, c), 0u) << of_a << ", " << of_b;
    }
}

TEST_P(OwnNumbers, MayBeZeros)
{
    const Plain of = plain(x);
    Operands operands = of.operands;
    for (std::size_t i = 0; i < x.m; i++) // every other k, and all of some rows
        for (std::size_t k = 0; k < x.k; k++)
            if (k % 2 == 1 || i % 7 == 3)
                operands.a.at(i, k) = i % 2 == 0 ? 0.0f : -0.0f;
    ASSERT_TRUE(is_right_with(x, operands, selection_of(GetParam())));
    EXPECT_TRUE(is_of_tensor_cores(x, operands, result_of(x, operands, selection_of(GetParam()))));
    for (std::size_t i = 0; i < x.m; i++) // and all
        for (std::size_t k = 0; k < x.k; k++)
            operands.a.at(i, k) = 0;
    ASSERT_TRUE(is_right_with(x, operands, selection_of(GetParam())));
}

// Up to the largest that rounds to a finite bf16; the other tiles' bits are what they were.
TEST_P(OwnNumbers, MayBeAsLargeAsAPiece)
{
    const Plain of = plain(x);
    for (const float large : {0x1p127f, -0x1.fep127f, 0x1.fefffep127f})
        for (const bool in_a : {true, false}) {
            const std::size_t row = in_a ? tile.m + 1 : tile.n + 1;
            const Operands operands = with({{in_a, row, 40, large}}, of);
            ASSERT_TRUE(is_right_with(x, operands, selection_of(GetParam()))) << large;
            const GuardedMatrix c = result_of(x, operands, selection_of(GetParam()));
            for (std::size_t j = 0; j < x.n; j++)
                for (std::size_t i = 0; i < x.m; i++)
                    if (in_a ? !meets(row, i / tile.m * tile.m, tile.m, x.m)
                             : !meets(row, j / tile.n * tile.n, tile.n, x.n)) {
                        ASSERT_EQ(c.at(i, j), of.c.at(i, j)) << large << ", C(" << i << ", " << j << ")";
                    }
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

// Kernel 14 by computing in blocks; kernel 20 needs none.
TEST_P(TensorCores, StayWithinTheWorkspacesLimit)
{
    const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 1000, 900, 700, -1.5f, 0.5f, {1, 2, 3}, {}};
    const CaseOnDevice on_device(x);
    const auto& queue = test_device().in_order;
    const bool has_blocks = std::string_view(GetParam()) == of_images;
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
    for (const char* const kernel : {of_images, "19_tensor_mma", direct}) {
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

// So that no test is skipped for another reason.
TEST(Kernels, RunOnEveryLargeDeviceButForThoseForTensorCores)
{
    const DeviceProfile& device = test_profile();
    for (const char* const kernel : {of_images, direct})
        EXPECT_EQ(runs_here(kernel), device.nvidia_ptx && device.compute_capability == 90) << kernel;
    EXPECT_EQ(runs_here("19_tensor_mma"), device.nvidia_ptx && device.compute_capability >= 80);
    if (device.local_memory < 48 << 10 || device.max_work_group_size < 1024)
        GTEST_SKIP() << "some others may be too large for this device";
    for (const char* const name : every_kernel())
        EXPECT_TRUE(runs_here(name) || find_kernel(name)->has_instructions) << name;
}

} // namespace
