#include "problem/problem.hpp"

#include "support/error.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>
#include <limits>

namespace clgemm::core {
namespace {

void check_transpose(clgemm_transpose value, const char* name, clgemm_status invalid)
{
    if (value != CLGEMM_NO_TRANS && value != CLGEMM_TRANS && value != CLGEMM_CONJ_TRANS)
        throw Error(invalid, std::string(name) + " is " + std::to_string(static_cast<int>(value)) +
                                 ", but must be CLGEMM_NO_TRANS (111), CLGEMM_TRANS (112) or CLGEMM_CONJ_TRANS (113)");
}

// How messages name one of the caller's matrices, and the status of its errors.
struct Named {
    const char* name;
    const char* ld_name;
    const char* distance_name;
    char rows, cols; // the sizes of op(X)
    clgemm_status invalid_ld, overflow;
};
constexpr Named named_a{"A", "lda", "distA", 'm', 'k', CLGEMM_INVALID_LDA, CLGEMM_OVERFLOW_A};
constexpr Named named_b{"B", "ldb", "distB", 'k', 'n', CLGEMM_INVALID_LDB, CLGEMM_OVERFLOW_B};
constexpr Named named_c{"C", "ldc", "distC", 'm', 'n', CLGEMM_INVALID_LDC, CLGEMM_OVERFLOW_C};

[[noreturn]] void refuse_ld(const Matrix& matrix, const Named& named, clgemm_layout layout)
{
    const std::string least = matrix.stored_rows() == 0
                                  ? "1"
                                  : std::to_string(matrix.stored_rows()) + ", which is " +
                                        (matrix.transposed ? named.cols : named.rows) + ", the length of " + named.name +
                                        "'s " + (layout == CLGEMM_ROW_MAJOR ? "rows" : "columns") + " as stored";
    throw Error(named.invalid_ld,
                std::string(named.ld_name) + " is " + std::to_string(matrix.ld) + ", but must be at least " + least);
}

// Checks the matrices of so many products, all of this shape. They may share one.
void check_matrix(const Matrix& matrix, const Named& named, clgemm_layout layout, std::size_t products)
{
    if (matrix.ld < std::max<std::size_t>(1, matrix.stored_rows()))
        refuse_ld(matrix, named, layout);
    if (matrix.rows == 0 || matrix.cols == 0)
        return;
    // offset + (columns - 1) * ld + rows elements, as stored, must be countable in bytes.
    const std::size_t most = std::numeric_limits<std::size_t>::max() / matrix.element_bytes();
    const std::size_t rows = matrix.stored_rows();
    const bool fits = rows <= most && matrix.offset <= most - rows &&
                      matrix.stored_cols() - 1 <= (most - rows - matrix.offset) / matrix.ld;
    if (!fits)
        throw Error(named.overflow, std::string(named.name) + " is too large: its offset (" + std::to_string(matrix.offset) +
                                        "), sizes (" + named.rows + " = " + std::to_string(matrix.rows) + ", " + named.cols +
                                        " = " + std::to_string(matrix.cols) + ") and leading dimension (" + named.ld_name +
                                        " = " + std::to_string(matrix.ld) + ") reach past what size_t can count in bytes");
    if (matrix.distance > 0 && products > 1 && products - 1 > (most - matrix.extent()) / matrix.distance)
        throw Error(named.overflow, std::string(named.name) + " is too large: " + std::to_string(products) +
                                        " matrices with " + named.distance_name + " = " + std::to_string(matrix.distance) +
                                        " between them reach past what size_t can count in bytes");
}

// The least q from 1 on for which q * step is nearer than `near` to a multiple of the period, on either side. Each q that is
// nearer on its side than all before it is the sum of the last such two, one of each side (the three-distance theorem), so
// that there are few of them to look at, as in Euclid's algorithm.
std::size_t first_multiple_near(std::size_t step, std::size_t period, std::size_t near)
{
    struct Nearest {
        std::size_t away, q;
    };
    Nearest behind{step % period, 1}, before{period - step % period, 1};
    while (behind.away >= near && before.away >= near) {
        const bool before_is_farther = before.away >= behind.away;
        Nearest& farther = before_is_farther ? before : behind;
        const Nearest& nearer = before_is_farther ? behind : before;
        const std::size_t times = std::min(farther.away / nearer.away, divide_up(farther.away - near + 1, nearer.away));
        farther.away -= times * nearer.away;
        farther.q += times * nearer.q;
    }
    return behind.away < near ? (before.away < near ? std::min(behind.q, before.q) : behind.q) : before.q;
}

// No two products may write the same element, or else the result would be that of whichever came last. Two share elements if
// the second begins within the first one's span, and its runs along memory begin too near to those of the first.
void check_products_are_apart(const Matrix& c, std::size_t products)
{
    if (c.rows == 0 || c.cols == 0 || products < 2)
        return;
    const std::size_t run = c.stored_rows(), span = (c.stored_cols() - 1) * c.ld + run;
    const std::size_t q = first_multiple_near(c.distance, c.ld, run);
    if (q < products && (c.distance == 0 || q <= (span - 1) / c.distance))
        throw Error(CLGEMM_OVERLAPPING_C, "distC is " + std::to_string(c.distance) +
                                              ", so that the matrices C of products 0 and " + std::to_string(q) +
                                              " share elements: it must be at least " + std::to_string(span) +
                                              ", or all must lie side by side within ldc, " + std::to_string(c.ld));
}

// From a batch's first matrix to that of this product.
void step_to(Matrix& matrix, std::size_t product)
{
    matrix.offset += product * matrix.distance;
    if (matrix.siblings.count > 1)
        matrix.siblings.index += product;
}

} // namespace

Problem as_one_product(const Problem& problem)
{
    const std::size_t count = problem.batch.count;
    if (count <= 1 || problem.batch.listed || problem.touches_nothing())
        return problem;
    // Do the matrices of all products lie as one, with so many more columns?
    const auto goes_on = [&](const Matrix& matrix) {
        return matrix.distance == matrix.cols * matrix.col_stride() &&
               (!matrix.transposed || matrix.ld >= saturating_product(matrix.cols, count));
    };
    if (problem.a.distance == 0 && goes_on(problem.b) && goes_on(problem.c)) {
        Problem result = block_of(problem, 0, problem.m, 0, saturating_product(problem.n, count));
        result.batch = {};
        result.b.distance = result.c.distance = 0;
        return result;
    }
    if (problem.b.distance == 0 && goes_on(transposed(problem.a)) && goes_on(transposed(problem.c)))
        return transposed(as_one_product(transposed(problem)));
    return problem;
}

Problem make_problem(const Arguments& x)
{
    if (x.layout != CLGEMM_ROW_MAJOR && x.layout != CLGEMM_COLUMN_MAJOR)
        throw Error(CLGEMM_INVALID_LAYOUT, "layout is " + std::to_string(static_cast<int>(x.layout)) +
                                               ", but must be CLGEMM_ROW_MAJOR (101) or CLGEMM_COLUMN_MAJOR (102)");
    check_transpose(x.trans_a, "transA", CLGEMM_INVALID_TRANS_A);
    check_transpose(x.trans_b, "transB", CLGEMM_INVALID_TRANS_B);

    // Rows of a row-major matrix run along memory, as they do in a transposed column-major one.
    const bool row_major = x.layout == CLGEMM_ROW_MAJOR;
    const auto stored_transposed = [&](clgemm_transpose op) { return (op != CLGEMM_NO_TRANS) != row_major; };
    Problem problem;
    problem.m = x.m;
    problem.n = x.n;
    problem.k = x.k;
    problem.alpha = x.alpha;
    problem.beta = x.beta;
    problem.a = {Memory::a, x.m, x.k, x.offset_a, x.lda, stored_transposed(x.trans_a)};
    problem.b = {Memory::b, x.k, x.n, x.offset_b, x.ldb, stored_transposed(x.trans_b)};
    problem.c = {Memory::c, x.m, x.n, x.offset_c, x.ldc, row_major};
    problem.arithmetic = x.arithmetic;
    problem.a.element = problem.b.element = x.arithmetic.operands;
    problem.c.element = x.arithmetic.result;
    problem.batch = x.batch;
    problem.of_row_major_call = row_major;
    if (x.batch.count > 1 || x.batch.listed) { // a batch of one is computed as a single call
        problem.a.distance = x.distance_a;
        problem.b.distance = x.distance_b;
        problem.c.distance = x.distance_c;
    }
    const std::size_t products = x.batch.strided();
    check_matrix(problem.a, named_a, x.layout, products);
    check_matrix(problem.b, named_b, x.layout, products);
    check_matrix(problem.c, named_c, x.layout, products);
    check_products_are_apart(problem.c, products);
    return as_one_product(row_major ? transposed(problem) : problem);
}

Problem transposed(const Problem& problem)
{
    Problem result = problem;
    result.m = problem.n;
    result.n = problem.m;
    result.a = transposed(problem.b);
    result.b = transposed(problem.a);
    result.c = transposed(problem.c);
    return result;
}

Problem block_of(const Problem& problem, std::size_t row, std::size_t rows, std::size_t col, std::size_t cols)
{
    Problem result = problem;
    result.m = result.a.rows = result.c.rows = rows;
    result.n = result.b.cols = result.c.cols = cols;
    result.a.offset += row * problem.a.row_stride();
    result.b.offset += col * problem.b.col_stride();
    result.c.offset += row * problem.c.row_stride() + col * problem.c.col_stride();
    return result;
}

Problem product_of(const Problem& batched, std::size_t index)
{
    Problem result = batched;
    result.batch = {};
    for (Matrix* const matrix : {&result.a, &result.b, &result.c}) {
        step_to(*matrix, index);
        while (matrix->distance * matrix->element_bytes() % matrix->alignment != 0)
            matrix->alignment /= 2;
        matrix->distance = 0;
    }
    return result;
}

Problem products_of(const Problem& batched, std::size_t index, std::size_t count)
{
    if (count <= 1 && !batched.batch.listed)
        return product_of(batched, index);
    Problem result = batched;
    result.batch.count = count;
    if (batched.batch.listed) {
        result.batch.first += index;
        return result;
    }
    for (Matrix* const matrix : {&result.a, &result.b, &result.c})
        step_to(*matrix, index);
    return result;
}

std::string describe(const Problem& problem)
{
    return std::string(problem.a.transposed ? "T" : "N") + (problem.b.transposed ? "T " : "N ") + std::to_string(problem.m) +
           "x" + std::to_string(problem.n) + "x" + std::to_string(problem.k);
}

} // namespace clgemm::core
