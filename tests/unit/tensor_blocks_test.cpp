// The images of kernel 14: what they take, and the blocks of C for which that is little enough.
#include "made_up.hpp"

#include "kernels/registry.hpp"
#include "select/tensor_blocks.hpp"
#include "support/arithmetic.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

constexpr std::size_t sizes[] = {1, 63, 64, 65, 128, 129, 160, 161, 500, 1280, 4099, 100'000};

std::vector<Tiling> tilings()
{
    const KernelInfo& kernel = *find_kernel("14");
    std::vector<Tiling> result;
    for (const auto& variant : kernel.variants)
        result.push_back(kernel.tiling(variant));
    return result;
}

} // namespace

TEST(TensorImage, HasThreePiecesOfEachElementOfWholeTilesAndARangeForEachBlock)
{
    // 300 rows in tiles of 80, K in three depths of 32.
    const TensorImage image = tensor_image(300, 70, 80);
    EXPECT_EQ(image.rows, 320u);
    EXPECT_EQ(image.row_floats * sizeof(float), 96u * 3 * 2);
    EXPECT_EQ(image.range_blocks, 3u) << "of 128 rows";
    EXPECT_EQ(image.range_depths, 3u);

    const TensorImage one = tensor_image(1, 1, 64);
    EXPECT_EQ(one.rows, 64u);
    EXPECT_EQ(one.row_floats * sizeof(float), 32u * 3 * 2);
    EXPECT_EQ(one.range_blocks, 1u);
    EXPECT_EQ(one.range_depths, 1u);
}

TEST(TensorBytes, AreThoseOfBothImagesAndTheirRangesAtLeast)
{
    for (const Tiling& tiling : tilings())
        for (const auto m : sizes)
            for (const auto n : sizes)
                for (const std::size_t k : {1, 32, 33, 1000}) {
                    const auto floats = [&](std::size_t rows, std::size_t tile) {
                        const TensorImage image = tensor_image(rows, k, tile);
                        return image.rows * image.row_floats + image.range_blocks * image.range_depths;
                    };
                    const auto least = static_cast<double>(4 * (floats(m, tiling.m) + floats(n, tiling.n)));
                    EXPECT_GE(tensor_bytes({m, n}, k, tiling), least);
                    EXPECT_LE(tensor_bytes({m, n}, k, tiling), least + 4 * 256) << "each starts at 256 bytes";
                }
}

TEST(TensorBlocks, AreWholeTilesThatFitOrTheWholeProblem)
{
    std::size_t in_blocks = 0, whole = 0, none = 0;
    for (const Tiling& tiling : tilings())
        for (const auto m : sizes)
            for (const auto n : sizes)
                for (const std::size_t k : {1, 33, 1000, 20'000})
                    for (const double bytes : {1.0, 1e5, 1e6, 1e7, 1e8, 1e9, 1e11}) {
                        const auto blocks = tensor_blocks(m, n, k, tiling, bytes);
                        if (!blocks) {
                            none++;
                            const TensorBlocks smallest{std::min(m, tiling.m), std::min(n, tiling.n)};
                            const std::size_t count = divide_up(m, tiling.m) * divide_up(n, tiling.n);
                            EXPECT_TRUE(tensor_bytes(smallest, k, tiling) > bytes || count > 4096)
                                << m << " x " << n << " x " << k << " in " << bytes;
                            continue;
                        }
                        EXPECT_LE(tensor_bytes(*blocks, k, tiling), bytes);
                        EXPECT_GT(blocks->m * blocks->n, 0u);
                        EXPECT_TRUE(blocks->m == m || (blocks->m < m && blocks->m % tiling.m == 0)) << blocks->m;
                        EXPECT_TRUE(blocks->n == n || (blocks->n < n && blocks->n % tiling.n == 0)) << blocks->n;
                        const bool is_whole = blocks->m == m && blocks->n == n;
                        (is_whole ? whole : in_blocks)++;
                        EXPECT_EQ(is_whole, tensor_bytes({m, n}, k, tiling) <= bytes) << "blocks only where they must be";
                    }
    EXPECT_GT(in_blocks, 100u);
    EXPECT_GT(whole, 100u);
    EXPECT_GT(none, 100u);
}

TEST(TensorBlocks, AreNearlySquare)
{
    const Tiling tiling = tilings().front();
    const auto blocks = tensor_blocks(32'768, 32'768, 1024, tiling, 64e6);
    ASSERT_TRUE(blocks);
    EXPECT_LE(std::max(blocks->m, blocks->n), 2 * std::min(blocks->m, blocks->n));
    EXPECT_GT(tensor_bytes({2 * blocks->m, 2 * blocks->n}, 1024, tiling), 64e6) << "no smaller than they must be";
}

TEST(TensorBlocks, ThereAreNoneOfAbsurdlyLargeProblems)
{
    // Sizes in bytes beyond 64 bits, and blocks that nobody could count.
    const Tiling tiling = tilings().front();
    const std::size_t huge = (std::size_t{1} << 61) + 1;
    for (const double bytes : {1e6, 1e10, 1e12}) {
        EXPECT_FALSE(tensor_blocks(huge, 1, 1, tiling, bytes));
        EXPECT_FALSE(tensor_blocks(1, huge, 1, tiling, bytes));
        EXPECT_FALSE(tensor_blocks(1, 1, huge, tiling, bytes));
    }
}
