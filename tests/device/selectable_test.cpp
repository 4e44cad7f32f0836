// Every kernel in every size that the selection can choose is right: those of this device's tuning, and those of all tuning
// files that are compiled in, as far as they fit this device.
//
// A CPU compiles a program of kernel 13 in seconds, so that all would take it an hour. It takes its own tuning, and of the
// other files some sizes of each kernel, each on operands that lie in one way: about a minute on two cores.
#include "families/operands.hpp"
#include "families/registry.hpp"
#include "select/fastest.hpp"
#include "support/copy_forms.hpp"
#include "support/device.hpp"
#include "support/embedded_tuning.hpp"
#include "support/with_selection.hpp"
#include "tuning/tuning_sources.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// All ways in which operands lie, of which measurements know (families/operands.hpp).
constexpr const char* all_letters[] = {"NT", "NN", "TN", "TT", "nt", "nN", "Tt"};

struct Selectable {
    const KernelInfo* kernel;
    Parameters parameters;
    std::set<std::string> letters;
};

// By kernel and parameters.
using Selectables = std::map<std::string, Selectable>;

void add(Selectables& to, const Tuning& tuning)
{
    for (const auto& measurement : tuning.measurements) {
        if (!runs(measurement.variant, test_profile()))
            continue;
        const std::string key = std::string(measurement.variant.kernel->name) + " " + measurement.variant.parameters.text();
        auto& letters = to.try_emplace(key, Selectable{measurement.variant.kernel, measurement.variant.parameters, {}})
                            .first->second.letters;
        if (measurement.operands.empty())
            letters.insert(std::begin(all_letters), std::end(all_letters));
        else
            letters.insert(measurement.operands);
    }
}

// A few sizes of each kernel, spread evenly, each with one of its ways in which operands lie, in turn.
Selectables sample(const Selectables& from)
{
    constexpr std::size_t of_each = 6;
    std::map<const KernelInfo*, std::vector<std::pair<std::string, Selectable>>> by_kernel;
    for (const auto& [key, selectable] : from)
        by_kernel[selectable.kernel].emplace_back(key, selectable);
    Selectables result;
    for (const auto& [kernel, all] : by_kernel)
        for (std::size_t i = 0; i < of_each && i < all.size(); i++) {
            auto [key, selectable] = all[i * std::max(all.size(), of_each) / of_each];
            selectable.letters = {
                *std::next(selectable.letters.begin(), static_cast<std::ptrdiff_t>(i % selectable.letters.size()))};
            result.emplace(key, selectable);
        }
    return result;
}

const Selectables& selectables()
{
    static const auto* const all = [] {
        Selectables own, others;
        add(own, tuning_for(test_profile()));
        for (const auto& file : tuning_texts())
            add(others, tuning_of(file));
        if (test_profile().type == DeviceType::cpu)
            others = sample(others);
        auto* const both = new Selectables(std::move(own));
        for (const auto& [key, selectable] : others)
            (*both)[key].letters.insert(selectable.letters.begin(), selectable.letters.end());
        for (auto& [key, selectable] : *both)
            if (!selectable.kernel)
                selectable = others.at(key);
        return both;
    }();
    return *all;
}

struct Trial {
    SgemmCase x;
    Way way;
};

// A case whose operands lie as the letters say; sizes along which vectors run are rounded up to whole ones. What runs along
// K, which letters do not tell apart, is aligned or not, as is C.
SgemmCase lying(const std::string& letters, std::size_t m, std::size_t n, std::size_t k, bool aligned)
{
    const auto whole = [](std::size_t size, bool vectors) { return vectors ? (size + 3) / 4 * 4 : size; };
    const bool along_k_a = letters[0] == 'T', along_k_b = letters[1] == 'N';
    const bool wide_a = letters[0] == 'N' || (along_k_a && aligned), wide_b = letters[1] == 'T' || (along_k_b && aligned);
    SgemmCase x;
    x.trans_a = along_k_a ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
    x.trans_b = along_k_b ? CLGEMM_NO_TRANS : CLGEMM_TRANS;
    x.m = whole(m, letters[0] == 'N');
    x.n = whole(n, letters[1] == 'T');
    x.k = whole(k, (along_k_a || along_k_b) && aligned);
    const auto align_ld = [](std::size_t ld, bool wide) { return wide ? (8 - ld % 4) % 4 + 4 : ld % 2 == 0 ? 1 : 2; };
    x.gaps = {align_ld(along_k_a ? x.k : x.m, wide_a), align_ld(along_k_b ? x.k : x.n, wide_b), align_ld(x.m, aligned)};
    x.offsets = {wide_a ? 8U : 3U, wide_b ? 4U : 7U, aligned ? 12U : 5U};
    return x;
}

SgemmCase scaled(SgemmCase x, float alpha, float beta)
{
    x.alpha = alpha;
    x.beta = beta;
    return x;
}

