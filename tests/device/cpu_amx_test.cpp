// cpu_amx on a model of its tiles, in all of its ways: sizes around panels, halves of panels and blocks of K, parts of K;
// and numbers that cannot be computed in pieces, each alone among others.
#include "device/query_profile.hpp"
#include "support/one_pocl_worker.hpp"
#include "support/pairwise.hpp"
#include "support/tensor_kernels.hpp"

#include <limits>

using namespace clgemm::core;
using namespace clgemm::reference;
using namespace clgemm::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float largest = std::numeric_limits<float>::max();
constexpr std::size_t panel = 32;

const clgemm::test::Variant amx{"cpu_amx", 0};

// The panels of one launch lie in local memory, of which PoCL gives as much as a core's cache has.
bool has_room_for_panels()
{
    return query_profile(test_device().device).local_memory >= std::size_t{1} << 20U;
}

// In one launch, in which panels of B pass; in two; and in one in which panels of A pass (Way::form).
class CpuAmx : public testing::TestWithParam<unsigned> {
protected:
    Selection selected(std::size_t parts = 1) const { return selection_of(amx, {.form = GetParam(), .split_k = parts}); }
    void SetUp() override
    {
        if (!runs_here(amx.kernel))
            GTEST_SKIP() << "the device is no CPU";
        if (GetParam() != 1 && !has_room_for_panels())
            GTEST_SKIP() << "the device has too little local memory for panels in one launch";
    }
};

INSTANTIATE_TEST_SUITE_P(Launches, CpuAmx, testing::Values(0U, 1U, 2U));

// Every element of op(A) and op(B) times these; their signs and last bits stay.
Operands scaled(const SgemmCase& x, float a, float b)
{
    Operands operands(x);
    for (std::size_t k = 0; k < x.k; k++) {
        for (std::size_t i = 0; i < x.m; i++)
            element_of_op(operands.a, x.trans_a, i, k) *= a;
        for (std::size_t j = 0; j < x.n; j++)
            element_of_op(operands.b, x.trans_b, k, j) *= b;
    }
    return operands;
}

} // namespace

TEST_P(CpuAmx, IsRightForEveryPairOfArguments)
{
    constexpr std::size_t sizes[] = {1, 15, 16, 17, 31, 32, 33, 47, 49, 64, 65, 97, 300};
    constexpr std::size_t depths[] = {1, 15, 16, 17, 31, 32, 33, 64, 65, 257, 511, 512, 513, 1057};
    constexpr std::size_t parts[] = {1, 2, 3};
    constexpr clgemm_layout layouts[] = {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR};
    constexpr clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS};
    constexpr float alphas[] = {1, -1, 0.5f}, betas[] = {0, 1, -0.7f};
    constexpr std::array<std::size_t, 3> gaps[] = {{0, 0, 0}, {1, 3, 5}, {8, 16, 4}};
    constexpr std::array<std::size_t, 3> offsets[] = {{0, 0, 0}, {1, 3, 7}, {8, 64, 16}};
    for (const auto& row : pairwise({std::size(sizes), std::size(sizes), std::size(depths), std::size(parts),
                                     std::size(layouts), std::size(transposes), std::size(transposes), std::size(alphas),
                                     std::size(betas), std::size(gaps), std::size(offsets)})) {
        const SgemmCase x{layouts[row[4]], transposes[row[5]], transposes[row[6]], sizes[row[0]], sizes[row[1]],
                          depths[row[2]],  alphas[row[7]],     betas[row[8]],      gaps[row[9]],  offsets[row[10]]};
        ASSERT_TRUE(is_right(x, with_selection(selected(parts[row[3]]))));
    }
}

// Of blocks deeper than 512 fewer than eight panels are kept: here four, of five and of six.
TEST_P(CpuAmx, IsRightInDeepBlocks)
{
    Selection deep = selected();
    deep.variant = with_device_features(variant_of(*deep.variant.kernel, {{"TSK", 1024}}), test_profile());
    for (const auto trans : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
        ASSERT_TRUE(is_right({CLGEMM_COLUMN_MAJOR, trans, trans, 165, 133, 1100}, with_selection(deep)));
}

// Otherwise the tests of special numbers below would say nothing.
TEST_P(CpuAmx, ComputesOrdinaryNumbersInPieces)
{
    const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 70, 70, 600};
    const Operands operands(x);
    EXPECT_TRUE(is_of_tensor_cores(x, operands, result_of(x, operands, selected())));
    // So are numbers that a power of two brings near to what does not fit.
    for (const auto& [a, b] : {std::pair{0x1p-60f, 0x1p-20f}, {0x1p60f, 0x1p40f}}) {
        const Operands with = scaled(x, a, b);
        EXPECT_TRUE(is_of_tensor_cores(x, with, result_of(x, with, selected()))) << a << " " << b;
    }
}

