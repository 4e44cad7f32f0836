#include "accuracy.hpp"

#include "timing/parallel.hpp"

#include "reference/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bench {
namespace {

enum class Class { nan, infinite, minus_infinite, finite, any };

Class class_of(double value)
{
    if (std::isnan(value))
        return Class::nan;
    if (std::isinf(value))
        return value > 0 ? Class::infinite : Class::minus_infinite;
    return Class::finite;
}

// What FP32 makes of a dot product, whatever the order of summation. Near the largest float, and where positive and negative
// products both overflow, the order decides.
Class class_in_fp32(double value, double magnitude)
{
    if (!std::isfinite(value))
        return class_of(value);
    const double plus = (magnitude + value) / 2, minus = (magnitude - value) / 2;
    constexpr double never_overflows = 0x1p127, always_overflows = 0x1p129;
    if (std::max(plus, minus) < never_overflows)
        return Class::finite;
    if (plus > always_overflows && minus < never_overflows)
        return Class::infinite;
    if (minus > always_overflows && plus < never_overflows)
        return Class::minus_infinite;
    return Class::any;
}

} // namespace

void ExactProduct::Line::add(float value)
{
    sum += std::abs(static_cast<double>(value));
    largest = std::max(largest, std::abs(static_cast<double>(value)));
}

ExactProduct::ExactProduct(const Operands& operands, std::size_t rows)
    : m_(operands.m), n_(operands.n), k_(operands.k), rows_(std::min(rows, operands.m)), values_(rows_.size() * n_),
      magnitudes_(values_.size()), of_a_(rows_.size()), of_b_(n_)
{
    for (std::size_t i = 0; i < rows_.size(); i++)
        rows_[i] = i * m_ / rows_.size();
    for (std::size_t l = 0; l < k_; l++) {
        for (std::size_t i = 0; i < rows_.size(); i++)
            of_a_[i].add(operands.a[rows_[i] + l * m_]);
        for (std::size_t j = 0; j < n_; j++)
            of_b_[j].add(operands.b[j + l * n_]);
    }
    timing::in_parallel(rows_.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; i++)
            clgemm::reference::add_line(n_, operands.k, operands.a + rows_[i], m_, operands.b, n_, &values_[i * n_],
                                        &magnitudes_[i * n_]);
    });
}

Errors ExactProduct::errors_of(const std::vector<float>& c, clgemm_math accuracy) const
{
    using clgemm::reference::error_bound;
    constexpr double u = clgemm::reference::unit_roundoff, smallest = std::numeric_limits<float>::denorm_min();
    Errors errors;
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < rows_.size(); i++)
        for (std::size_t j = 0; j < n_; j++) {
            const double value = values_[i * n_ + j], magnitude = magnitudes_[i * n_ + j];
            const double computed = c[rows_[i] + j * m_];
            const Class expected = class_in_fp32(value, magnitude);
            if (expected == Class::any)
                continue;
            if (class_of(computed) != expected) {
                errors.misclassified++;
            } else if (expected == Class::finite) {
                const double error = std::abs(computed - value) / (u * magnitude + smallest);
                const Line &a = of_a_[i], &b = of_b_[j];
                const double with_largest = a.sum * b.largest + a.largest * b.sum;
                const double promise = error_bound(k_, {value, magnitude, with_largest}, {.accuracy = accuracy}) +
                                       clgemm::reference::underflow_bound(k_, true);
                errors.of_the_promise = std::max(errors.of_the_promise, std::abs(computed - value) / promise);
                sum += error;
                errors.max = std::max(errors.max, error);
                count++;
            }
        }
    if (count > 0)
        errors.mean = sum / static_cast<double>(count);
    return errors;
}

} // namespace bench
