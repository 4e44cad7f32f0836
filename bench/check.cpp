#include "check.hpp"

#include <algorithm>
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
    for (const auto& [row, col] : places)
        elements_.push_back(
            {row, col,
             clgemm::reference::element(CLGEMM_COLUMN_MAJOR, trans_a ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                        trans_b ? CLGEMM_TRANS : CLGEMM_NO_TRANS, row, col, k, 1, matrices.a.get(),
                                        product.lda(), matrices.b.get(), product.ldb(), 0, nullptr, product.ldc())});
}

void Reference::check(Contender& contender) const
{
    contender.spoil_c(product_.elements_of_c());
    contender.multiply(product_);
    for (const auto& [row, col, exact] : elements_) {
        const float got = contender.read_c(row + col * product_.ldc(), 1).front();
        if (!clgemm::reference::is_right(got, exact, product_.shape.k, {.accuracy = contender.accuracy()}))
            throw std::runtime_error("wrong result: C(" + std::to_string(row) + ", " + std::to_string(col) + ") is " +
                                     std::to_string(got) + " instead of " + std::to_string(exact.value));
    }
}

} // namespace bench
