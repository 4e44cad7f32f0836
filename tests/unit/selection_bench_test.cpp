// The parts of selection_bench that need no device: which calls it draws, who is timed, and what it makes of the times.
#include "made_up.hpp"

#include "support/embedded.hpp"
#include "support/embedded_tuning.hpp"
#include "timing/selection/drawn_calls.hpp"
#include "timing/selection/field.hpp"
#include "timing/selection/selection_report.hpp"
#include "timing/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

using namespace timing;
using namespace clgemm::core;
using namespace clgemm::test;

namespace {

constexpr CallLimits limits{std::size_t{1} << 26, 1e10};

auto all_of(const DrawnCall& call)
{
    const auto& [shape, transposes, columns, count, beta] = call.product;
    return std::tuple(call.kind, shape.m, shape.n, shape.k, transposes.a, transposes.b, columns, count, beta);
}

TEST(DrawnCalls, AreTheSameForASeed)
{
    const auto once = draw_calls(7, 200, limits), again = draw_calls(7, 200, limits), others = draw_calls(8, 200, limits);
    ASSERT_EQ(once.size(), 200u);
    std::size_t same_with_another_seed = 0;
    for (std::size_t i = 0; i < once.size(); i++) {
        EXPECT_EQ(all_of(once[i]), all_of(again[i]));
        same_with_another_seed += all_of(once[i]) == all_of(others[i]) ? 1 : 0;
    }
    EXPECT_LT(same_with_another_seed, 5u);
    // Whoever draws fewer of them draws the first ones.
    EXPECT_EQ(all_of(draw_calls(7, 50, limits).back()), all_of(once[49]));
}

TEST(DrawnCalls, KeepToTheLimitsAndToTheirKind)
{
    for (const DrawnCall& call : draw_calls(1, 2000, limits)) {
        const Product& product = call.product;
        EXPECT_LE(std::max({product.elements_of_a(), product.elements_of_b(), product.elements_of_c()}),
                  limits.most_elements);
        EXPECT_LE(product.flops(), limits.most_flops);
        const auto& [m, n, k] = product.shape;
        EXPECT_GE(std::min({m, n, k}), 1u);
        const Kind& kind = *std::find_if(std::begin(kinds_of_calls), std::end(kinds_of_calls),
                                         [&](const Kind& candidate) { return candidate.name == call.kind; });
        EXPECT_TRUE(!kind.is_cube || (m == n && n == k));
        EXPECT_TRUE(call.kind == "batch" || product.count == 1);
        EXPECT_LE(static_cast<double>(product.count), kind.count.most);
        // A round size may lie a little beside the range.
        EXPECT_GE(static_cast<double>(m), 0.9 * kind.m.least);
        EXPECT_LE(static_cast<double>(n), 1.1 * kind.n.most);
    }
    EXPECT_THROW(draw_calls(1, 100, {16, 1e10}), std::invalid_argument);
}

TEST(DrawnCalls, AreOfEverySort)
{
    std::map<std::string_view, std::size_t> of_kind;
    std::map<std::pair<bool, bool>, std::size_t> of_transposes;
    std::map<Columns, std::size_t> of_columns;
    std::size_t round = 0;
    for (const DrawnCall& call : draw_calls(1, 2000, limits)) {
        of_kind[call.kind]++;
        of_transposes[{call.product.transposes.a, call.product.transposes.b}]++;
        of_columns[call.product.columns]++;
        round += call.product.shape.m >= 1024 && call.product.shape.m % 64 == 0 ? 1 : 0;
        const bool aligned = call.product.columns == Columns::aligned;
        for (const std::size_t ld : {call.product.lda(), call.product.ldb(), call.product.ldc()})
            EXPECT_TRUE(aligned ? ld % 16 == 0 : ld % 2 == 1) << ld;
    }
    EXPECT_EQ(of_kind.size(), std::size(kinds_of_calls));
    for (const auto& [kind, count] : of_kind)
        EXPECT_GT(count, 200u) << kind;
    ASSERT_EQ(of_transposes.size(), 4u);
    for (const auto& [transposes, count] : of_transposes)
        EXPECT_GT(count, 400u);
    EXPECT_GT(of_columns[Columns::aligned], 800u);
    EXPECT_GT(of_columns[Columns::unaligned], 800u);
    EXPECT_GT(round, 200u);
}

// As many small as large ones: each octave of M has its share of the calls that are of no particular kind.
TEST(DrawnCalls, HaveSizesOfEveryOrder)
{
    std::map<int, std::size_t> octaves;
    std::size_t count = 0;
    for (const DrawnCall& call : draw_calls(1, 6000, {std::size_t{1} << 28, 1e13}))
        if (call.kind == "any") {
            octaves[static_cast<int>(std::log2(call.product.shape.m))]++;
            count++;
        }
    for (int octave = 1; octave < 13; octave++)
        EXPECT_NEAR(static_cast<double>(octaves[octave]) / static_cast<double>(count), 1.0 / 13, 0.03) << octave;
}

// What is compiled in for a GPU with tensor cores.
const EmbeddedText& data_of_the_h200()
{
    return tuning_text_of("NVIDIA H200");
}

class TheField : public testing::Test {
protected:
    const DeviceProfile device = device_of(data_of_the_h200());
    const Tuning tuning = tuning_of(data_of_the_h200());
    const Problem call = problem(1000, 900, 800);
    const std::vector<Candidate> all = weighed(call, device, tuning);
};

TEST_F(TheField, HasTheChosenOneFirst)
{
    const auto chosen = fastest(call, device, tuning, {});
    for (const Pruning& pruning : {Pruning{1.5, 3, false}, Pruning{1, 1, false}, Pruning{1, 1, true}}) {
        const auto field = pruned(all, pruning).candidates;
        ASSERT_FALSE(field.empty());
        EXPECT_EQ(field.front().measurement, chosen->measurement);
        EXPECT_EQ(field.front().way, chosen->way);
        EXPECT_TRUE(std::is_sorted(field.begin(), field.end(), [](const auto& a, const auto& b) { return a.ns < b.ns; }));
    }
}

TEST_F(TheField, LeavesOutWhatIsEstimatedToBeFarSlowerButTheBestOfEachKernel)
{
    std::map<const KernelInfo*, double> best_of;
    for (const Candidate& candidate : all) {
        const auto [known, is_new] = best_of.emplace(candidate.measurement->variant.kernel, candidate.ns);
        known->second = std::min(known->second, candidate.ns);
    }
    ASSERT_GT(best_of.size(), 2u);
    const auto [field, hopeless] = pruned(all, {1.25, 1e9, false});
    EXPECT_LT(field.size(), all.size());
    EXPECT_EQ(hopeless, 0u);
    const double most = 1.25 * field.front().ns;
    const auto near = static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](const Candidate& candidate) { return candidate.ns <= most; }));
    std::size_t far = 0;
    for (const Candidate& candidate : field) {
        const double best = best_of[candidate.measurement->variant.kernel];
        EXPECT_TRUE(candidate.ns <= most || candidate.ns == best);
        far += candidate.ns > most ? 1 : 0;
    }
    EXPECT_EQ(field.size(), near + far);
    std::set<const KernelInfo*> kernels_there;
    for (const Candidate& candidate : field)
        kernels_there.insert(candidate.measurement->variant.kernel);
    EXPECT_EQ(kernels_there.size(), best_of.size());
    EXPECT_EQ(pruned(all, {1.25, 1, true}).candidates.size(), all.size());
}

