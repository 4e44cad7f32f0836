// Problem: validation in the caller's terms, row-major turned into column-major, quick returns found.
#include "made_up.hpp"

#include "support/error.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <utility>
#include <vector>

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
    EXPECT_EQ(p.a.memory, Memory::a);
    EXPECT_EQ(p.b.memory, Memory::b);
    EXPECT_EQ(p.c.memory, Memory::c);
    EXPECT_EQ(p.m, 3u);
    EXPECT_EQ(p.n, 4u);
    EXPECT_EQ(p.k, 5u);
    EXPECT_TRUE(p.a.transposed);
    EXPECT_FALSE(p.b.transposed);
    EXPECT_FALSE(p.c.transposed);
    EXPECT_EQ(p.a.rows, 3u) << "as it takes part";
    EXPECT_EQ(p.a.cols, 5u);
    EXPECT_EQ(p.a.stored_rows(), 5u) << "stored as k x m";
    EXPECT_EQ(p.a.stored_cols(), 3u);
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
    EXPECT_EQ(p.a.memory, Memory::b);
    EXPECT_EQ(p.b.memory, Memory::a);
    EXPECT_EQ(p.c.memory, Memory::c);
    EXPECT_EQ(p.m, 4u);
    EXPECT_EQ(p.n, 3u);
    EXPECT_TRUE(p.b.transposed);
    EXPECT_FALSE(p.a.transposed);
    EXPECT_FALSE(p.c.transposed) << "C's columns run along memory";
    EXPECT_EQ(p.b.ld, 7u);
    EXPECT_EQ(p.b.offset, 11u);
    EXPECT_EQ(p.b.stored_rows(), 3u) << "row-major 5 x 3 is column-major 3 x 5";
    EXPECT_EQ(p.b.stored_cols(), 5u);
    EXPECT_EQ(p.c.rows, 4u);
    EXPECT_EQ(p.c.cols, 3u);
    EXPECT_EQ(p.c.ld, 9u);
}

namespace {

void expect_same(const Matrix& x, const Matrix& y)
{
    EXPECT_EQ(x.memory, y.memory);
    EXPECT_EQ(x.rows, y.rows);
    EXPECT_EQ(x.cols, y.cols);
    EXPECT_EQ(x.offset, y.offset);
    EXPECT_EQ(x.ld, y.ld);
    EXPECT_EQ(x.transposed, y.transposed);
    EXPECT_EQ(x.alignment, y.alignment);
    EXPECT_EQ(x.element, y.element);
    EXPECT_EQ(x.distance, y.distance);
}

void expect_same(const Problem& x, const Problem& y)
{
    EXPECT_EQ(x.m, y.m);
    EXPECT_EQ(x.n, y.n);
    EXPECT_EQ(x.k, y.k);
    EXPECT_EQ(x.alpha, y.alpha);
    EXPECT_EQ(x.beta, y.beta);
    EXPECT_EQ(x.arithmetic, y.arithmetic);
    EXPECT_EQ(x.batch, y.batch);
    expect_same(x.a, y.a);
    expect_same(x.b, y.b);
    expect_same(x.c, y.c);
}

// The element (i, j) of the matrix as it takes part, in its buffer.
std::size_t place_of(const Matrix& matrix, std::size_t i, std::size_t j)
{
    return matrix.offset + i * matrix.row_stride() + j * matrix.col_stride();
}

// Problems of no symmetry, of every layout and transposition, each matrix different.
std::vector<Problem> uneven_problems()
{
    std::vector<Problem> result;
    for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS})
        for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const auto layout : {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR}) {
                Arguments x = uneven(3, 4, 5, trans_a, trans_b);
                x.layout = layout;
                x.lda += 10;
                x.ldb += 10;
                x.ldc += 10;
                Problem p = make_problem(x);
                p.a.alignment = 4;
                p.b.alignment = 16;
                p.c.alignment = 64;
                p.a.distance = 100;
                p.b.distance = 200;
                p.c.distance = 300;
                p.batch.count = 3;
                p.arithmetic.accuracy = CLGEMM_MATH_STRICT;
                result.push_back(p);
            }
    return result;
}

} // namespace

TEST(Problem, TransposedTwiceItIsTheSame)
{
    for (const Problem& p : uneven_problems()) {
        expect_same(transposed(transposed(p)), p);
        for (const Matrix& matrix : {p.a, p.b, p.c})
            expect_same(transposed(transposed(matrix)), matrix);
    }
}

