// Problem: validation in the caller's terms, row-major turned into column-major, quick returns found.
#include "made_up.hpp"

#include "support/error.hpp"

#include <gtest/gtest.h>

#include <limits>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

clgemm_status status_of(const Arguments& arguments)
{
    try {
        make_problem(arguments);
        return CLGEMM_SUCCESS;
    } catch (const Error& error) {
        return error.status();
    }
}

} // namespace

TEST(Problem, ColumnMajorStaysAsItIs)
{
    const Problem p = problem(3, 4, 5, CLGEMM_TRANS);
    EXPECT_FALSE(p.swapped);
    EXPECT_EQ(p.m, 3u);
    EXPECT_EQ(p.n, 4u);
    EXPECT_TRUE(p.a.transposed);
    EXPECT_FALSE(p.b.transposed);
    EXPECT_EQ(p.a.rows, 5u) << "stored as k x m";
    EXPECT_EQ(p.a.cols, 3u);
}

TEST(Problem, RowMajorBecomesColumnMajorWithOperandsExchanged)
{
    Arguments x = arguments(3, 4, 5);
    x.layout = CLGEMM_ROW_MAJOR;
    x.trans_a = CLGEMM_CONJ_TRANS; // A is stored 5 x 3
    x.lda = 7;
    x.ldb = 8;
    x.ldc = 9;
    x.offset_a = 11;
    const Problem p = make_problem(x);
    EXPECT_TRUE(p.swapped);
    EXPECT_EQ(p.m, 4u);
    EXPECT_EQ(p.n, 3u);
    EXPECT_TRUE(p.b.transposed);
    EXPECT_FALSE(p.a.transposed);
    EXPECT_EQ(p.b.ld, 7u);
    EXPECT_EQ(p.b.offset, 11u);
    EXPECT_EQ(p.b.rows, 3u) << "row-major 5 x 3 is column-major 3 x 5";
    EXPECT_EQ(p.b.cols, 5u);
    EXPECT_EQ(p.c.rows, 4u);
    EXPECT_EQ(p.c.cols, 3u);
}

TEST(Problem, ExtentEndsWithTheLastElement)
{
    const Matrix matrix{3, 4, 10, 5};
    EXPECT_EQ(matrix.extent(), 10u + 3 * 5 + 3);
    EXPECT_EQ((Matrix{0, 4, 10, 5}.extent()), 0u);
    EXPECT_EQ((Matrix{3, 0, 10, 5}.extent()), 0u);
}

TEST(Problem, AlignmentNeedsOffsetLeadingDimensionAndBase)
{
    EXPECT_TRUE((Matrix{8, 8, 4, 12}.aligned_to(4)));
    EXPECT_FALSE((Matrix{8, 8, 2, 12}.aligned_to(4)));
    EXPECT_FALSE((Matrix{8, 8, 4, 10}.aligned_to(4)));
    EXPECT_TRUE((Matrix{8, 1, 4, 10}.aligned_to(4))) << "one column has no neighbour";
    EXPECT_FALSE((Matrix{8, 8, 4, 12, false, 8}.aligned_to(4))) << "the buffer itself is only aligned to 8 bytes";
}

TEST(Problem, FindsQuickReturns)
{
    EXPECT_TRUE(problem(0, 4, 5).touches_nothing());
    EXPECT_TRUE(problem(3, 0, 5).touches_nothing());
    EXPECT_TRUE(problem(3, 4, 0).only_scales_c());
    Arguments x = arguments(3, 4, 5);
    x.alpha = 0;
    EXPECT_TRUE(make_problem(x).only_scales_c());
    EXPECT_FALSE(problem(3, 4, 5).touches_nothing());
    EXPECT_FALSE(problem(3, 4, 5).only_scales_c());
}

TEST(Problem, LeadingDimensionsAreCheckedAsStored)
{
    struct Row {
        clgemm_layout layout;
        clgemm_transpose trans_a, trans_b;
        std::size_t lda, ldb, ldc; // the least allowed for m = 3, n = 4, k = 5
    };
    const Row rows[] = {
        {CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 3, 5, 3},
        {CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_TRANS, 5, 4, 3},
        {CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 5, 4, 4},
        {CLGEMM_ROW_MAJOR, CLGEMM_CONJ_TRANS, CLGEMM_TRANS, 3, 5, 4},
    };
    for (const auto& row : rows) {
        const Arguments least{row.layout, row.trans_a, row.trans_b, 3, 4, 5, 1, 0, row.lda, 0, row.ldb, 0, 0, row.ldc};
        EXPECT_EQ(status_of(least), CLGEMM_SUCCESS);
        Arguments x = least;
        x.lda--;
        EXPECT_EQ(status_of(x), CLGEMM_INVALID_LDA);
        x = least;
        x.ldb--;
        EXPECT_EQ(status_of(x), CLGEMM_INVALID_LDB);
        x = least;
        x.ldc--;
        EXPECT_EQ(status_of(x), CLGEMM_INVALID_LDC);
    }
}

TEST(Problem, EmptyMatricesStillNeedALeadingDimensionOfOne)
{
    Arguments x = arguments(0, 0, 0);
    EXPECT_EQ(status_of(x), CLGEMM_SUCCESS);
    x.ldc = 0;
    EXPECT_EQ(status_of(x), CLGEMM_INVALID_LDC);
}

TEST(Problem, OverflowIsFoundExactly)
{
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(float);
    // offset + (cols - 1) * ld + rows = most is the last that can be counted in bytes.
    Arguments x = arguments(3, 4, 5);
    x.offset_a = most - (4 * 3 + 3);
    EXPECT_EQ(status_of(x), CLGEMM_SUCCESS);
    x.offset_a++;
    EXPECT_EQ(status_of(x), CLGEMM_OVERFLOW_A);
    x.offset_a = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(status_of(x), CLGEMM_OVERFLOW_A);

    x = arguments(3, 4, 5);
    x.ldb = most / 2;
    EXPECT_EQ(status_of(x), CLGEMM_OVERFLOW_B);
    x = arguments(3, 4, 5);
    x.ldc = (most - 3) / 3;
    EXPECT_EQ(status_of(x), CLGEMM_SUCCESS);
    x.ldc++;
    EXPECT_EQ(status_of(x), CLGEMM_OVERFLOW_C);
}