// A special number changes the tiles of its panel alone, in all others not a bit.
TEST_P(CpuAmx, ASpecialNumberSpoilsNoOtherTile)
{
    for (const auto& [trans_a, trans_b] : {std::pair{CLGEMM_NO_TRANS, CLGEMM_NO_TRANS}, {CLGEMM_TRANS, CLGEMM_TRANS}}) {
        const SgemmCase x{CLGEMM_COLUMN_MAJOR, trans_a, trans_b, 3 * panel + 5, 2 * panel + 9, 600};
        const Operands plain(x);
        const GuardedMatrix expected = result_of(x, plain, selected());
        for (const float special :
             {infinity, -infinity, not_a_number, largest, 0x1p127f, 0x1p-149f, -0x1.234p-130f, 0x1.abcdeep-115f})
            for (const bool in_a : {true, false}) {
                SCOPED_TRACE(testing::Message() << std::hexfloat << special << (in_a ? " in A" : " in B"));
                const std::size_t line = panel + 7, k = 520; // in the second panel and the second block of K
                Operands operands = plain;
                (in_a ? element_of_op(operands.a, x.trans_a, line, k) : element_of_op(operands.b, x.trans_b, k, line)) =
                    special;
                ASSERT_TRUE(is_right_with(x, operands, selected()));
                const GuardedMatrix c = result_of(x, operands, selected());
                for (std::size_t j = 0; j < x.n; j++)
                    for (std::size_t i = 0; i < x.m; i++)
                        if ((in_a ? i : j) / panel != 1) {
                            ASSERT_TRUE(same(c.at(i, j), expected.at(i, j))) << i << ", " << j;
                        }
            }
    }
}

// Whole operands whose pieces or products are near to the ends of what tiles can hold, and beyond; the results are floats.
TEST_P(CpuAmx, IsRightWhereverItsNumbersLie)
{
    for (const auto& [a, b] : {std::pair{0x1p-90f, 1.0f},
                               {0x1p-100f, 1.0f},
                               {0x1p-102f, 1.0f},
                               {0x1p-104f, 0x1p20f},
                               {0x1p-110f, 0x1p60f},
                               {0x1p-120f, 0x1p100f},
                               {0x1p-126f, 0x1p126f},
                               {0x1p-140f, 0x1p80f},
                               {0x1p-149f, 0x1p100f},
                               {0x1p-40f, 0x1p-40f},
                               {0x1p-48f, 0x1p-48f},
                               {0x1p-50f, 0x1p-50f},
                               {0x1p-60f, 0x1p-60f},
                               {0x1p-62f, 0x1p-60f},
                               {0x1p60f, 0x1p60f},
                               {0x1p62f, 0x1p60f},
                               {0x1p126f, 0x1p-126f},
                               {0x1p127f, 0x1p-20f}})
        for (const std::size_t k : {std::size_t{16}, std::size_t{130}, std::size_t{600}}) {
            const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 45, 37, k};
            EXPECT_TRUE(is_right_with(x, scaled(x, a, b), selected())) << std::hexfloat << a << " " << b;
            EXPECT_TRUE(is_right_with(x, scaled(x, b, a), selected())) << std::hexfloat << b << " " << a;
        }
}

// Tiny numbers beside ordinary ones: they count where the ordinary ones meet zeros alone.
TEST_P(CpuAmx, TinyNumbersCountWhereSumsAreTiny)
{
    const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 40, 40, 100};
    for (const float tiny : {0x1.8p-104f, 0x1.234566p-112f, 0x1.23456p-120f, 0x1.234p-130f}) {
        Operands operands(x);
        for (std::size_t k = 0; k < x.k; k++) {
            element_of_op(operands.a, x.trans_a, 3, k) = tiny;
            element_of_op(operands.a, x.trans_a, 5, k) = k % 2 == 0 ? 0 : tiny;
            if (k % 2 == 0)
                element_of_op(operands.b, x.trans_b, k, 4) = 0;
        }
        EXPECT_TRUE(is_right_with(x, operands, selected())) << std::hexfloat << tiny;
    }
}

// Each block of C is computed as it is in the whole: the same tiles, the same blocks of K.
TEST_P(CpuAmx, GivesTheSameBitsInBlocksOfC)
{
    const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 101, 71, 555, -1.5f, 0.5f, {1, 2, 3}, {3, 1, 2}};
    const Operands operands(x);
    const GuardedMatrix whole = result_of(x, operands, selected());
    for (const auto& [m, n] : {std::pair{panel, panel}, {2 * panel, panel}, {x.m, panel}, {panel, x.n}}) {
        Selection in_blocks = selected();
        in_blocks.blocks = {m, n};
        EXPECT_TRUE(result_of(x, operands, in_blocks).same_bits(whole)) << "in blocks of " << m << " x " << n;
    }
}

// The forms of Way besides the plain one, with which they are compared.
TEST(CpuAmxWays, GiveTheSameBitsAsThePlainOne)
{
    if (!runs_here(amx.kernel) || !has_room_for_panels())
        GTEST_SKIP() << "the device is no CPU, or has too little local memory for panels in one launch";
    const SgemmCase x{CLGEMM_ROW_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 301, 171, 1055, -1.5f, 0.5f};
    const Operands operands(x);
    const GuardedMatrix expected = result_of(x, operands, selection_of(amx));
    for (const unsigned form : {1U, 2U})
        EXPECT_TRUE(result_of(x, operands, selection_of(amx, {.form = form})).same_bits(expected)) << form;
}
