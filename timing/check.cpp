#include "timing/check.hpp"

#include <algorithm>
#include <random>

namespace timing {

Reference::Reference(const HostMatrices& matrices, const Product& product) : product_(product)
{
    const auto& [m, n, k] = product.shape;
    // The corners, where edges go wrong, of the first product and of the last, and some elements in between; fewer where K
    // is large.
    struct Place {
        std::size_t of, row, col;
    };
    std::vector<Place> places;
    for (const std::size_t of : {std::size_t{0}, product.count - 1})
        places.insert(places.end(), {{of, 0, 0}, {of, m - 1, 0}, {of, 0, n - 1}, {of, m - 1, n - 1}});
    std::mt19937_64 random(m * n + k);
    const std::size_t more = std::clamp<std::size_t>((1U << 19U) / k, 12, 60);
    for (std::size_t i = 0; i < more; i++)
        places.push_back({random() % product.count, random() % m, random() % n});

    const auto& [trans_a, trans_b] = product.transposes;
    for (const auto& [of, row, col] : places)
        elements_.push_back({of, row, col,
                             clgemm::reference::element(CLGEMM_COLUMN_MAJOR, trans_a ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                                        trans_b ? CLGEMM_TRANS : CLGEMM_NO_TRANS, row, col, k, 1,
                                                        matrices.a.get() + of * product.distance_a(), product.lda(),
                                                        matrices.b.get() + of * product.distance_b(), product.ldb(), 0,
                                                        nullptr, product.ldc())});
}

void Reference::check(Contender& contender) const
{
    contender.spoil_c(product_.elements_of_c());
    Product product = product_;
    product.beta = 0; // What was in C is not known.
    contender.multiply(product);
    for (const auto& [of, row, col, exact] : elements_) {
        const float got = contender.read_c(of * product_.distance_c() + row + col * product_.ldc(), 1).front();
        if (!clgemm::reference::is_right(got, exact, product_.shape.k, {.accuracy = contender.accuracy()}))
            throw std::runtime_error("wrong result: C(" + std::to_string(row) + ", " + std::to_string(col) +
                                     ") of product " + std::to_string(of) + " is " + std::to_string(got) + " instead of " +
                                     std::to_string(exact.value));
    }
    if (product_.beta != 0)
        contender.multiply(product_);
}

} // namespace timing