TEST(Problem, TransposedItsElementsLieWhereTheyLay)
{
    for (const Problem& p : uneven_problems()) {
        const Problem t = transposed(p);
        EXPECT_EQ(t.m, p.n);
        EXPECT_EQ(t.n, p.m);
        EXPECT_EQ(t.k, p.k);
        EXPECT_EQ(t.alpha, p.alpha);
        EXPECT_EQ(t.beta, p.beta);
        expect_same(t.a, transposed(p.b));
        expect_same(t.b, transposed(p.a));
        expect_same(t.c, transposed(p.c));
        const std::pair<const Matrix*, const Matrix*> pairs[] = {{&t.a, &p.b}, {&t.b, &p.a}, {&t.c, &p.c}};
        for (const auto& [is, was] : pairs) {
            EXPECT_EQ(is->memory, was->memory);
            EXPECT_EQ(is->extent(), was->extent());
            EXPECT_EQ(is->transposed, !was->transposed);
            for (std::size_t i = 0; i < is->rows; i++)
                for (std::size_t j = 0; j < is->cols; j++)
                    EXPECT_EQ(place_of(*is, i, j), place_of(*was, j, i));
        }
    }
}

// op(A) and op(B) are the same matrices, but what lies row by row in one lies column by column in the other.
TEST(Problem, RowMajorIsTheTransposedColumnMajorProblemWithTheBuffersExchanged)
{
    for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
        for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
            Arguments row_major = uneven(3, 4, 5, trans_a, trans_b);
            row_major.layout = CLGEMM_ROW_MAJOR;
            row_major.lda = 17;
            row_major.ldb = 19;
            row_major.ldc = 23;
            Problem expected = make_problem(as_column_major(row_major));
            expected.a.memory = Memory::b;
            expected.b.memory = Memory::a;
            expect_same(make_problem(row_major), expected);
        }
}

TEST(Problem, AMatrixIsFoundByItsBuffer)
{
    for (const Problem& p : uneven_problems()) {
        EXPECT_EQ(p.matrix_in(Memory::a).memory, Memory::a);
        EXPECT_EQ(p.matrix_in(Memory::b).memory, Memory::b);
        EXPECT_EQ(p.matrix_in(Memory::c).memory, Memory::c);
        EXPECT_EQ(p.matrix_in(Memory::a).offset, 3u) << "as uneven() has it";
        EXPECT_EQ(p.matrix_in(Memory::b).offset, 5u);
        EXPECT_EQ(p.matrix_in(Memory::c).offset, 7u);
        Problem changed = transposed(p);
        changed.matrix_in(Memory::b).alignment = 77;
        EXPECT_EQ(transposed(changed).matrix_in(Memory::b).alignment, 77u);
        changed.matrix_in(Memory::b).alignment = p.matrix_in(Memory::b).alignment;
        expect_same(transposed(changed), p);
    }
}

TEST(Problem, StridesSayWhereAnElementIs)
{
    const Matrix plain{Memory::a, 3, 4, 10, 5};
    EXPECT_EQ(plain.row_stride(), 1u);
    EXPECT_EQ(plain.col_stride(), 5u);
    EXPECT_EQ(plain.stored_rows(), 3u);
    EXPECT_EQ(plain.stored_cols(), 4u);
    const Matrix turned{Memory::a, 3, 4, 10, 6, true};
    EXPECT_EQ(turned.row_stride(), 6u);
    EXPECT_EQ(turned.col_stride(), 1u);
    EXPECT_EQ(turned.stored_rows(), 4u);
    EXPECT_EQ(turned.stored_cols(), 3u);
    for (const Matrix& matrix : {plain, turned}) {
        EXPECT_EQ(place_of(matrix, 0, 0), matrix.offset);
        EXPECT_EQ(place_of(matrix, matrix.rows - 1, matrix.cols - 1) + 1, matrix.extent()) << "the last one ends it";
    }
}

TEST(Problem, ExtentEndsWithTheLastElement)
{
    const Matrix matrix{Memory::a, 3, 4, 10, 5};
    EXPECT_EQ(matrix.extent(), 10u + 3 * 5 + 3);
    EXPECT_EQ(transposed(matrix).extent(), matrix.extent());
    EXPECT_EQ((Matrix{Memory::a, 3, 4, 10, 6, true}.extent()), 10u + 2 * 6 + 4) << "stored 4 x 3";
    EXPECT_EQ((Matrix{Memory::a, 0, 4, 10, 5}.extent()), 0u);
    EXPECT_EQ((Matrix{Memory::a, 3, 0, 10, 5}.extent()), 0u);
    Matrix batch = matrix;
    batch.distance = 100;
    EXPECT_EQ(batch.extent(7), 10u + 6 * 100 + 3 * 5 + 3) << "of the last matrix";
    EXPECT_EQ(batch.extent(1), matrix.extent());
    EXPECT_EQ(batch.extent(0), 0u);
}

