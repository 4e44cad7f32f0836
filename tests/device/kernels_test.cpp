// Every kernel, in every one of its sizes that the device can run, over sizes around its tile, layouts, transposes, alpha,
// beta, leading dimensions and offsets.
#include "families/registry.hpp"
#include "support/pairwise.hpp"
#include "support/with_selection.hpp"

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

struct Size {
    const KernelInfo* kernel;
    std::size_t index;

    const Parameters& parameters() const { return kernel->variants[index]; }
    Tiling tiling() const { return kernel->family->tiling(parameters()); }
};

std::vector<Size> all_sizes()
{
    std::vector<Size> result;
    for (const auto& kernel : kernels())
        for (std::size_t i = 0; i < kernel.variants.size(); i++)
            result.push_back({&kernel, i});
    return result;
}

Selection selection_of(const Size& size)
{
    return tested(*size.kernel, size.parameters());
}

// Sizes for a tile of size t in each direction: 1, small, every kind of residue, powers of two and their neighbours,
// primes; tall, wide, deep and shallow.
struct NamedSize {
    const char* name;
    std::size_t m, n, k;
};

std::vector<NamedSize> sizes_around(const Tiling& t)
{
    return {
        {"one", 1, 1, 1},
        {"small", 3, 5, 7},
        {"one tile", t.m, t.n, t.k},
        {"one less than a tile", t.m > 1 ? t.m - 1 : 1, t.n > 1 ? t.n - 1 : 1, t.k > 1 ? t.k - 1 : 1},
        {"one more than a tile", t.m + 1, t.n + 1, t.k + 1},
        {"two tiles", 2 * t.m, 2 * t.n, 2 * t.k},
        {"residues 1, half, -1", 2 * t.m + 1, t.n + t.n / 2, 3 * t.k - 1},
        {"residues half, -1, 1", t.m + t.m / 2, 2 * t.n - 1, 2 * t.k + 1},
        {"residues -1, 1, half", 2 * t.m - 1, t.n + 1, t.k + t.k / 2},
        {"whole tiles in m alone", t.m, t.n + 3, t.k + 5},
        {"whole tiles in n alone", t.m + 3, t.n, t.k + 5},
        {"whole tiles in k alone", t.m + 3, t.n + 5, 2 * t.k},
        {"2^n", 64, 32, 128},
        {"2^n - 1", 63, 31, 127},
        {"2^n + 1", 65, 33, 129},
        {"primes", 53, 97, 37},
        {"row", 1, 131, 17},
        {"column", 131, 1, 17},
        {"dot product", 1, 1, 301},
        {"outer product", 41, 43, 1},
        {"tall", 517, 3, 9},
        {"wide", 3, 517, 9},
        {"deep", 5, 6, 1031},
        {"deeper than any block of K", 3, 2, 4111},
        {"taller than any block of rows", 4111, 2, 3},
        {"shallow", 101, 103, 2},
        {"multiples of 4", 36, 44, 52},
    };
}

std::string variant_name(const testing::TestParamInfo<Size>& info)
{
    return std::string(info.param.kernel->name) + "_variant_" + std::to_string(info.param.index);
}

constexpr clgemm_layout layouts[] = {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR};
constexpr clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
constexpr float alphas[] = {1, -1, 0.5f, 0};
constexpr float betas[] = {0, 1, -0.7f};
constexpr std::array<std::size_t, 3> gaps[] = {{0, 0, 0}, {1, 3, 5}, {8, 16, 4}};
constexpr std::array<std::size_t, 3> offsets[] = {{0, 0, 0}, {1, 3, 7}, {8, 64, 16}};

// PoCL takes seconds to compile a kernel whose work-items have many sums, all unrolled, and kernels that are told how their
// operands lie are a program for each way: of the largest sizes a CPU tries some ways alone, and of small_batch, which has
// such loops for each way to copy, too, it tries all ways in the first size alone.
bool compiles_slowly(const Size& size)
{
    if (test_profile().type != DeviceType::cpu)
        return false;
    if (size.kernel->name == "small_batch")
        return size.index > 0;
    std::size_t sums = 1;
    for (const auto& [name, value] : size.parameters().values())
        if (name == "WPTM" || name == "WPTN" || name == "ROWS" || name == "NR")
            sums *= value;
    return !size.kernel->family->probing().in_blocks && abilities_of(*size.kernel).splits_k && sums > 32;
}

