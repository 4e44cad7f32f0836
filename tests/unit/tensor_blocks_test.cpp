// The images of kernels 14 and 19: what they take, and the blocks of C for which that is little enough.
#include "multiply_plans.hpp"

#include "support/arithmetic.hpp"

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

// All ways there are with no more workspace than this; of those that differ in the parts of K alone, the one that has none.
std::optional<Way> way_within(std::size_t bytes, std::size_t m, std::size_t n, std::size_t k, const Variant& variant)
{
    const auto ways = variant.family().ways(problem(m, n, k), hopper_gpu(), variant, bytes);
    if (ways.empty())
        return std::nullopt;
    for (const Way& way : ways) {
        EXPECT_EQ(way.block_m, ways.front().block_m);
        EXPECT_EQ(way.block_n, ways.front().block_n);
        EXPECT_FALSE(way.copy_a || way.copy_b || way.transposed);
        EXPECT_TRUE(way.block_m == 0 || way.split_k == 1) << "blocks are of all of K";
    }
    EXPECT_EQ(ways.front().split_k, 1u);
    EXPECT_EQ(ways.front().block_m == 0, ways.front().block_n == 0);
    return ways.front();
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
    EXPECT_EQ(some.imageB.offset - some.imageA.ranges, round_up(3 * 3, 64));

    const auto one = image_a(1, 1, 64);
    EXPECT_EQ(one.imageA.rows, 64u);
    EXPECT_EQ(one.imageA.ranges - one.imageA.offset, std::size_t{64} * 32 * 3 * 2 / sizeof(float));
    EXPECT_EQ(one.groupsA, 1u);
    EXPECT_EQ(one.imageB.offset - one.imageA.ranges, 64u);
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
                        const auto way = way_within(bytes, m, n, k, variant);
                        if (!way) {
                            none++;
                            const std::size_t count = divide_up(m, tiling.m) * divide_up(n, tiling.n);
                            EXPECT_TRUE(bytes_for(std::min(m, tiling.m), std::min(n, tiling.n), k, variant) > bytes ||
                                        count > 4096)
                                << m << " x " << n << " x " << k << " in " << bytes;
                            continue;
                        }
                        const bool is_whole = way->block_m == 0;
                        (is_whole ? whole : in_blocks)++;
                        EXPECT_EQ(is_whole, bytes_for(m, n, k, variant) <= bytes) << "blocks only where they must be";
                        if (is_whole)
                            continue;
                        EXPECT_LE(bytes_for(way->block_m, way->block_n, k, variant), bytes);
                        EXPECT_EQ(variant.family().outline(problem(m, n, k), hopper_gpu(), variant, *way).workspace_bytes,
                                  bytes_for(way->block_m, way->block_n, k, variant));
                        EXPECT_GT(way->block_m * way->block_n, 0u);
                        EXPECT_TRUE(way->block_m == m || (way->block_m < m && way->block_m % tiling.m == 0)) << way->block_m;
                        EXPECT_TRUE(way->block_n == n || (way->block_n < n && way->block_n % tiling.n == 0)) << way->block_n;
                        EXPECT_TRUE(way->block_m < m || way->block_n < n);
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
        const auto way = way_within(bytes, 32'768, 32'768, 1024, variant);
        ASSERT_TRUE(way);
        ASSERT_GT(way->block_m, 0u);
        EXPECT_LE(std::max(way->block_m, way->block_n), 2 * std::min(way->block_m, way->block_n));
        EXPECT_GT(bytes_for(2 * way->block_m, 2 * way->block_n, 1024, variant), bytes) << "no smaller than they must be";
    }
}

TEST(TensorBlocks, ThereAreNoneOfAbsurdlyLargeProblems)
{
    // Sizes in bytes beyond 64 bits, and blocks that nobody could count.
    const std::size_t huge = (std::size_t{1} << 61) + 1;
    for (const Variant& variant : variants())
        for (const std::size_t bytes :
             {std::size_t{1'000'000}, std::size_t{10'000'000'000}, std::size_t{1'000'000'000'000}}) {
            EXPECT_FALSE(way_within(bytes, huge, 1, 1, variant));
            EXPECT_FALSE(way_within(bytes, 1, huge, 1, variant));
            EXPECT_FALSE(way_within(bytes, 1, 1, huge, variant));
        }
}

} // namespace clgemm::test
