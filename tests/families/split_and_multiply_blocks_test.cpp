// The images of kernels 14 and 19: what they take, and the blocks of C for which that is little enough.
#include "unit/multiply_plans.hpp"

#include "support/whole_numbers.hpp"

#include <gtest/gtest.h>

namespace clgemm::test {

using namespace core;

namespace {

constexpr std::size_t sizes[] = {1, 63, 64, 65, 128, 129, 160, 161, 500, 1280, 4099, 100'000};

std::vector<Variant> variants()
{
    std::vector<Variant> result;
    for (const auto* kernel : {"14", "19"})
        for (std::size_t i = 0; i < find_kernel(kernel)->variants.size(); i++)
            result.push_back(variant_of(kernel, hopper_gpu(), i));
    return result;
}

// What the images for a C of m x n take, with all that belongs to them.
std::size_t bytes_for(std::size_t m, std::size_t n, std::size_t k, const Variant& variant)
{
    return variant.family().outline(problem(m, n, k), hopper_gpu(), variant, {}).workspace_bytes;
}

// All of C, if that takes no more workspace than this, else blocks; none if there are no blocks so small.
std::optional<Blocks> blocks_within(std::size_t bytes, std::size_t m, std::size_t n, std::size_t k, const Variant& variant)
{
    return core::blocks_within(problem(m, n, k), hopper_gpu(), variant, bytes);
}

// A kernel 14 with tiles of so many rows.
Variant with_tiles_of(std::size_t rows)
{
    for (const Variant& variant : variants())
        if (variant.tiling.m == rows)
            return variant;
    throw std::logic_error("there is none");
}

} // namespace

TEST(TensorImage, HasThreePiecesOfEachElementOfWholeTilesAndARangeForEachBlock)
{
    const auto image_a = [](std::size_t m, std::size_t k, std::size_t tile) {
        const DeviceProfile device = hopper_gpu();
        const Plan plan = planned(problem(m, 1, k), device, with_tiles_of(tile), {}).plan;
        return numbers_of<kernel_arguments::Splitting>(plan.steps.at(0));
    };
    // 300 rows in tiles of 80, K in three depths of 32: three pieces of two bytes each, and ranges of 3 x 3 blocks. What
    // follows begins at the next multiple of 256 bytes, 64 floats.
    const auto some = image_a(300, 70, 80);
    EXPECT_EQ(some.imageA.rows, 320u);
    EXPECT_EQ(some.imageA.ranges - some.imageA.offset, round_up(std::size_t{320} * 96 * 3 * 2 / sizeof(float), 64));
    EXPECT_EQ(some.groupsA, 3u) << "of 128 rows";
    EXPECT_LT(some.imageB.ranges, some.imageA.offset) << "B's comes first";

    const auto one = image_a(1, 1, 64);
    EXPECT_EQ(one.imageA.rows, 64u);
    EXPECT_EQ(one.imageA.ranges - one.imageA.offset, std::size_t{64} * 32 * 3 * 2 / sizeof(float));
    EXPECT_EQ(one.groupsA, 1u);
    EXPECT_EQ(one.imageA.offset - one.imageB.ranges, 64u);
}

// 4 bytes of each element are read, and 6 bytes of each one of the images are written.
TEST(TensorOutline, CountsRowsThatFillUpTheLastTiles)
{
    const Variant variant = with_tiles_of(80);
    ASSERT_EQ(variant.tiling.n, 128u);
    const auto splitting = [&](std::size_t m, std::size_t n) {
        return variant.family().outline(problem(m, n, 32), hopper_gpu(), variant, {}).launches.front().bytes;
    };
    EXPECT_DOUBLE_EQ(splitting(80, 128), 32 * (4 + 6) * (80 + 128));
    EXPECT_DOUBLE_EQ(splitting(81, 1), 32 * (4 * (81 + 1) + 6 * (160 + 128)));
}

TEST(TensorBytes, AreThoseOfBothImagesAndTheirRangesAtLeast)
{
    for (const Variant& variant : variants())
        for (const auto m : sizes)
            for (const auto n : sizes)
                for (const std::size_t k : {1U, 32U, 33U, 1000U}) {
                    const auto floats = [&](std::size_t rows, std::size_t tile) {
                        const std::size_t depths = divide_up(k, 32), image_rows = round_up(rows, tile);
                        return image_rows * depths * 32 * 3 * 2 / sizeof(float) + divide_up(image_rows, 128) * depths;
                    };
                    const std::size_t least = 4 * (floats(m, variant.tiling.m) + floats(n, variant.tiling.n));
                    EXPECT_GE(bytes_for(m, n, k, variant), least);
                    EXPECT_LT(bytes_for(m, n, k, variant), least + 4 * 256) << "each starts at 256 bytes";
                }
}

TEST(TensorBlocks, AreWholeTilesThatFitOrTheWholeProblem)
{
    std::size_t in_blocks = 0, whole = 0, none = 0;
    for (const Variant& variant : variants())
        for (const auto m : sizes)
            for (const auto n : sizes)
                for (const std::size_t k : {1U, 33U, 1000U, 20'000U})
                    for (const std::size_t bytes :
                         {std::size_t{1}, std::size_t{100'000}, std::size_t{1'000'000}, std::size_t{10'000'000},
                          std::size_t{100'000'000}, std::size_t{1'000'000'000}, std::size_t{100'000'000'000}}) {
                        const Tiling& tiling = variant.tiling;
                        const auto blocks = blocks_within(bytes, m, n, k, variant);
                        if (!blocks) {
                            none++;
                            const std::size_t count = divide_up(m, tiling.m) * divide_up(n, tiling.n);
                            EXPECT_TRUE(bytes_for(std::min(m, tiling.m), std::min(n, tiling.n), k, variant) > bytes ||
                                        count > 4096)
                                << m << " x " << n << " x " << k << " in " << bytes;
                            continue;
                        }
                        const bool is_whole = *blocks == Blocks{m, n};
                        (is_whole ? whole : in_blocks)++;
                        EXPECT_EQ(is_whole, bytes_for(m, n, k, variant) <= bytes) << "blocks only where they must be";
                        if (is_whole)
                            continue;
                        EXPECT_LE(bytes_for(blocks->m, blocks->n, k, variant), bytes);
                        EXPECT_EQ(outline_of(problem(m, n, k), hopper_gpu(), variant, {}, *blocks).workspace_bytes,
                                  bytes_for(blocks->m, blocks->n, k, variant));
                        EXPECT_GT(blocks->m * blocks->n, 0u);
                        EXPECT_TRUE(blocks->m == m || (blocks->m < m && blocks->m % tiling.m == 0)) << blocks->m;
                        EXPECT_TRUE(blocks->n == n || (blocks->n < n && blocks->n % tiling.n == 0)) << blocks->n;
                        EXPECT_TRUE(blocks->m < m || blocks->n < n);
                    }
    EXPECT_GT(in_blocks, 100u);
    EXPECT_GT(whole, 100u);
    EXPECT_GT(none, 100u);
}

TEST(TensorBlocks, AreNearlySquare)
{
    for (const auto* kernel : {"14", "19"}) {
        const Variant variant = variant_of(kernel, hopper_gpu());
        constexpr std::size_t bytes = 64'000'000;
        const auto blocks = blocks_within(bytes, 32'768, 32'768, 1024, variant);
        ASSERT_TRUE(blocks);
        ASSERT_GT(blocks->m, 0u);
        EXPECT_LE(std::max(blocks->m, blocks->n), 2 * std::min(blocks->m, blocks->n));
        EXPECT_GT(bytes_for(2 * blocks->m, 2 * blocks->n, 1024, variant), bytes) << "no smaller than they must be";
    }
}

TEST(TensorBlocks, ThereAreNoneOfAbsurdlyLargeProblems)
{
    // Sizes in bytes beyond 64 bits, and blocks that nobody could count.
    const std::size_t huge = (std::size_t{1} << 61) + 1;
    for (const Variant& variant : variants())
        for (const std::size_t bytes :
             {std::size_t{1'000'000}, std::size_t{10'000'000'000}, std::size_t{1'000'000'000'000}}) {
            EXPECT_FALSE(blocks_within(bytes, huge, 1, 1, variant));
            EXPECT_FALSE(blocks_within(bytes, 1, huge, 1, variant));
            EXPECT_FALSE(blocks_within(bytes, 1, 1, huge, variant));
        }
}

} // namespace clgemm::test