TEST(Problem, AlignmentNeedsOffsetLeadingDimensionAndBase)
{
    const auto a = Memory::a;
    EXPECT_TRUE((Matrix{a, 8, 8, 4, 12}.aligned_to(4)));
    EXPECT_FALSE((Matrix{a, 8, 8, 2, 12}.aligned_to(4)));
    EXPECT_FALSE((Matrix{a, 8, 8, 4, 10}.aligned_to(4)));
    EXPECT_TRUE((Matrix{a, 8, 1, 4, 10}.aligned_to(4))) << "one column has no neighbour";
    EXPECT_TRUE((Matrix{a, 1, 8, 4, 10, true}.aligned_to(4))) << "nor has one row that is stored as a column";
    EXPECT_FALSE((Matrix{a, 8, 1, 4, 10, true}.aligned_to(4))) << "this one is stored as eight columns";
    EXPECT_FALSE((Matrix{a, 8, 8, 4, 12, false, 8}.aligned_to(4))) << "the buffer itself is only aligned to 8 bytes";
    EXPECT_TRUE((Matrix{a, 8, 8, 4, 12, false, 16}.aligned_to(4)));
    EXPECT_EQ(Matrix{}.alignment, buffer_alignment);
}

TEST(Problem, VectorsMustEndWithTheMatrix)
{
    const auto a = Memory::a;
    EXPECT_TRUE((Matrix{a, 8, 3, 4, 12}.takes_vectors()));
    EXPECT_FALSE((Matrix{a, 7, 3, 4, 12}.takes_vectors())) << "the last vector of a column is no whole one";
    EXPECT_TRUE((Matrix{a, 3, 8, 4, 12, true}.takes_vectors())) << "along memory";
    EXPECT_FALSE((Matrix{a, 8, 3, 4, 12, true}.takes_vectors()));
    EXPECT_FALSE((Matrix{a, 8, 3, 4, 10}.takes_vectors())) << "not aligned";
}

TEST(Problem, PairsMayBeReadWhereFoursMayNot)
{
    const auto a = Memory::a;
    EXPECT_EQ((Matrix{a, 8, 3, 4, 12}.read_width()), 4U);
    EXPECT_EQ((Matrix{a, 6, 3, 4, 12}.read_width()), 2U) << "each column ends with a pair";
    EXPECT_EQ((Matrix{a, 7, 3, 4, 12}.read_width()), 1U);
    EXPECT_EQ((Matrix{a, 8, 3, 6, 12}.read_width()), 2U) << "an even offset";
    EXPECT_EQ((Matrix{a, 8, 3, 4, 14}.read_width()), 2U) << "an even leading dimension";
    EXPECT_EQ((Matrix{a, 8, 3, 5, 12}.read_width()), 1U);
    EXPECT_EQ((Matrix{a, 8, 3, 4, 13}.read_width()), 1U);
    EXPECT_EQ((Matrix{a, 8, 1, 4, 13}.read_width()), 4U) << "a single column has no next one";
    EXPECT_EQ((Matrix{a, 3, 6, 4, 12, true}.read_width()), 2U) << "along memory";
    Matrix apart{a, 8, 3, 4, 12};
    apart.distance = 98;
    EXPECT_EQ(apart.read_width(), 2U) << "from matrix to matrix of a batch";
    apart = {a, 8, 3, 4, 12};
    apart.alignment = 8;
    EXPECT_EQ(apart.read_width(), 2U) << "the buffer's address";
    apart.alignment = 4;
    EXPECT_EQ(apart.read_width(), 1U);
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
    try {
        make_problem(x);
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()),
                  "C is too large: its offset (0), sizes (m = 3, n = 4) and leading dimension (ldc = " +
                      std::to_string(x.ldc) + ") reach past what size_t can count in bytes");
    }
}

namespace {

Arguments batched(Arguments x, std::size_t count, std::size_t distance_a, std::size_t distance_b, std::size_t distance_c)
{
    x.batch.count = count;
    x.distance_a = distance_a;
    x.distance_b = distance_b;
    x.distance_c = distance_c;
    return x;
}

// How often each element of C is written.
std::vector<int> times_written(const Problem& p)
{
    std::vector<int> result(p.c.extent(p.batch.count));
    for (std::size_t i = 0; i < p.batch.count; i++)
        for (std::size_t row = 0; row < p.m; row++)
            for (std::size_t col = 0; col < p.n; col++)
                result[place_of(product_of(p, i).c, row, col)]++;
    return result;
}

} // namespace

