#include "host/scaling.hpp"

#include <algorithm>

namespace clgemm::core {
namespace {

template <typename T> void scale_elements(const Matrix& c, float beta, T* memory)
{
    for (std::size_t col = 0; col < c.stored_cols(); col++) {
        T* const begin = memory + c.offset + col * c.ld;
        T* const end = begin + c.stored_rows();
        if (beta == 0.0f)
            std::fill(begin, end, T{});
        else
            std::transform(begin, end, begin, [&](T x) { return beta * x; });
    }
}

} // namespace

void scale(const Matrix& c, float beta, void* memory)
{
    with_type_of(c.element, [&](auto value) { scale_elements(c, beta, static_cast<decltype(value)*>(memory)); });
}

} // namespace clgemm::core