// Every size, in six programs: each transpose, aligned and not, tiles whole and small in every pair.
std::vector<SgemmCase> some_cases(const Size& kernel_size)
{
    const Tiling tile = kernel_size.tiling();
    struct Lying {
        clgemm_transpose trans_a, trans_b;
        bool aligned, with_small;
    };
    constexpr Lying ways[] = {{CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, true, true},
                              {CLGEMM_NO_TRANS, CLGEMM_TRANS, false, false},
                              {CLGEMM_TRANS, CLGEMM_NO_TRANS, false, true},
                              {CLGEMM_TRANS, CLGEMM_TRANS, true, false}};
    std::vector<SgemmCase> result;
    for (const auto& [trans_a, trans_b, aligned, with_small] : ways)
        for (const auto& [name, m, n, k] : sizes_around(tile)) {
            const auto whole = [aligned = aligned](std::size_t size) { return aligned ? (size + 3) / 4 * 4 : size; };
            SgemmCase x;
            x.trans_a = trans_a;
            x.trans_b = trans_b;
            x.m = whole(m);
            x.n = whole(n);
            x.k = whole(k);
            const bool small_m = x.m < tile.m, small_n = x.n < tile.n;
            if (small_m != small_n || (small_m && !with_small))
                continue;
            const std::size_t number = result.size();
            x.alpha = alphas[number % std::size(alphas)];
            x.beta = betas[number % std::size(betas)];
            if (aligned) {
                x.gaps = {8, 16, 4};
                x.offsets = {8, 64, 16};
            } else {
                x.gaps = {1, 3, 5};
                x.offsets = {1, 3, 7};
            }
            result.push_back(x);
        }
    return result;
}

} // namespace

class KernelVariant : public testing::TestWithParam<Size> {
protected:
    void SetUp() override
    {
        if (!runs(variant_of(*GetParam().kernel, GetParam().parameters()), test_profile()))
            GTEST_SKIP() << "the device is too small for this variant, or has other instructions";
    }
};

TEST_P(KernelVariant, IsRightForEveryPairOfArguments)
{
    const Size& variant = GetParam();
    if (compiles_slowly(variant)) {
        for (const auto& x : some_cases(variant))
            ASSERT_TRUE(is_right(asked_of(*variant.kernel, x), with_selection(selection_of(variant))));
        return;
    }
    const auto sizes = sizes_around(variant.tiling());
    const auto rows = pairwise({std::size(layouts), std::size(transposes), std::size(transposes), sizes.size(),
                                std::size(alphas), std::size(betas), std::size(gaps), std::size(offsets)});
    for (const auto& row : rows) {
        const NamedSize& size = sizes[row[3]];
        const SgemmCase x{layouts[row[0]], transposes[row[1]], transposes[row[2]], size.m,       size.n,
                          size.k,          alphas[row[4]],     betas[row[5]],      gaps[row[6]], offsets[row[7]]};
        ASSERT_TRUE(is_right(asked_of(*variant.kernel, x), with_selection(selection_of(variant))))
            << "size class: " << size.name;
    }
}

TEST_P(KernelVariant, IsRightForEveryLayoutTransposeAlphaAndBeta)
{
    const Size& variant = GetParam();
    if (compiles_slowly(variant))
        GTEST_SKIP() << "it takes too long to compile here";
    for (const auto layout : layouts)
        for (const auto trans_a : transposes)
            for (const auto trans_b : transposes)
                for (const auto alpha : alphas)
                    for (const auto beta : betas) {
                        const SgemmCase x{layout, trans_a, trans_b, 19, 37, 11, alpha, beta, {2, 0, 1}, {0, 5, 3}};
                        ASSERT_TRUE(is_right(asked_of(*variant.kernel, x), with_selection(selection_of(variant))));
                    }
}

