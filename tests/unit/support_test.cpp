// The tests' own tools: a check that cannot fail would make all others worthless.
#include "reference/guarded_matrix.hpp"
#include "reference/reference.hpp"
#include "support/pairwise.hpp"
#include "support/sgemm_case.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace clgemm::reference;
using namespace clgemm::test;

TEST(Reference, ComputesAHandMadeExample)
{
    // Row-major: (1 2 3; 4 5 6) * (1 0; 0 1; 1 1) = (4 5; 10 11)
    const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 0, 1, 1, 1}, c[] = {100, 100, 100, 100};
    const auto value = [&](std::size_t i, std::size_t j, float alpha, float beta) {
        return element(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, i, j, 3, alpha, a, 3, b, 2, beta, c, 2).value;
    };
    EXPECT_EQ(value(0, 0, 1, 0), 4);
    EXPECT_EQ(value(0, 1, 1, 0), 5);
    EXPECT_EQ(value(1, 0, 1, 0), 10);
    EXPECT_EQ(value(1, 1, 2, 0.5f), 72);
}

TEST(Reference, ALineIsWhatItsElementsAre)
{
    const std::size_t m = 3, k = 2;
    const float a[] = {1, -2, 3, -4, 5, -6}, b[] = {7, 0, -8, 0}; // column-major; b's numbers lie two apart
    double values[m] = {}, magnitudes[m] = {};
    add_line(m, k, b, 2, a, m, values, magnitudes);
    for (std::size_t i = 0; i < m; i++) {
        const Exact exact = element(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, i, 0, k, 1, a, m, b, 2, 0,
                                    static_cast<const float*>(nullptr), m);
        EXPECT_EQ(values[i], exact.value);
        EXPECT_EQ(magnitudes[i], exact.magnitude);
    }
}

TEST(ErrorBound, TakesARoundedResultAndRefusesTheNextWrongOne)
{
    const Exact exact{1.0, 1.0};
    const std::size_t k = 1;
    EXPECT_TRUE(is_right(1.0f, exact, k));
    EXPECT_TRUE(is_right(std::nextafter(1.0f, 2.0f), exact, k));
    EXPECT_FALSE(is_right(1.0f + 0x1p-20f, exact, k));
    EXPECT_FALSE(is_right(std::numeric_limits<float>::quiet_NaN(), exact, k));
    EXPECT_FALSE(is_right(std::numeric_limits<float>::infinity(), exact, k));
}

TEST(ErrorBound, NothingButTheReferencesOwnNanAndInfinityWillDo)
{
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const float inf_f = std::numeric_limits<float>::infinity(), nan_f = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(is_right(inf_f, {inf, inf}, 3));
    EXPECT_FALSE(is_right(-inf_f, {inf, inf}, 3));
    EXPECT_FALSE(is_right(1.0f, {inf, inf}, 3));
    EXPECT_FALSE(is_right(nan_f, {inf, inf}, 3));
    EXPECT_TRUE(is_right(nan_f, {nan, nan}, 3));
    EXPECT_FALSE(is_right(0.0f, {nan, nan}, 3));
}

TEST(ErrorBound, InfinityIsRightBeyondTheLargestFloat)
{
    const float inf = std::numeric_limits<float>::infinity(), largest = std::numeric_limits<float>::max();
    EXPECT_TRUE(is_right(inf, {0x1p128, 0x1p128}, 3));
    EXPECT_TRUE(is_right(-inf, {-0x1p129, 0x1p129}, 3));
    EXPECT_FALSE(is_right(-inf, {0x1p129, 0x1p129}, 3));
    EXPECT_FALSE(is_right(largest, {0x1p129, 0x1p129}, 3));
    EXPECT_FALSE(is_right(inf, {0x1p127, 0x1p127}, 3));
    EXPECT_TRUE(is_right(inf, {largest, largest}, 3)) << "within the bound";
}

TEST(SgemmCase, FindsEveryKindOfDamage)
{
    const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 5, 4, 3, 1, 0, {1, 1, 1}, {2, 2, 2}};
    const Operands before(x);
    Operands right = before;
    for (std::size_t i = 0; i < x.m; i++)
        for (std::size_t j = 0; j < x.n; j++)
            right.c.at(i, j) =
                static_cast<float>(element(x.layout, x.trans_a, x.trans_b, i, j, x.k, x.alpha, before.a.data(), before.a.ld,
                                           before.b.data(), before.b.ld, x.beta, before.c.data(), before.c.ld)
                                       .value);
    EXPECT_TRUE(is_right(x, before, right));

    EXPECT_FALSE(is_right(x, before, before)) << "C was never written";
    Operands wrong = right;
    wrong.c.at(4, 3) += 1e-4f;
    EXPECT_FALSE(is_right(x, before, wrong));
    for (const std::size_t outside : {std::size_t{0}, right.c.offset + x.m, right.c.elements.size() - 1}) {
        wrong = right;
        wrong.c.elements[outside] = 0;
        EXPECT_FALSE(is_right(x, before, wrong)) << "canary " << outside;
    }
    wrong = right;
    wrong.a.elements.back() = 0;
    EXPECT_FALSE(is_right(x, before, wrong));
    wrong = right;
    wrong.b.elements[wrong.b.offset] += 1;
    EXPECT_FALSE(is_right(x, before, wrong));
}

TEST(SgemmCase, NothingThatMustNotBeReadIsANumber)
{
    SgemmCase x{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 2, 2, 2, 0, 0, {}, {}};
    EXPECT_TRUE(std::isnan(Operands(x).a.at(1, 1)));
    EXPECT_TRUE(std::isnan(Operands(x).c.at(1, 1)));
    x.alpha = x.beta = 1;
    EXPECT_FALSE(std::isnan(Operands(x).a.at(1, 1)));
    EXPECT_FALSE(std::isnan(Operands(x).c.at(1, 1)));
}

TEST(Pairwise, ContainsEveryPairInFewRows)
{
    const std::vector<std::size_t> levels{4, 3, 3, 2, 5};
    const auto rows = pairwise(levels);
    for (std::size_t f = 0; f < levels.size(); f++)
        for (std::size_t g = f + 1; g < levels.size(); g++)
            for (std::size_t v = 0; v < levels[f]; v++)
                for (std::size_t w = 0; w < levels[g]; w++)
                    EXPECT_TRUE(
                        std::any_of(rows.begin(), rows.end(), [&](const auto& r) { return r[f] == v && r[g] == w; }));
    EXPECT_LE(rows.size(), 30u) << "of 360 combinations; 20 is the least possible";
}
