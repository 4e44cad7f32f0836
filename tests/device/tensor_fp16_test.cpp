// Kernels tensor_tf32 and tensor_fast where they run (skipped elsewhere): numbers and rows that fp16 pieces cannot hold as
// they are, and those that they cannot hold at all.
#include "support/one_pocl_worker.hpp"
#include "support/tensor_kernels.hpp"

#include <limits>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float largest = std::numeric_limits<float>::max();

class Fp16Pieces : public TensorCoresVariant {
protected:
    testing::AssertionResult is_right(const SgemmCase& of, const Operands& operands, std::size_t parts = 1) const
    {
        return is_right_with(of, operands, selection_of(GetParam(), in_parts(parts)));
    }

    const Tiling tile = GetParam().tile();
    const SgemmCase x{CLGEMM_COLUMN_MAJOR,
                      CLGEMM_NO_TRANS,
                      CLGEMM_TRANS,
                      2 * tile.m + 5,
                      std::max<std::size_t>(tile.n, 128) + 9,
                      501,
                      1,
                      0,
                      {},
                      {},
                      GetParam().math()};
};

INSTANTIATE_TEST_SUITE_P(All, Fp16Pieces, testing::ValuesIn(variants_of({of_one_half, of_two_halves})), name_of_variant);

TEST_P(Fp16Pieces, AreMultipliedOnTensorCores)
{
    const Operands operands(x);
    EXPECT_TRUE(is_of_tensor_cores(x, operands, result_of(x, operands, selection_of(GetParam()))));
}

TEST_P(Fp16Pieces, AreNoneOfNaNInfinityAndTheLargestNumbers)
{
    for (const float special : {infinity, -infinity, nan, largest, -largest, 0x1p127f})
        for (const auto& [row, k] : {std::pair<std::size_t, std::size_t>{0, 0}, {tile.m, 250}, {x.m - 1, x.k - 1}})
            for (const std::size_t parts : {1U, 3U}) {
                Operands operands(x);
                operands.a.at(row, k) = special;
                ASSERT_TRUE(is_right(x, operands, parts)) << special << " in A(" << row << ", " << k << ")";
                operands.b.at(3, 100) = special;
                ASSERT_TRUE(is_right(x, operands, parts)) << special << " in both";
            }
}

// Rows of A and columns of B of any magnitude, as long as no sum of products of the largest ones could overflow, and none is
// tiny.
TEST_P(Fp16Pieces, OfRowsOfAllMagnitudesAreScaled)
{
    for (const int spread : {10, 55, 60}) {
        Operands operands(x);
        std::mt19937 random(1);
        std::uniform_int_distribution<int> exponent(-spread, spread);
        for (std::size_t i = 0; i < x.m; i++) {
            const float factor = std::ldexp(1.0f, exponent(random));
            for (std::size_t k = 0; k < x.k; k++)
                operands.a.at(i, k) *= factor;
        }
        for (std::size_t j = 0; j < x.n; j++) {
            const float factor = std::ldexp(1.0f, exponent(random));
            for (std::size_t k = 0; k < x.k; k++)
                operands.b.at(j, k) *= factor;
        }
        EXPECT_TRUE(is_right(x, operands)) << spread;
        if (spread < 60) { // 501 products of 2^60 by 2^60 might be infinite
            EXPECT_TRUE(is_of_tensor_cores(x, operands, result_of(x, operands, selection_of(GetParam())))) << spread;
        }
    }
}

// Subnormal numbers are scaled as others are, and the other operand makes the products ordinary.
TEST_P(Fp16Pieces, OfSubnormalRowsAreScaled)
{
    for (const auto& [small, large] : {std::pair{0x1p-118f, 0x1p110f}, {0x1p-130f, 0x1p120f}, {0x1p-112f, 0x1p60f}}) {
        Operands operands(x);
        for (std::size_t k = 0; k < x.k; k++) {
            for (std::size_t i = 0; i < x.m; i++)
                operands.a.at(i, k) *= small;
            for (std::size_t j = 0; j < x.n; j++)
                operands.b.at(j, k) *= large;
        }
        ASSERT_TRUE(is_right(x, operands)) << small << ", " << large;
    }
}

// Along K, where B takes back what A adds: one scale for a row holds few of its elements.
TEST_P(Fp16Pieces, OfSmallElementsOfARowThatCountAreWithinWhatIsPromised)
{
    for (const int spread : {8, 15, 30, 60}) {
        Operands operands(x);
        for (std::size_t k = 0; k < x.k; k++) {
            const int exponent = static_cast<int>(k * static_cast<std::size_t>(2 * spread) / x.k) - spread;
            for (std::size_t i = 0; i < x.m; i++)
                operands.a.at(i, k) = std::ldexp(operands.a.at(i, k), exponent);
            for (std::size_t j = 0; j < x.n; j++)
                operands.b.at(j, k) = std::ldexp(operands.b.at(j, k), -exponent);
        }
        EXPECT_TRUE(is_right(x, operands)) << spread;
    }
}

} // namespace