INSTANTIATE_TEST_SUITE_P(All, KernelVariant, testing::ValuesIn(all_sizes()), variant_name);

// However many parts K has: few are added by one work-item for each element, many by several.
TEST(PartsOfK, AreAddedRightly)
{
    for (const auto& kernel : kernels()) {
        Selection selection = tested(kernel, kernel.variants.back());
        if (!abilities_of(kernel).splits_k || !runs(selection.variant, test_profile()))
            continue;
        for (const std::size_t parts : {1U, 2U, 15U, 16U, 17U, 31U, 32U, 63U, 64U, 100U, 128U}) {
            selection.way.split_k = parts;
            const std::size_t k = parts * selection.variant.tiling.k;
            for (const std::size_t less : {0U, 5U})
                EXPECT_TRUE(is_right(asked_of(kernel, {CLGEMM_COLUMN_MAJOR,
                                                       CLGEMM_TRANS,
                                                       CLGEMM_NO_TRANS,
                                                       37,
                                                       15,
                                                       k - less,
                                                       -1.5f,
                                                       0.5f,
                                                       {0, 0, 2},
                                                       {0, 0, 3}}),
                                     with_selection(selection)))
                    << kernel.name << ", " << parts << " parts";
        }
    }
}

// Each device adds them by the helper that other types of devices have, too; C with and without gaps, in one block and in
// several, in whole vectors and not. Few and many parts are added in different ways.
TEST(PartsOfK, AreAddedRightlyByTheHelpersOfAnyDevice)
{
    const KernelInfo& kernel = *find_kernel("13_warp_tiled");
    for (const DeviceType type : {DeviceType::gpu, DeviceType::cpu})
        for (const std::size_t parts : {2U, 3U, 7U, 17U, 40U}) {
            Selection selection = tested(kernel, kernel.variants.back(), {.split_k = parts});
            const auto multiply = with_selection(selection, test_profile_as(type));
            for (const auto& [m, n, gap] : {std::array<std::size_t, 3>{37, 15, 3}, {64, 50, 0}, {3, 1101, 0}, {203, 37, 1}})
                for (const float beta : {0.0f, 0.5f})
                    for (const clgemm_math math : {CLGEMM_MATH_STRICT, CLGEMM_MATH_REPRODUCIBLE}) {
                        const bool reproducible = math == CLGEMM_MATH_REPRODUCIBLE;
                        const std::size_t depth = reproducible ? reproducible_depth : selection.variant.tiling.k;
                        EXPECT_TRUE(is_right({.layout = CLGEMM_COLUMN_MAJOR,
                                              .trans_a = CLGEMM_TRANS,
                                              .trans_b = CLGEMM_NO_TRANS,
                                              .m = m,
                                              .n = n,
                                              .k = parts * depth,
                                              .alpha = -1.5f,
                                              .beta = beta,
                                              .gaps = {0, 0, gap},
                                              .math = math},
                                             multiply))
                            << m << "x" << n << " in " << parts << " parts";
                    }
        }
}

// The automatic choice, over the shapes that its rules tell apart.
TEST(AutomaticChoice, IsRightForEveryPairOfArguments)
{
    const std::size_t values[] = {1, 7, 15, 16, 17, 127, 128, 129, 260};
    const std::size_t count = std::size(values);
    const auto rows = pairwise({std::size(layouts), std::size(transposes), std::size(transposes), count, count, count,
                                std::size(alphas), std::size(betas), std::size(gaps), std::size(offsets)});
    for (const auto& row : rows) {
        const SgemmCase x{layouts[row[0]], transposes[row[1]], transposes[row[2]], values[row[3]], values[row[4]],
                          values[row[5]],  alphas[row[6]],     betas[row[7]],      gaps[row[8]],   offsets[row[9]]};
        ASSERT_TRUE(is_right(x, by_api(nullptr)));
    }
}
