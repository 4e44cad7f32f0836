#include "host/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clgemm::core {
namespace {

// The one NaN that reproducible results have, 0x7fc00000.
template <typename T> T with_one_nan(T x)
{
    return std::isnan(x) ? std::numeric_limits<T>::quiet_NaN() : x;
}

template <typename T> void scale_elements(const Problem& problem, T* memory)
{
    const Matrix& c = problem.c;
    const float beta = problem.beta;
    const bool reproducible = is_reproducible(problem.arithmetic);
    for (std::size_t col = 0; col < c.stored_cols(); col++) {
        T* const begin = memory + c.offset + col * c.ld;
        T* const end = begin + c.stored_rows();
        if (beta == 0.0f)
            std::fill(begin, end, T{});
        else
            std::transform(begin, end, begin, [&](T x) { return reproducible ? with_one_nan(beta * x) : beta * x; });
    }
}

} // namespace

void scale(const Problem& problem, void* memory)
{
    with_type_of(problem.c.element, [&](auto value) { scale_elements(problem, static_cast<decltype(value)*>(memory)); });
}

} // namespace clgemm::core
