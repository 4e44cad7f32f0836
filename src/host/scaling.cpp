#include "host/scaling.hpp"

#include <algorithm>

namespace clgemm::core {

void scale(const Matrix& c, float beta, float* memory)
{
    for (std::size_t col = 0; col < c.stored_cols(); col++) {
        float* const begin = memory + c.offset + col * c.ld;
        float* const end = begin + c.stored_rows();
        if (beta == 0.0f)
            std::fill(begin, end, 0.0f);
        else
            std::transform(begin, end, begin, [&](float x) { return beta * x; });
    }
}

} // namespace clgemm::core
