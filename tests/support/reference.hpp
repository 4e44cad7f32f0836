// The specification: what every call must compute, as a triple loop in double precision, and how far from it a result in
// single precision may lie.
#pragma once

#include "clgemm/clgemm.h"

#include <cmath>
#include <cstddef>

namespace clgemm::test {

// One element of alpha * op(A) * op(B) + beta * C and the sum of the magnitudes that went into it.
struct Exact {
    double value, magnitude;
};

// Element (i, j) of a stored matrix.
inline std::size_t at(clgemm_layout layout, std::size_t i, std::size_t j, std::size_t ld)
{
    return layout == CLGEMM_ROW_MAJOR ? i * ld + j : j * ld + i;
}

// Element (i, j) of the result. A and B are not read where BLAS does not read them, nor is C.
inline Exact reference(clgemm_layout layout, clgemm_transpose trans_a, clgemm_transpose trans_b, std::size_t i,
                       std::size_t j, std::size_t k, float alpha, const float* a, std::size_t lda, const float* b,
                       std::size_t ldb, float beta, const float* c, std::size_t ldc)
{
    double sum = 0, magnitude = 0;
    for (std::size_t l = 0; l < k && alpha != 0; l++) {
        const double x = a[trans_a == CLGEMM_NO_TRANS ? at(layout, i, l, lda) : at(layout, l, i, lda)];
        const double y = b[trans_b == CLGEMM_NO_TRANS ? at(layout, l, j, ldb) : at(layout, j, l, ldb)];
        sum += x * y;
        magnitude += std::fabs(x * y);
    }
    if (alpha != 0 && k != 0) {
        sum *= alpha;
        magnitude *= std::fabs(alpha);
    }
    if (beta != 0) {
        const double old = c[at(layout, i, j, ldc)];
        sum += beta * old;
        magnitude += std::fabs(beta * old);
    }
    return {sum, magnitude};
}

// The one error bound of all tests. A dot product of length k in floating point, in any order of summation, fused or not,
// errs by at most gamma(k) * sum |a||b| (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1), where
// gamma(p) = p u / (1 - p u) and u = 2^-24. Scaling by alpha, scaling by beta and adding the two are three roundings more.
inline double error_bound(std::size_t k, double magnitude)
{
    const double p = static_cast<double>(k) + 3;
    const double u = std::ldexp(1.0, -24);
    return p * u / (1 - p * u) * magnitude;
}

// What that bound leaves out, where products are so small that they underflow: each of k products, k sums and the three more
// may then be off by an absolute error as well, of half the smallest subnormal, or of anything up to the smallest normal
// number where the device has no subnormals. (Where it has, sums that underflow are exact in FP32, so that half of this
// would do; the rest is for products that are added up in pieces.)
inline double underflow_bound(std::size_t k, bool has_subnormals)
{
    return (2 * static_cast<double>(k) + 3) * std::ldexp(1.0, has_subnormals ? -150 : -126);
}

// Is a computed element right? NaN and infinity must be what the reference has.
inline bool is_right(float computed, const Exact& exact, std::size_t k)
{
    if (std::isnan(exact.value))
        return std::isnan(computed);
    if (std::isinf(exact.value))
        return static_cast<double>(computed) == exact.value;
    return std::fabs(static_cast<double>(computed) - exact.value) <= error_bound(k, exact.magnitude);
}

} // namespace clgemm::test
