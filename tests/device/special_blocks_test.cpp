// Kernels 14, 19 and 20 (skipped where they do not run): numbers that cannot be computed in pieces, and what they do to the
// rest of C.
#include "reference/reference.hpp"
#include "support/one_pocl_worker.hpp"
#include "support/tensor_kernels.hpp"

#include <algorithm>
#include <bit>
#include <limits>

using namespace clgemm::core;
using namespace clgemm::reference;
using namespace clgemm::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float largest = std::numeric_limits<float>::max();

// Some numbers of a few tiles cannot be computed in pieces: these tiles are the plain loop's (fused_loop) to the bit, and
// all others as if the numbers were not there.
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

    // What three pieces do not hold: subnormal and tiny; kernel 20's hold them, but not, times 2^16, what is large.
    std::vector<float> not_in_pieces() const
    {
        return GetParam().is_direct() ? std::vector{0x1p112f, -0x1.ff8p111f}
                                      : std::vector{0x1p-149f, -0x1.234p-130f, 0x1.abcdeep-115f};
    }

    // Infinite, not a number, not finite once rounded to bf16, and not in pieces. Where `split` tells by the largest
    // magnitude, also what is only near to infinity.
    std::vector<float> specials() const
    {
        std::vector<float> result{infinity, -infinity, nan, largest, -largest};
        for (const float number : not_in_pieces())
            result.push_back(number);
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
        const SgemmCase& its = of.x;
        const Operands operands = with(places, of);
        const GuardedMatrix c = result_of(its, operands, selection_of(GetParam()));
        std::size_t on_tensor_cores = 0;
        for (std::size_t j = 0; j < its.n; j++)
            for (std::size_t i = 0; i < its.m; i++) {
                const bool in_floats = std::any_of(places.begin(), places.end(), [&](const Place& place) {
                    return place.in_a ? meets(place.row, i / tile.m * tile.m, tile.m, its.m)
                                      : meets(place.row, j / tile.n * tile.n, tile.n, its.n);
                });
                const float expected = in_floats ? fused_loop(its, operands, i, j) : of.c.at(i, j);
                if (!same(c.at(i, j), expected))
                    return testing::AssertionFailure()
                           << its << ": C(" << i << ", " << j << "), " << (in_floats ? "of the floats" : "on tensor cores")
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

INSTANTIATE_TEST_SUITE_P(All, SpecialBlocks, testing::ValuesIn(variants_of({of_images, of_images_by_mma, direct})),
                         name_of_variant);

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

// What three pieces lack of them does not count there. (Kernel 19 does not look at its sums: it takes the floats.)
TEST_P(SpecialBlocks, AreNotThoseOfTinyNumbersAmongOrdinaryOnes)
{
    const bool looks_at_sums = GetParam().kernel != std::string_view(of_images_by_mma);
    for (const float tiny : {0x1p-149f, -0x1.234p-130f, 0x1.abcdeep-115f}) {
        Operands operands(x);
        for (std::size_t i = 0; i < x.m; i += 3)
            operands.a.at(i, (7 * i) % x.k) = tiny;
        for (std::size_t j = 0; j < x.n; j += 3)
            operands.b.at(j, (5 * j) % x.k) = -tiny;
        ASSERT_TRUE(is_right_with(x, operands, selection_of(GetParam()))) << tiny;
        const GuardedMatrix c = result_of(x, operands, selection_of(GetParam()));
        EXPECT_EQ(static_cast<bool>(is_of_tensor_cores(x, operands, c)), looks_at_sums) << tiny;
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
                for (const float special : {infinity, nan, -largest, not_in_pieces()[0]}) {
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

// Every row and every k takes part in looking for them. (Small numbers leave no trace in the sums.)
TEST_P(SpecialBlocks, AreFoundWhereverTheyAre)
{
    SgemmCase deep = x; // so that some warps have several stages
    deep.k = 165;
    const Plain of = plain(deep);
    for (const bool in_a : {true, false})
        for (std::size_t i = 0, rows = in_a ? deep.m : deep.n; i < std::max(rows, deep.k); i++)
            ASSERT_TRUE(spoil_only_their_tiles({{in_a, i % rows, i % deep.k, not_in_pieces()[0]}}, of))
                << "row " << i % rows << " of " << (in_a ? "A" : "B") << ", k = " << i % deep.k;
}

// Deep enough that each work-item that looks for them has ranges of its own, and some have two.
TEST_P(SpecialBlocks, AreFoundInADeepK)
{
    SgemmCase deep = x;
    deep.k = 3400;
    const Plain of = plain(deep);
    for (const bool in_a : {true, false})
        for (const auto& [k, special] :
             {std::pair<std::size_t, float>{32 * 40 + 3, not_in_pieces()[0]}, {32 * 70 + 31, nan}, {32 * 101, nan}})
            ASSERT_TRUE(spoil_only_their_tiles({{in_a, 1, k, special}}, of))
                << special << " in " << (in_a ? "A" : "B") << ", k = " << k;
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

// Where sums overflow all is the plain loop's; a little below, the tensor cores are as accurate as ever. Kernel 14 leaves
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
                const Exact exact = element(flat.layout, flat.trans_a, flat.trans_b, i, j, flat.k, 1, operands.a.data(),
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
    for (const std::size_t k : {1U, 2U, 15U, 16U, 17U, 32U, 33U, 64U, 100U, 300U}) {
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

// Kernel 20 looks at its own numbers, and leaves no more to the plain loop than it must.
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

// Times 2^16 all floats that are small are their pieces' sum, also subnormal ones, and all that counts of their products is
// far above the smallest numbers. Large ones become infinite, and so do sums.
TEST_P(OwnNumbers, MayBeAsSmallAsFloatsAre)
{
    struct Exponents {
        int of_a, of_b;
        bool on_tensor_cores;
    };
    const SgemmCase one_tile{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, tile.m, tile.n, 101};
    std::mt19937 random(1);
    for (const auto& [of_a, of_b, on_tensor_cores] : {Exponents{-100, 0, true},
                                                      {-126, 0, true},
                                                      {0, -126, true},
                                                      {-135, 110, true},
                                                      {110, -135, true},
                                                      {-50, -51, true},
                                                      {-126, 110, true},
                                                      {60, 20, true},
                                                      {80, 20, false},
                                                      {112, -112, false},
                                                      {-112, 112, false}}) {
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

// Products that are below all floats add up to one that is, and is rounded once.
TEST_P(OwnNumbers, MayHaveProductsBelowAllFloats)
{
    const SgemmCase one_tile{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, tile.m, tile.n, 101};
    std::mt19937 random(1);
    for (const auto& [of_a, of_b] : {std::pair{-75, -75}, {-149, -1}, {-149, 0}, {-140, -9}, {-70, -72}, {-149, -149}}) {
        Operands operands(one_tile);
        fill(operands.a, of_a, random);
        fill(operands.b, of_b, random);
        const GuardedMatrix c = result_of(one_tile, operands, selection_of(GetParam()));
        for (std::size_t j = 0; j < one_tile.n; j++)
            for (std::size_t i = 0; i < one_tile.m; i++) {
                const Exact exact =
                    element(one_tile.layout, one_tile.trans_a, one_tile.trans_b, i, j, one_tile.k, 1, operands.a.data(),
                            operands.a.ld, operands.b.data(), operands.b.ld, 0, nullptr, 1);
                ASSERT_NEAR(c.at(i, j), exact.value, 0x1p-150 * 1.001) << of_a << ", " << of_b;
            }
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

} // namespace
