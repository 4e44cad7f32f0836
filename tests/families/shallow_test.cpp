// What holds for products of a shallow K alone: which it takes, by which programs, and that nobody trusts a guess about it.
#include "plan/plan.hpp"
#include "select/plan_of.hpp"
#include "select/selection.hpp"
#include "support/with_selection.hpp"
#include "tuning/derived_tuning.hpp"
#include "unit/made_up_tuning.hpp"

#include <gtest/gtest.h>

#include <set>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

const KernelInfo& shallow()
{
    return *find_kernel("shallow");
}

std::vector<Variant> its_variants()
{
    std::vector<Variant> result;
    for (const Parameters& parameters : shallow().variants)
        result.push_back(variant_of(shallow(), parameters));
    return result;
}

std::string options_of(const Problem& problem)
{
    return plan_of(problem, hopper_gpu(), its_variants().front(), {}).steps.front().options;
}

bool has(const std::string& options, const std::string& wanted)
{
    return (options + " ").find(" " + wanted + " ") != std::string::npos;
}

} // namespace

TEST(Shallow, IsMadeForAKOfAtMostSixteen)
{
    for (const Variant& variant : its_variants())
        for (const std::size_t side : {1U, 500U, 100'000U}) {
            for (const std::size_t k : {1U, 4U, 16U})
                EXPECT_EQ(variant.family().ways(problem(side, side, k), hopper_gpu(), variant).size(), 1u)
                    << side << ' ' << k;
            for (const std::size_t k : {17U, 512U})
                EXPECT_TRUE(variant.family().ways(problem(side, side, k), hopper_gpu(), variant).empty())
                    << side << ' ' << k;
        }
}

TEST(Shallow, HasOneProgramForFourDepthsAndOneForAllThatAreDeeper)
{
    std::set<std::string> programs;
    for (std::size_t k = 1; k <= 40; k++) {
        const std::string options = options_of(problem(100, 100, k));
        EXPECT_TRUE(has(options, k <= 4 ? "-DTSK=4" : k <= 8 ? "-DTSK=8" : k <= 12 ? "-DTSK=12" : "-DTSK=16")) << options;
        EXPECT_TRUE(has(options, k <= 16 ? "-DDEEP=0" : "-DDEEP=1")) << options;
        programs.insert(options);
    }
    EXPECT_EQ(programs.size(), 5u);
}

// Elsewhere they are read one by one, or B's go to local memory that is laid out otherwise.
TEST(Shallow, ReadsVectorsWhereAsMemoryRunsAlongK)
{
    EXPECT_TRUE(has(options_of(problem(100, 100, 8, CLGEMM_TRANS, CLGEMM_NO_TRANS)), "-DWIDE_A=1"));
    EXPECT_TRUE(has(options_of(problem(100, 100, 7, CLGEMM_TRANS, CLGEMM_NO_TRANS)), "-DWIDE_A=0"));
    EXPECT_TRUE(has(options_of(problem(100, 100, 8, CLGEMM_NO_TRANS, CLGEMM_TRANS)), "-DWIDE_A=0"));
    EXPECT_TRUE(has(options_of(problem(100, 100, 8, CLGEMM_NO_TRANS, CLGEMM_TRANS)), "-DWIDE_B=0"));
}

// Its measured beginning has what storing C takes.
TEST(Shallow, ItsOutlineCountsTheBytesOfTheOperandsAlone)
{
    const Problem some = problem(1000, 300, 7);
    for (const Variant& variant : its_variants()) {
        const Outline outline = outline_of(some, hopper_gpu(), variant, {});
        ASSERT_EQ(outline.launches.size(), 1u);
        EXPECT_EQ(outline.launches.front().bytes, (1000 * 7 + 7 * 300) * 4);
        EXPECT_EQ(outline.launches.front().load.steps, 2u);
        EXPECT_EQ(outline.workspace_bytes, 0u);
    }
}

TEST(Shallow, IsMeasuredOnEveryGpuAndTakenOnNoneThatNobodyMeasured)
{
    for (const Variant& variant : its_variants()) {
        EXPECT_TRUE(shallow().family->guess(variant, large_gpu()));
        EXPECT_EQ(variant.family().probing().most_steps * variant.tiling.k, 16u) << "where it has its ways";
    }
    const Tuning guessed = derived_tuning(large_gpu());
    for (const std::size_t k : {1U, 4U, 16U})
        EXPECT_NE(select(problem(5000, 5000, k), large_gpu(), guessed, {}).variant.kernel, &shallow()) << k;
}
