// The specification: what every call must compute, as a triple loop in double precision, and how far from it a result in
// single precision may lie. The tests, the benchmarks, the tuner and the demo all check their results with it.
#pragma once

#include "clgemm/clgemm.h"
#include "problem/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace clgemm::reference {

// One element of alpha * op(A) * op(B) + beta * C and the sum of the magnitudes that went into it.
struct Exact {
    double value, magnitude;
    // The same of alpha * op(A) * op(B) alone, where each product is |a| times the largest |b| of its column and the largest
    // |a| of its row times |b|.
    double with_largest = 0;
};

// Element (i, j) of a stored matrix.
inline std::size_t at(clgemm_layout layout, std::size_t i, std::size_t j, std::size_t ld)
{
    return layout == CLGEMM_ROW_MAJOR ? i * ld + j : j * ld + i;
}

// Element (i, j) of the result. A and B are not read where BLAS does not read them, nor is C. T, the type of A's and B's
// elements, and U, that of C's, are any whose numbers double holds exactly.
template <typename T, typename U = T>
Exact element(clgemm_layout layout, clgemm_transpose trans_a, clgemm_transpose trans_b, std::size_t i, std::size_t j,
              std::size_t k, float alpha, const T* a, std::size_t lda, const T* b, std::size_t ldb, float beta,
              const std::type_identity_t<U>* c, std::size_t ldc)
{
    double sum = 0, magnitude = 0, sum_a = 0, sum_b = 0, largest_a = 0, largest_b = 0;
    for (std::size_t l = 0; l < k && alpha != 0; l++) {
        const double x = a[trans_a == CLGEMM_NO_TRANS ? at(layout, i, l, lda) : at(layout, l, i, lda)];
        const double y = b[trans_b == CLGEMM_NO_TRANS ? at(layout, l, j, ldb) : at(layout, j, l, ldb)];
        sum += x * y;
        magnitude += std::fabs(x * y);
        sum_a += std::fabs(x);
        sum_b += std::fabs(y);
        largest_a = std::max(largest_a, std::fabs(x));
        largest_b = std::max(largest_b, std::fabs(y));
    }
    const double with_largest = std::fabs(alpha) * (sum_a * largest_b + largest_a * sum_b);
    if (alpha != 0 && k != 0) {
        sum *= alpha;
        magnitude *= std::fabs(alpha);
    }
    if (beta != 0) {
        const double old = c[at(layout, i, j, ldc)];
        sum += beta * old;
        magnitude += std::fabs(beta * old);
    }
    return {sum, magnitude, with_largest};
}

// A whole row or column of a product: the sum over l of factors[l * step] times the `length` numbers that begin at
// lines[l * ld]. Each sum is made in the same order as in element(); it is faster, since the inner loop runs along memory.
// Values and magnitudes are added to what is there.
inline void add_line(std::size_t length, std::size_t k, const float* factors, std::size_t step, const float* lines,
                     std::size_t ld, double* values, double* magnitudes)
{
    for (std::size_t l = 0; l < k; l++) {
        const double factor = factors[l * step];
        const float* const line = lines + l * ld;
        for (std::size_t x = 0; x < length; x++) {
            const double product = factor * line[x];
            values[x] += product;
            magnitudes[x] += std::fabs(product);
        }
    }
}

using core::Arithmetic;

// Half the distance from 1 to the next float: what one operation in single precision errs by at most, relatively.
inline constexpr double unit_roundoff = core::unit_roundoff(core::Element::f32);

// The one error bound of all checks: what is promised (problem/arithmetic.hpp).
inline double error_bound(std::size_t k, double magnitude, const Arithmetic& arithmetic = {})
{
    return core::promised_error(arithmetic, k) * magnitude;
}

// The same with what an element that is far smaller than the largest of its row or column may lose besides. (Two such losses
// at once are less than k floors of what one makes, since with_largest has the product of both largest ones.)
inline double error_bound(std::size_t k, const Exact& exact, const Arithmetic& arithmetic)
{
    const double magnitude_part = error_bound(k, exact.magnitude, arithmetic);
    const core::Accuracy& accuracy = core::accuracy_of(arithmetic.accuracy);
    const double floor = accuracy.operand_floor;
    return floor == 0 ? magnitude_part
                      : magnitude_part + floor * (1 + core::promised_error(arithmetic, k) + static_cast<double>(k) * floor) *
                                             exact.with_largest;
}

// What that bound leaves out, where products are so small that they underflow: each of k products, k sums and the three more
// may then be off by an absolute error as well, of half the smallest subnormal, or of anything up to the smallest normal
// number where the device has no subnormals. (Where it has, sums that underflow are exact in FP32, so that half of this
// would do; the rest is for products that are added up in pieces.)
inline double underflow_bound(std::size_t k, bool has_subnormals)
{
    return (2 * static_cast<double>(k) + 3) * std::ldexp(1.0, has_subnormals ? -150 : -126);
}

// Is a computed element right? NaN and infinity must be what the reference has. What is beyond the largest float within the
// bound, the reference has as a number, since it is in double precision: there infinity is right.
inline bool is_right(float computed, const Exact& exact, std::size_t k, const Arithmetic& arithmetic = {})
{
    if (std::isnan(exact.value))
        return std::isnan(computed);
    if (std::isinf(exact.value))
        return static_cast<double>(computed) == exact.value;
    const double bound = error_bound(k, exact, arithmetic);
    if (std::isinf(computed) && std::signbit(computed) == std::signbit(exact.value))
        return std::fabs(exact.value) + bound > static_cast<double>(std::numeric_limits<float>::max());
    return std::fabs(static_cast<double>(computed) - exact.value) <= bound;
}

} // namespace clgemm::reference
