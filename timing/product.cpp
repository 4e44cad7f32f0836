#include "timing/product.hpp"

namespace timing {

double Product::flops() const
{
    return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k) *
           static_cast<double>(count);
}

std::size_t Product::leading_dimension(std::size_t rows) const
{
    constexpr std::size_t aligned = 16;
    switch (columns) {
    case Columns::without_gaps: break;
    case Columns::aligned: return (rows + aligned - 1) / aligned * aligned;
    case Columns::unaligned: return rows | 1U;
    }
    return rows;
}

std::string to_string(const Shape& shape)
{
    return std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
}

std::string to_string(const Transposes& transposes)
{
    return {transposes.a ? 'T' : 'N', transposes.b ? 'T' : 'N'};
}

std::string to_string(const Product& product)
{
    return (product.count == 1 ? "" : std::to_string(product.count) + "*") + to_string(product.shape);
}

} // namespace timing