TEST_F(TheField, CountsTheKernelsThatItLeavesOutAltogether)
{
    std::set<const KernelInfo*> weighed_kernels, near;
    const auto [field, hopeless] = pruned(all, {1.25, 3, false});
    for (const Candidate& candidate : all)
        weighed_kernels.insert(candidate.measurement->variant.kernel);
    for (const Candidate& candidate : field) {
        EXPECT_LE(candidate.ns, 3 * field.front().ns);
        near.insert(candidate.measurement->variant.kernel);
    }
    EXPECT_GT(hopeless, 0u);
    EXPECT_EQ(near.size() + hopeless, weighed_kernels.size());
    // Nobody is hopeless by less than the size that is chosen may err.
    const auto wide = pruned(all, {100, 1, false}).candidates;
    EXPECT_EQ(wide.size(), static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const Candidate& candidate) {
                  return candidate.ns <= 100 * wide.front().ns;
              })));
}

TEST_F(TheField, HasNoHopelessKernelWhereNobodyMeasured)
{
    Tuning guessed = tuning, borrowed = tuning;
    guessed.is_a_guess = borrowed.is_borrowed = true;
    EXPECT_LT(usual_pruning(tuning).hopeless, 1e9);
    for (const Tuning& other : {guessed, borrowed})
        EXPECT_EQ(pruned(all, usual_pruning(other)).hopeless_kernels, 0u);
}

