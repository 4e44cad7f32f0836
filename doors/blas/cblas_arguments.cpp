#include "cblas_arguments.hpp"

#include "interfaces.hpp"

#include <cstdint>
#include <utility>

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

int cblas_strided_number(int layout, int fortran_number)
{
    switch (const int number = cblas_number(layout, fortran_number)) {
    case 11: return 12; // ldb, behind stridea
    case 14: return 16; // ldc, behind both
    default: return number;
    }
}

Batch batch_of(int layout, const Product& first, std::int64_t stride_a, std::int64_t stride_b, std::int64_t stride_c,
               std::int64_t count)
{
    if (layout == row_major) // A and B were exchanged
        std::swap(stride_a, stride_b);
    return {first, count, stride_a, stride_b, stride_c};
}

namespace {

// The elements from each matrix to the next one, if they are the same and no more than one matrix takes in an array; else
// -1.
template <class Pointer> std::int64_t distance_between(Pointer const* matrices, std::int64_t count, std::int64_t most)
{
    const auto address = [&](std::int64_t i) { return reinterpret_cast<std::uintptr_t>(matrices[i]); };
    const std::uintptr_t bytes = address(1) - address(0);
    if (bytes % sizeof(float) != 0 || bytes / sizeof(float) > static_cast<std::uintptr_t>(most))
        return -1;
    for (std::int64_t i = 2; i < count; i++)
        if (address(i) - address(i - 1) != bytes)
            return -1;
    return static_cast<std::int64_t>(bytes / sizeof(float));
}

} // namespace

Batch batch_of(int layout, const Product& first, const float* const* a, const float* const* b, float* const* c,
               std::int64_t count)
{
    if (layout == row_major) // they were exchanged in the product
        std::swap(a, b);
    const Product& x = first;
    const std::int64_t distance_a = distance_between(a, count, x.lda * (x.trans_a == 'N' ? x.k : x.m)),
                       distance_b = distance_between(b, count, x.ldb * (x.trans_b == 'N' ? x.n : x.k)),
                       distance_c = distance_between(c, count, x.ldc * x.n);
    if (distance_a < 0 || distance_b < 0 || distance_c < 0)
        return {first, 0};
    return {first, count, distance_a, distance_b, distance_c};
}

} // namespace clgemm::doors
