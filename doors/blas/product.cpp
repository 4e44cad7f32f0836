#include "product.hpp"

#include <algorithm>

namespace clgemm::doors {
namespace {

bool is_transpose(char letter)
{
    return letter == 'N' || letter == 'T' || letter == 'C';
}

} // namespace

double Product::bytes() const
{
    const auto rows = static_cast<double>(m), cols = static_cast<double>(n), depth = static_cast<double>(k);
    const double times_c = beta == 0.0f ? 1 : 2; // there and back, or only back
    return sizeof(float) * (rows * depth + depth * cols + times_c * rows * cols);
}

Product Batch::product(std::int64_t i) const
{
    Product result = first;
    result.a += i * distance_a;
    result.b += i * distance_b;
    result.c += i * distance_c;
    return result;
}

bool is_strided_batch(const Batch& x)
{
    if (x.distance_a < 0 || x.distance_b < 0 || x.distance_c < 0)
        return false;
    const Product& c = x.first;
    const std::int64_t others = x.count - 1;
    return others <= 0 || c.m == 0 || c.n == 0 || x.distance_c >= (c.n - 1) * c.ldc + c.m ||
           (x.distance_c >= c.m && c.m <= c.ldc && x.distance_c <= (c.ldc - c.m) / others);
}

int first_wrong(const Product& x)
{
    const auto at_least = [](std::int64_t rows) { return std::max<std::int64_t>(1, rows); };
    if (!is_transpose(x.trans_a))
        return 1;
    if (!is_transpose(x.trans_b))
        return 2;
    if (x.m < 0)
        return 3;
    if (x.n < 0)
        return 4;
    if (x.k < 0)
        return 5;
    if (x.lda < at_least(x.trans_a == 'N' ? x.m : x.k))
        return 8;
    if (x.ldb < at_least(x.trans_b == 'N' ? x.k : x.n))
        return 10;
    if (x.ldc < at_least(x.m))
        return 13;
    return 0;
}

} // namespace clgemm::doors
