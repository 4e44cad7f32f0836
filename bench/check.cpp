#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace bench {

Reference::Reference(const HostMatrices& matrices, const Product& product) : product_(product)
{
    const auto& [m, n, k] = product.shape;
    // The corners, where edges go wrong, and some in between; fewer where each is long.
    std::vector<std::pair<std::size_t, std::size_t>> places = {{0, 0}, {m - 1, 0}, {0, n - 1}, {m - 1, n - 1}};
    std::mt19937_64 random(m * n + k);
    const std::size_t more = std::clamp<std::size_t>((1U << 19U) / k, 12, 60);
    for (std::size_t i = 0; i < more; i++)
        places.emplace_back(random() % m, random() % n);

    const auto& [trans_a, trans_b] = product.transposes;
    for (const auto& [row, col] : places) {
        double sum = 0, sum_of_sizes = 0;
        for (std::size_t p = 0; p < k; p++) {
            const double a = matrices.a[trans_a ? p + row * product.lda() : row + p * product.lda()];
            const double b = matrices.b[trans_b ? col + p * product.ldb() : p + col * product.ldb()];
            sum += a * b;
            sum_of_sizes += std::abs(a * b);
        }
        const double eps = std::numeric_limits<float>::epsilon();
        elements_.push_back({row, col, sum, static_cast<double>(k) * eps * sum_of_sizes});
    }
}

void Reference::check(Contender& contender) const
{
    contender.spoil_c(product_.shape.m * product_.shape.n);
    contender.multiply(product_);
    for (const auto& [row, col, value, bound] : elements_) {
        const double got = contender.read_c(row + col * product_.ldc(), 1).front();
        if (!(std::abs(got - value) <= bound))
            throw std::runtime_error("wrong result: C(" + std::to_string(row) + ", " + std::to_string(col) + ") is " +
                                     std::to_string(got) + " instead of " + std::to_string(value));
    }
}

} // namespace bench