TEST(ProblemOfABatch, KeepsDistancesWithTheirMatrices)
{
    Arguments x = batched(uneven(3, 4, 5), 6, 70, 0, 90);
    for (const clgemm_layout layout : {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR}) {
        x.layout = layout;
        x.lda = x.ldb = x.ldc = 10;
        const Problem p = make_problem(x);
        EXPECT_EQ(p.batch.count, 6u);
        EXPECT_EQ(p.matrix_in(Memory::a).distance, 70u);
        EXPECT_EQ(p.matrix_in(Memory::b).distance, 0u);
        EXPECT_EQ(p.matrix_in(Memory::c).distance, 90u);
    }
}

// So that it is computed, tuned and recorded as the single call that it is.
TEST(ProblemOfABatch, OfOneIsTheSingleCall)
{
    const Problem one = make_problem(batched(uneven(3, 4, 5), 1, 70, 1, 0)), single = make_problem(uneven(3, 4, 5));
    EXPECT_EQ(one.batch, single.batch);
    EXPECT_EQ(one.a.distance, 0u);
    EXPECT_EQ(one.b.distance, 0u);
    EXPECT_EQ(one.c.distance, 0u);
}

TEST(ProblemOfABatch, OverflowIsFoundExactly)
{
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(float);
    // offset + (count - 1) * distance + (cols - 1) * ld + rows = most is the last that can be counted in bytes.
    const std::size_t last = (most - 15) / 7;
    EXPECT_EQ(status_of(batched(arguments(3, 4, 5), 8, last, 0, 12)), CLGEMM_SUCCESS);
    EXPECT_EQ(status_of(batched(arguments(3, 4, 5), 8, last + 1, 0, 12)), CLGEMM_OVERFLOW_A);
    EXPECT_EQ(status_of(batched(arguments(3, 4, 5), 2, 0, most - 20, 12)), CLGEMM_SUCCESS);
    EXPECT_EQ(status_of(batched(arguments(3, 4, 5), 2, 0, most - 19, 12)), CLGEMM_OVERFLOW_B);
    EXPECT_EQ(status_of(batched(arguments(3, 4, 5), most / 12, 0, 0, 12)), CLGEMM_SUCCESS);
    EXPECT_EQ(status_of(batched(arguments(3, 4, 5), most / 12 + 1, 0, 0, 12)), CLGEMM_OVERFLOW_C);
    EXPECT_EQ(status_of(batched(arguments(3, 4, 5), 0, most, most, most)), CLGEMM_SUCCESS) << "between no matrices";
    EXPECT_EQ(status_of(batched(arguments(0, 4, 5), 9, most, 0, most)), CLGEMM_SUCCESS) << "A and C are empty";
}

TEST(ProblemOfABatch, ProductsThatShareElementsAreRefusedAndNoOthers)
{
    std::size_t taken = 0, within_one_another = 0;
    for (const clgemm_layout layout : {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR})
        for (const std::size_t m : {1U, 2U, 4U})
            for (const std::size_t n : {1U, 3U})
                for (std::size_t ldc = std::max(m, n); ldc < 14; ldc++)
                    for (std::size_t distance = 0; distance < 40; distance++)
                        for (const std::size_t count : {2U, 3U, 5U}) {
                            Arguments x = batched(arguments(m, n, 1), count, 0, 0, distance);
                            x.layout = layout;
                            x.lda = x.ldb = 4;
                            x.ldc = ldc;
                            // The same without a word about what may overlap.
                            Problem expected = make_problem(batched(x, 1, 0, 0, 0));
                            expected.batch.count = count;
                            expected.c.distance = distance;
                            const auto times = times_written(expected);
                            const bool share = std::any_of(times.begin(), times.end(), [](int time) { return time > 1; });
                            ASSERT_EQ(status_of(x), share ? CLGEMM_OVERLAPPING_C : CLGEMM_SUCCESS)
                                << m << "x" << n << ", ldc " << ldc << ", distance " << distance << ", count " << count;
                            taken += share ? 0 : 1;
                            within_one_another += !share && distance < expected.c.extent() ? 1 : 0;
                        }
    EXPECT_GT(taken, 1000u);
    EXPECT_GT(within_one_another, 100u);
}

