// What holds for products of a shallow K alone: which it takes, by which programs, and that nobody trusts a guess about it.
#include "select/plan_of.hpp"
#include "select/selection.hpp"
#include "tuning/derived_tuning.hpp"
#include "unit/made_up_tuning.hpp"
#include "unit/multiply_plans.hpp"

#include <gtest/gtest.h>

#include <set>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

const KernelInfo& shallow()
{
    return *find_kernel("shallow");
}

Step step_of(const Problem& problem)
{
    return plan_of(problem, hopper_gpu(), first_variant("shallow"), {}).steps.front();
}

} // namespace

TEST(Shallow, IsMadeForAKOfAtMost32)
{
    for (const Variant& variant : variants_of(shallow()))
        for (const std::size_t side : {1U, 500U, 100'000U}) {
            for (const std::size_t k : {1U, 4U, 16U, 32U})
                EXPECT_EQ(variant.family().ways(problem(side, side, k), hopper_gpu(), variant).size(), 1u)
                    << side << ' ' << k;
            for (const std::size_t k : {33U, 512U})
                EXPECT_TRUE(variant.family().ways(problem(side, side, k), hopper_gpu(), variant).empty())
                    << side << ' ' << k;
        }
}

TEST(Shallow, HasOneProgramForFourDepthsAndOneForAllFromThirtyThreeOn)
{
    std::set<std::string> programs;
    for (std::size_t k = 1; k <= 50; k++) {
        const Step step = step_of(problem(100, 100, k));
        const std::size_t filled_up = std::min<std::size_t>((k + 3) / 4 * 4, 32);
        EXPECT_TRUE(has_option(step, "TSK=" + std::to_string(filled_up))) << step.options;
        EXPECT_TRUE(has_option(step, k <= 32 ? "DEEP=0" : "DEEP=1")) << step.options;
        programs.insert(step.options);
    }
    EXPECT_EQ(programs.size(), 9u);
}

// Elsewhere they are read one by one, or B's go to local memory that is laid out otherwise.
TEST(Shallow, ReadsVectorsWhereAsMemoryRunsAlongK)
{
    EXPECT_TRUE(has_option(step_of(problem(100, 100, 8, CLGEMM_TRANS, CLGEMM_NO_TRANS)), "WIDTH_A=4"));
    EXPECT_TRUE(has_option(step_of(problem(100, 100, 7, CLGEMM_TRANS, CLGEMM_NO_TRANS)), "WIDTH_A=1"));
    // Where columns are aligned, K need not fill the last vector.
    Arguments apart = arguments(100, 100, 7, CLGEMM_TRANS, CLGEMM_NO_TRANS);
    apart.lda = 8;
    EXPECT_TRUE(has_option(step_of(make_problem(apart)), "WIDTH_A=4"));
    apart.offset_a = 2;
    EXPECT_TRUE(has_option(step_of(make_problem(apart)), "WIDTH_A=1"));
    EXPECT_TRUE(has_option(step_of(problem(100, 100, 8, CLGEMM_NO_TRANS, CLGEMM_TRANS)), "WIDTH_A=1"));
    EXPECT_TRUE(has_option(step_of(problem(100, 100, 8, CLGEMM_NO_TRANS, CLGEMM_TRANS)), "WIDTH_B=1"));
}

// Its measured beginning has what storing C takes.
TEST(Shallow, ItsOutlineCountsTheBytesOfTheOperandsAlone)
{
    const Problem some = problem(1000, 300, 7);
    for (const Variant& variant : variants_of(shallow())) {
        const Outline outline = outline_of(some, hopper_gpu(), variant, {});
        ASSERT_EQ(outline.launches.size(), 1u);
        EXPECT_EQ(outline.launches.front().bytes, (1000 * 7 + 7 * 300) * 4);
        EXPECT_EQ(outline.launches.front().load.steps, 2u);
        EXPECT_EQ(outline.workspace_bytes, 0u);
    }
}

TEST(Shallow, ATileThatIsPartlyOutsideOfCCountsAsLessThanAFullOne)
{
    const auto load = [](std::size_t m, std::size_t n) {
        return outline_of(problem(m, n, 4), hopper_gpu(), first_variant("shallow"), {}).launches.front().load.per_unit;
    };
    const Tiling tile = first_variant("shallow").tiling;
    const std::size_t rows = 132 * 100 * tile.m; // a hundred tiles for each unit
    EXPECT_DOUBLE_EQ(load(rows, tile.n), 100);
    EXPECT_DOUBLE_EQ(load(rows, tile.n / 2), 60);
    EXPECT_DOUBLE_EQ(load(tile.m / 2, 132 * 100 * tile.n), 90);
    EXPECT_EQ(load(1, 1), 1) << "nothing is faster than one tile";
}

TEST(Shallow, ASmallTileTakesAsLongForNextToNothing)
{
    const Variant variant = variants_of(shallow()).back();
    const auto load = [&](std::size_t n) {
        return outline_of(problem(132 * 100 * variant.tiling.m, n, 4), hopper_gpu(), variant, {})
            .launches.front()
            .load.per_unit;
    };
    ASSERT_EQ(variant.tiling.m * variant.tiling.n, 512u);
    EXPECT_DOUBLE_EQ(load(variant.tiling.n), 100);
    EXPECT_DOUBLE_EQ(load(1), 100);
}

// They come from memory before they are written, but while there is much to compute nobody waits for that.
TEST(Shallow, SectorsOfMemoryThatAreWrittenInPartsTakeLonger)
{
    const auto load = [](const Variant& variant, std::size_t m, std::size_t k) {
        const std::size_t tiles = m < variant.tiling.m ? 132 * 100 : 1;
        return outline_of(problem(m, tiles * variant.tiling.n, k), hopper_gpu(), variant, {}).launches.front().load.per_unit;
    };
    const Variant variant = first_variant("shallow"); // 32 columns for a work-item, one after the other
    const std::size_t rows = 132 * 100 * variant.tiling.m;
    ASSERT_EQ(variant.tiling.m, 64u);
    EXPECT_DOUBLE_EQ(load(variant, rows, 4), 100);
    EXPECT_NEAR(load(variant, rows - 1, 4), 196.3, 0.1);
    EXPECT_NEAR(load(variant, rows - 2, 4), 182.5, 0.1) << "every fourth column begins with a sector";
    EXPECT_NEAR(load(variant, rows - 4, 4), 155.0, 0.1) << "every second one";
    EXPECT_NEAR(load(variant, rows - 1, 8), 157.0, 0.1);
    EXPECT_NEAR(load(variant, rows - 1, 9), 130.9, 0.1);
    EXPECT_NEAR(load(variant, rows - 1, 17), 100, 0.01);
    EXPECT_NEAR(load(variant, 63, 4), 195.7, 0.1) << "columns that follow one another share sectors, too";

    const Variant fewer = variant_of(shallow(), {{"TSN", 16}, {"LANES", 64}, {"ROWS", 4}, {"ITEMS", 128}}); // 8 of them
    EXPECT_NEAR(load(fewer, 132 * 100 * fewer.tiling.m - 1, 4), 146.8, 0.1);
    const Variant narrower = variants_of(shallow()).back(); // runs of 32 rows
    EXPECT_NEAR(load(narrower, 132 * 100 * narrower.tiling.m - 1, 4), 168.4, 0.1);
}

// The curves come from programs for one step and for seven, and steps in between are estimated from them.
TEST(Shallow, StepsInBetweenTakeLessTheMoreRowsAWorkItemHas)
{
    const auto saved = [](std::size_t rows, std::size_t k) {
        const Variant variant = variant_of(shallow(), {{"TSN", 16}, {"LANES", 64}, {"ROWS", rows}, {"ITEMS", 64}});
        return outline_of(problem(1000, 1000, k), hopper_gpu(), variant, {}).launches.front().steps_saved;
    };
    EXPECT_EQ(saved(1, 16), 0);
    EXPECT_GT(saved(2, 16), 0);
    EXPECT_GT(saved(4, 16), saved(2, 16));
    EXPECT_EQ(saved(4, 24), saved(4, 5));
    EXPECT_EQ(saved(4, 4), 0);
    EXPECT_EQ(saved(4, 25), 0);
}

// 200,000 rows of A with a K of 8 are 6.4 MB, and as many rows of 64 columns of C are 51 MB.
TEST(Shallow, AIsReadAgainForTheNextColumnsUnlessItStaysInTheCache)
{
    const Variant variant = first_variant("shallow");
    ASSERT_EQ(variant.tiling.n, 64u);
    const auto read_again = [&](std::size_t m, std::size_t n) {
        return outline_of(problem(m, n, 8), hopper_gpu(), variant, {}).launches.front().bytes_first;
    };
    EXPECT_EQ(read_again(200'000, 64), 0);
    EXPECT_DOUBLE_EQ(read_again(200'000, 65), 6.4e6);
    EXPECT_DOUBLE_EQ(read_again(200'000, 192), 2 * 6.4e6);
    EXPECT_EQ(read_again(80'000, 192), 0) << "23 MB stay in the cache";
}

// Two elements of a row, eight apart from the next row's: a sector of 32 bytes for each row.
TEST(Shallow, OfRowsThatLieApartWholeSectorsAreReadAgain)
{
    const auto read_again = [](std::size_t ld, std::size_t offset) {
        Problem some = problem(800'000, 128, 2);
        some.a.transposed = true;
        some.a.ld = ld;
        some.a.offset = offset;
        return outline_of(some, hopper_gpu(), first_variant("shallow"), {}).launches.front().bytes_first;
    };
    EXPECT_DOUBLE_EQ(read_again(2, 0), 800'000 * 8);
    EXPECT_DOUBLE_EQ(read_again(4, 0), 800'000 * 16);
    EXPECT_DOUBLE_EQ(read_again(8, 0), 800'000 * 32);
    EXPECT_DOUBLE_EQ(read_again(64, 0), 800'000 * 32);
    EXPECT_DOUBLE_EQ(read_again(65, 1), 800'000 * 36) << "some rows begin at the end of a sector";
}

TEST(Shallow, TheLastStepAlongKTakesLonger)
{
    const auto steps_more = [](std::size_t k) {
        return outline_of(problem(1000, 1000, k), hopper_gpu(), first_variant("shallow"), {}).launches.front().steps_more;
    };
    EXPECT_EQ(steps_more(28), 0);
    EXPECT_EQ(steps_more(29), 3);
}

TEST(Shallow, IsMeasuredOnEveryGpuAndTakenOnNoneThatNobodyMeasured)
{
    for (const Variant& variant : variants_of(shallow())) {
        EXPECT_TRUE(shallow().family->guess(variant, large_gpu()));
        EXPECT_EQ(variant.family().probing().most_steps * variant.tiling.k, 28u) << "the next step takes longer";
    }
    const Tuning guessed = derived_tuning(large_gpu());
    for (const std::size_t k : {1U, 4U, 16U, 32U})
        EXPECT_NE(select(problem(5000, 5000, k), large_gpu(), guessed, {}).variant.kernel, &shallow()) << k;
}
