// The calls that the tuner compares.
#include "made_up.hpp"

#include "tools/tune/targets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace clgemm::core;
using namespace clgemm::tune;
using namespace clgemm::test;

namespace {

using Sizes = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;

Sizes sizes_of(const Target& target)
{
    return {target.problem.m, target.problem.n, target.problem.k, target.problem.batch.count};
}

class ComparedCalls : public testing::TestWithParam<DeviceProfile> {};

TEST_P(ComparedCalls, AreTheSameEachTime)
{
    const auto once = targets_to_compare(GetParam()), again = targets_to_compare(GetParam());
    ASSERT_EQ(once.size(), again.size());
    for (std::size_t i = 0; i < once.size(); i++)
        EXPECT_EQ(sizes_of(once[i]), sizes_of(again[i]));
}

TEST_P(ComparedCalls, HaveOtherSizesThanTheSearch)
{
    std::set<Sizes> searched;
    for (const Target& target : targets_to_search(GetParam()))
        searched.insert(sizes_of(target));
    for (const Target& target : targets_to_compare(GetParam()))
        EXPECT_EQ(searched.count(sizes_of(target)), 0u) << describe(target.problem);
}

TEST_P(ComparedCalls, HaveOperandsThatLieInEveryWay)
{
    std::map<std::string, std::size_t> count;
    for (const Target& target : targets_to_compare(GetParam()))
        count[target.letters]++;
    for (const char* letters : letters_for(GetParam()))
        EXPECT_GT(count[letters], 30u) << letters;
}

// What takes batches alone would be chosen for none of the calls otherwise, and so neither be measured nor kept.
TEST_P(ComparedCalls, AndThoseOfTheSearchHaveBatchesThatLieInEveryWay)
{
    for (const auto& targets : {targets_to_search(GetParam()), targets_to_compare(GetParam())})
        for (const char* letters : letters_for(GetParam())) {
            const auto count = std::count_if(targets.begin(), targets.end(), [&](const Target& target) {
                return target.problem.batch.count > 1 && target.letters == letters;
            });
            EXPECT_GT(count, 1) << letters;
            EXPECT_LT(static_cast<std::size_t>(count), targets.size() / 10) << "single calls are what most programs make";
        }
}

TEST(Targets, HaveTheProductsOfABatchOneAfterTheOther)
{
    const Problem batch = problem_of({5, 7, 3, 10}, "NT");
    EXPECT_EQ(batch.batch.count, 10u);
    EXPECT_EQ(batch.a.distance, 8u * 3);
    EXPECT_EQ(batch.b.distance, 8u * 3);
    EXPECT_EQ(batch.c.distance, 5u * 7);
    EXPECT_EQ(problem_of({5, 7, 3, 10}, "TN").a.distance, 3u * 5);
}

// In each octave of every side there are some, so that no region of sizes is without a call that was compared.
TEST_P(ComparedCalls, AreOfEverySize)
{
    for (std::size_t least = 16; least <= 1024; least *= 2) {
        std::size_t m = 0, n = 0, k = 0;
        for (const Target& target : targets_to_compare(GetParam())) {
            const auto is_here = [&](std::size_t size) { return least <= size && size < 2 * least ? 1u : 0u; };
            m += is_here(target.problem.m);
            n += is_here(target.problem.n);
            k += is_here(target.problem.k);
        }
        EXPECT_GT(std::min({m, n, k}), 5u) << least;
    }
}

INSTANTIATE_TEST_SUITE_P(, ComparedCalls, testing::Values(made_up_cpu(), large_gpu()),
                         [](const auto& each) { return each.param.type == DeviceType::cpu ? "Cpu" : "Gpu"; });

} // namespace