// Sizes around the tile, whole and in parts of K, for operands that lie in one way.
std::vector<Trial> trials_of(const KernelInfo& kernel, const Tiling& tile, const std::string& letters)
{
    const auto less = [](std::size_t tile_size) { return tile_size > 4 ? tile_size - 4 : 1; };
    const bool few_columns = kernel.family->probing().one_tile_of_columns;
    const Abilities can = abilities_of(kernel);
    std::vector<SgemmCase> cases;
    if (few_columns) {
        cases = {scaled(lying(letters, 2 * tile.m + 5, tile.n, 2 * tile.k + 3, false), -0.5f, 0.75f),
                 lying(letters, tile.m, tile.n, 4 * tile.k, true),
                 scaled(lying(letters, tile.m + 3, 1, 3 * tile.k - 8, true), 2, 1),
                 lying(letters, 7, (tile.n + 1) / 2, 5, false)};
        // Vectors need a column's worth of rows: more columns than the kernel has are other kernels'.
        std::erase_if(cases, [&](const SgemmCase& x) { return x.n > tile.n; });
    } else {
        cases = {scaled(lying(letters, 2 * tile.m + 5, tile.n + 3, 2 * tile.k + 1, false), -0.5f, 0.75f),
                 lying(letters, tile.m, tile.n, tile.k, true),
                 scaled(lying(letters, less(tile.m), tile.n + 7, 3 * tile.k - 1, false), 1, 1),
                 scaled(lying(letters, tile.m + 4, less(tile.n), tile.k + (tile.k + 1) / 2, true), 2, -1),
                 lying(letters, 3, 5, 7, false)};
    }
    std::vector<Trial> result;
    for (const auto& x : cases)
        result.push_back({x, {}});
    if (can.splits_k)
        for (const std::size_t split_k : {2U, 3U}) {
            const std::size_t k = 6 * tile.k + 3;
            const std::size_t n = few_columns ? tile.n : tile.n + 3;
            const SgemmCase in_parts = scaled(lying(letters, tile.m + 5, n, k, split_k == 2), 1.5f, -0.5f);
            if (!few_columns || in_parts.n <= tile.n)
                result.push_back({in_parts, {.split_k = split_k}});
        }
    if (can.transposes)
        for (std::size_t i = 0, count = result.size(); i < count; i++) {
            Trial turned{exchanged(result[i].x), result[i].way};
            turned.way.transposed = true;
            result.push_back(turned);
        }
    return result;
}

// How operands may lie, and what is copied of them, so that the kernel finds them as the letters say.
struct Origin {
    std::string letters;
    bool copy_a, copy_b;
};

std::vector<Origin> origins_of(const KernelInfo& kernel, const std::string& letters)
{
    std::vector<Origin> result{{letters, false, false}};
    if (letters == "nt") { // stands for all in which one of the two is not aligned
        result.push_back({"Nt", false, false});
        result.push_back({"nT", false, false});
    }
    if (!abilities_of(kernel).copies)
        return result;
    if (letters == "NT")
        result.insert(result.end(), {{"TN", true, true}, {"nt", true, true}});
    if (letters == "NN")
        result.insert(result.end(), {{"TN", true, false}, {"nN", true, false}});
    if (letters == "TT")
        result.insert(result.end(), {{"TN", false, true}, {"Tt", false, true}});
    return result;
}

// Parts, so that ctest runs them side by side and no part takes too long.
constexpr std::size_t parts = 8;

} // namespace

class SelectableKernels : public testing::TestWithParam<std::size_t> {};

TEST_P(SelectableKernels, AreRight)
{
    std::size_t index = 0;
    for (const auto& [key, selectable] : selectables()) {
        if (index++ % parts != GetParam())
            continue;
        SCOPED_TRACE(key);
        Selection selection = tested(*selectable.kernel, selectable.parameters);
        for (const auto& letters : selectable.letters)
            for (const auto& [origin, copy_a, copy_b] : origins_of(*selectable.kernel, letters))
                for (auto [x, way] : trials_of(*selectable.kernel, selection.variant.tiling, origin)) {
                    way.form = (copy_a ? copy_of_a : 0) | (copy_b ? copy_of_b : 0);
                    selection.way = way;
                    const Problem problem = problem_of(x, Operands(x));
                    ASSERT_EQ(operand_letters(as_computed(problem, way)), origin) << x;
                    ASSERT_TRUE(is_right(asked_of(*selection.variant.kernel, x), with_selection(selection)))
                        << letters << (copy_a ? ", copies A" : "") << (copy_b ? ", copies B" : "")
                        << (way.transposed ? ", transposed, " : ", ") << way.split_k << " parts of K";
                }
    }
}

INSTANTIATE_TEST_SUITE_P(Part, SelectableKernels, testing::Range<std::size_t>(0, parts));

TEST(SelectableKernels, AreAllThatIsSelected)
{
    const DeviceProfile& device = test_profile();
    const Tuning tuning = tuning_for(device);
    const std::size_t sizes[] = {1, 4, 16, 100, 256, 1001, 5000};
    for (const auto* letters : all_letters)
        for (const auto m : sizes)
            for (const auto n : sizes)
                for (const auto k : sizes) {
                    const SgemmCase x = lying(letters, m, n, k, false);
                    const std::size_t rows_a = x.trans_a == CLGEMM_NO_TRANS ? x.m : x.k;
                    const std::size_t rows_b = x.trans_b == CLGEMM_NO_TRANS ? x.k : x.n;
                    const Problem problem =
                        make_problem({x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, 1, x.offsets[0], rows_a + x.gaps[0],
                                      x.offsets[1], rows_b + x.gaps[1], 0, x.offsets[2], x.m + x.gaps[2]});
                    const Measurement* const measurement = fastest_measurement(problem, device, tuning, {});
                    ASSERT_NE(measurement, nullptr) << x << ": nothing that was measured can do it";
                    const auto found = selectables().find(std::string(measurement->variant.kernel->name) + " " +
                                                          measurement->variant.parameters.text());
                    ASSERT_NE(found, selectables().end()) << x;
                    EXPECT_TRUE(measurement->operands.empty() || found->second.letters.contains(measurement->operands)) << x;
                }
}
