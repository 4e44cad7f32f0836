#include "cblas_arguments.hpp"

#include "interfaces.hpp"

namespace clgemm::doors {

int first_wrong_enumerator(int layout, int trans_a, int trans_b)
{
    const auto is_transpose = [](int value) { return value >= 111 && value <= 113; };
    return layout != row_major && layout != column_major ? 1 : !is_transpose(trans_a) ? 2 : !is_transpose(trans_b) ? 3 : 0;
}

Product product_of(int layout, int trans_a, int trans_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
                   const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
                   std::int64_t ldc)
{
    const auto letter = [](int transpose) { return transposes[static_cast<std::size_t>(transpose - 111)]; };
    if (layout == row_major)
        return {letter(trans_b), letter(trans_a), n, m, k, alpha, b, ldb, a, lda, beta, c, ldc};
    return {letter(trans_a), letter(trans_b), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};
}

int cblas_number(int layout, int fortran_number)
{
    if (fortran_number == 0)
        return 0;
    const int number = fortran_number + 1; // the layout comes first
    if (layout != row_major)
        return number;
    switch (number) { // m and n, A and B were exchanged
    case 4: return 5;
    case 5: return 4;
    case 9: return 11;
    case 11: return 9;
    default: return number;
    }
}

} // namespace clgemm::doors