TEST_F(TheField, IsOfGuessesWhereNothingWasMeasured)
{
    Tuning unmeasured = tuning;
    unmeasured.measurements.clear();
    EXPECT_TRUE(weighed(call, device, unmeasured).empty());
    unmeasured.guesses = std::make_shared<const Tuning>(tuning);
    EXPECT_EQ(weighed(call, device, unmeasured).size(), all.size());
    EXPECT_TRUE(pruned({}, {}).candidates.empty());
}

TEST(Statistics, QuantilesLieBetweenValues)
{
    const std::vector<double> values{5, 1, 4, 2, 3};
    EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
    EXPECT_DOUBLE_EQ(quantile(values, 0.5), 3);
    EXPECT_DOUBLE_EQ(quantile(values, 0.05), 1.2);
    EXPECT_DOUBLE_EQ(quantile(values, 1), 5);
    EXPECT_DOUBLE_EQ(quantile({7}, 0.05), 7);
    EXPECT_DOUBLE_EQ(geometric_mean({0.5, 2}), 1);
}

TEST(Statistics, ADifferenceWithinTheNoiseIsNone)
{
    const std::vector<double> some{10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
    std::vector<double> a_little_more = some, much_more = some;
    for (double& value : a_little_more)
        value += 1;
    for (double& value : much_more)
        value += 6;
    EXPECT_FALSE(is_faster(some, some));
    EXPECT_FALSE(is_faster(some, a_little_more));
    EXPECT_TRUE(is_faster(some, much_more));
    EXPECT_FALSE(is_faster(much_more, some));
    // One time that something else had the device decides nothing.
    much_more.front() = 1;
    EXPECT_TRUE(is_faster(some, much_more));
    EXPECT_FALSE(is_faster({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}));
    EXPECT_TRUE(is_faster({1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}));
}

JudgedCall judged(const DrawnCall& call, double share)
{
    JudgedCall result{call, {}};
    result.verdict.is_timed = true;
    result.verdict.share = share;
    result.verdict.chosen = {"one", 900, 1e-6};
    result.verdict.timed = {{"one", 900, 0.9e-6}, {"another", 0, share * 0.9e-6}};
    result.verdict.best = {"another", 0, share * 1e-6};
    return result;
}

std::vector<JudgedCall> some_judged_calls()
{
    const auto calls = draw_calls(1, 6, limits);
    std::vector<JudgedCall> result{judged(calls[0], 1), judged(calls[1], 0.5), judged(calls[2], 0.8), judged(calls[3], 1),
                                   judged(calls[4], 1)};
    result.push_back({calls[5], {}}); // its choice could not be had
    result.back().verdict.not_had.emplace_back("one: no memory");
    return result;
}

TEST(SelectionReport, TellsTheWorstCallsByWhatWasLost)
{
    const auto calls = some_judged_calls();
    EXPECT_EQ(worst_of(calls, 10), (std::vector{&calls[1], &calls[2]}));
    EXPECT_EQ(worst_of(calls, 1), std::vector{&calls[1]});
}

TEST(SelectionReport, IsOfTheCallsThatWereTimed)
{
    auto calls = some_judged_calls();
    calls[2].verdict.strict = Timed{"a third", 1000, 0.9e-6};
    calls[2].verdict.strict_share = 0.9;
    const Json json = to_json(calls);
    const Json& all = json["chosen_by_best"];
    EXPECT_EQ(all["calls"], 5);
    EXPECT_DOUBLE_EQ(all["mean"], std::pow(0.4, 1.0 / 5));
    EXPECT_DOUBLE_EQ(all["fifth_percentile"], 0.56);
    EXPECT_DOUBLE_EQ(all["least"], 0.5);
    EXPECT_EQ(json["chosen_by_strict"]["calls"], 1);
    EXPECT_DOUBLE_EQ(json["chosen_by_strict"]["least"], 0.9);
    ASSERT_EQ(json["calls"].size(), calls.size());
    EXPECT_DOUBLE_EQ(json["calls"][1]["share"], 0.5);
    EXPECT_EQ(json["calls"][1]["chosen"]["what"], "one");
    EXPECT_EQ(json["calls"][1]["timed"][1]["what"], "another");
    EXPECT_DOUBLE_EQ(json["calls"][1]["timed"][0]["estimated_us"], 0.9);
    EXPECT_EQ(json["calls"][2]["strict"]["what"], "a third");
    EXPECT_FALSE(json["calls"][1].contains("strict"));
    EXPECT_FALSE(json["calls"][5].contains("share"));
    EXPECT_EQ(json["calls"][5]["not_had"][0], "one: no memory");
}

} // namespace
