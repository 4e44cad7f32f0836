#include "problem/problem.hpp"

#include "support/error.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace clgemm::core {
namespace {

bool is_transpose(clgemm_transpose value)
{
    return value == CLGEMM_NO_TRANS || value == CLGEMM_TRANS || value == CLGEMM_CONJ_TRANS;
}

// One matrix of the caller's with what its errors are called.
struct Named {
    const char* name;
    const char* ld_name;
    clgemm_status invalid_ld, overflow;
};
constexpr Named named_a{"A", "lda", CLGEMM_INVALID_LDA, CLGEMM_OVERFLOW_A};
constexpr Named named_b{"B", "ldb", CLGEMM_INVALID_LDB, CLGEMM_OVERFLOW_B};
constexpr Named named_c{"C", "ldc", CLGEMM_INVALID_LDC, CLGEMM_OVERFLOW_C};

void check_matrix(const Matrix& matrix, const Named& named)
{
    if (matrix.ld < std::max<std::size_t>(1, matrix.rows))
        throw Error(named.invalid_ld, std::string(named.ld_name) + " is " + std::to_string(matrix.ld) +
                                          ", but must be at least " + std::to_string(std::max<std::size_t>(1, matrix.rows)));
    if (matrix.rows == 0 || matrix.cols == 0)
        return;
    // offset + (cols - 1) * ld + rows elements must be countable in bytes.
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(float);
    const bool fits = matrix.rows <= most && matrix.offset <= most - matrix.rows &&
                      matrix.cols - 1 <= (most - matrix.rows - matrix.offset) / matrix.ld;
    if (!fits)
        throw Error(named.overflow, std::string(named.name) + " is too large: its offset, sizes and leading dimension " +
                                        "reach past what size_t can count in bytes");
}

} // namespace

Problem make_problem(const Arguments& x)
{
    if (x.layout != CLGEMM_ROW_MAJOR && x.layout != CLGEMM_COLUMN_MAJOR)
        throw Error(CLGEMM_INVALID_LAYOUT, "layout is " + std::to_string(static_cast<int>(x.layout)) +
                                               ", but must be CLGEMM_ROW_MAJOR (101) or CLGEMM_COLUMN_MAJOR (102)");
    const std::string transposes = ", but must be CLGEMM_NO_TRANS (111), CLGEMM_TRANS (112) or CLGEMM_CONJ_TRANS (113)";
    if (!is_transpose(x.trans_a))
        throw Error(CLGEMM_INVALID_TRANS_A, "transA is " + std::to_string(static_cast<int>(x.trans_a)) + transposes);
    if (!is_transpose(x.trans_b))
        throw Error(CLGEMM_INVALID_TRANS_B, "transB is " + std::to_string(static_cast<int>(x.trans_b)) + transposes);

    const bool swapped = x.layout == CLGEMM_ROW_MAJOR;
    const bool trans_a = x.trans_a != CLGEMM_NO_TRANS;
    const bool trans_b = x.trans_b != CLGEMM_NO_TRANS;

    // As stored, in column-major terms: a row-major p x q matrix is a column-major q x p one.
    const auto stored = [&](std::size_t rows, std::size_t cols, bool transposed, std::size_t offset, std::size_t ld) {
        if (transposed != swapped)
            std::swap(rows, cols);
        return Matrix{rows, cols, offset, ld, transposed};
    };
    Matrix a = stored(x.m, x.k, trans_a, x.offset_a, x.lda);
    Matrix b = stored(x.k, x.n, trans_b, x.offset_b, x.ldb);
    const Matrix c = stored(x.m, x.n, false, x.offset_c, x.ldc);
    check_matrix(a, named_a);
    check_matrix(b, named_b);
    check_matrix(c, named_c);

    if (swapped)
        std::swap(a, b);
    return {swapped ? x.n : x.m, swapped ? x.m : x.n, x.k, x.alpha, x.beta, a, b, c, swapped};
}

Problem exchanged(const Problem& problem)
{
    Problem result = problem;
    std::swap(result.m, result.n);
    std::swap(result.a, result.b);
    result.a.transposed = !result.a.transposed;
    result.b.transposed = !result.b.transposed;
    return result;
}

std::string describe(const Problem& problem)
{
    return std::string(problem.a.transposed ? "T" : "N") + (problem.b.transposed ? "T " : "N ") + std::to_string(problem.m) +
           "x" + std::to_string(problem.n) + "x" + std::to_string(problem.k);
}

} // namespace clgemm::core
