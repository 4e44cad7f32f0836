// Several products of one shape in one call. The matrices of each lie at equal distances behind those of the one before
// (Matrix::distance); a distance of 0 lets all of them share a matrix.
#pragma once

#include <cstddef>

namespace clgemm::core {

struct Batch {
    std::size_t count = 1; // of products

    bool operator==(const Batch&) const = default;
};

} // namespace clgemm::core