TEST(ProblemOfABatch, AnyProductsOfItAreABatchAgain)
{
    const Problem p = make_problem(batched(uneven(3, 4, 5), 10, 70, 0, 90));
    for (const std::size_t count : {1U, 2U, 7U}) {
        const Problem some = products_of(p, 3, count);
        EXPECT_EQ(some.batch.count, count);
        for (std::size_t i = 0; i < count; i++)
            expect_same(product_of(some, i), product_of(p, 3 + i));
    }
}

namespace {

std::size_t place(const Matrix& matrix, std::size_t row, std::size_t col)
{
    return matrix.offset + row * matrix.row_stride() + col * matrix.col_stride();
}

} // namespace

// Weights that all products share, in either layout; and batches that lie nearly so.
TEST(ProblemOfABatch, IsOneProductWhereItsMatricesLieAsOne)
{
    struct Case {
        clgemm_layout layout;
        clgemm_transpose trans_a, trans_b;
        std::size_t lda, ldb, ldc, distance_a, distance_b, distance_c; // of 3 products of 4 x 5 x 6
        bool is_one;
    };
    const auto n = CLGEMM_NO_TRANS, t = CLGEMM_TRANS;
    for (const auto& [layout, trans_a, trans_b, lda, ldb, ldc, distance_a, distance_b, distance_c, is_one] :
         {Case{CLGEMM_COLUMN_MAJOR, n, n, 4, 6, 4, 0, 30, 20, true},
          {CLGEMM_COLUMN_MAJOR, t, n, 7, 8, 9, 0, 40, 45, true},
          {CLGEMM_COLUMN_MAJOR, n, t, 4, 15, 4, 0, 5, 20, true},
          {CLGEMM_COLUMN_MAJOR, n, t, 4, 14, 4, 0, 5, 20, false}, // columns that overlap
          {CLGEMM_COLUMN_MAJOR, n, n, 4, 6, 4, 0, 31, 20, false},
          {CLGEMM_COLUMN_MAJOR, n, n, 4, 6, 4, 0, 30, 24, false},
          {CLGEMM_COLUMN_MAJOR, n, n, 12, 6, 12, 4, 0, 4, true}, // rows below one another
          {CLGEMM_COLUMN_MAJOR, n, n, 4, 6, 4, 24, 0, 20, false},
          {CLGEMM_COLUMN_MAJOR, n, n, 4, 6, 4, 24, 30, 20, false},
          {CLGEMM_ROW_MAJOR, n, n, 6, 5, 5, 24, 0, 20, true},
          {CLGEMM_ROW_MAJOR, n, t, 6, 6, 7, 24, 0, 28, true},
          {CLGEMM_ROW_MAJOR, n, n, 6, 5, 5, 0, 30, 20, false}}) {
        const Arguments x{layout, trans_a, trans_b, 4,   5,  6,   1,          0,          lda,       0,
                          ldb,    0,       0,       ldc, {}, {3}, distance_a, distance_b, distance_c};
        const Problem one = make_problem(x);
        EXPECT_EQ(one.batch.count, is_one ? 1u : 3u) << lda << ", " << ldb << ", " << ldc;
        if (!is_one)
            continue;
        EXPECT_EQ(one.m * one.n, 3u * 4 * 5);
        EXPECT_EQ(one.a.rows, one.m);
        EXPECT_EQ(one.b.cols, one.n);
        // Its elements are those of the products, each with the row of A and the column of B that it had.
        Arguments single = x;
        single.batch = {};
        single.distance_a = single.distance_b = single.distance_c = 0;
        const Problem product = make_problem(single);
        const bool is_wide = one.n > product.n;
        const auto& distances = layout == CLGEMM_ROW_MAJOR ? std::array{distance_b, distance_a, distance_c}
                                                           : std::array{distance_a, distance_b, distance_c};
        for (std::size_t i = 0; i < 3; i++)
            for (std::size_t row = 0; row < product.m; row++)
                for (std::size_t col = 0; col < product.n; col++) {
                    const std::size_t to_row = is_wide ? row : i * product.m + row,
                                      to_col = is_wide ? i * product.n + col : col;
                    EXPECT_EQ(place(one.c, to_row, to_col), i * distances[2] + place(product.c, row, col));
                    EXPECT_EQ(place(one.a, to_row, 3), i * distances[0] + place(product.a, row, 3));
                    EXPECT_EQ(place(one.b, 3, to_col), i * distances[1] + place(product.b, 3, col));
                }
    }
}
