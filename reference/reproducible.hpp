// What CLGEMM_MATH_REPRODUCIBLE must compute, to the bit: this loop. docs/accuracy.md quotes it.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

namespace clgemm::reference {

// One element of alpha * A * B + beta * C: a row of A, whose elements lie next_a apart, times a column of B. C is not read
// where beta is 0, nor are A and B where alpha is.
inline float reproducible(std::size_t k, float alpha, const float* a, std::size_t next_a, const float* b, std::size_t next_b,
                          float beta, const float* c)
{
    // quoted from here
    constexpr std::size_t depth = 512;
    float total = beta == 0 ? 0 : beta * *c;
    for (std::size_t begin = 0; begin < k && alpha != 0; begin += depth) {
        float sum = 0;
        for (std::size_t l = begin; l < k && l < begin + depth; l++)
            sum = std::fma(a[l * next_a], b[l * next_b], sum);
        total = std::fma(alpha, sum + 0.0f, total); // a sum of -0 becomes +0
    }
    return std::isnan(total) ? std::numeric_limits<float>::quiet_NaN() : total; // 0x7fc00000
    // to here
}

} // namespace clgemm::reference
