// Several products of one shape in one call. The matrices of each lie at equal distances behind those of the one before
// (Matrix::distance); where the distance is 0, all products share a matrix. Or the batch is listed: a list in a buffer of
// the device (Memory::list) says where the matrices of each product begin, and has its factors. In this case the host knows
// nothing of the offsets but that they are multiples of Matrix::distance.
#pragma once

#include <algorithm>
#include <cstddef>

namespace clgemm::core {

struct Batch {
    std::size_t count = 1; // of products
    bool listed = false;
    std::size_t first = 0; // of a listed one: the place of the first product in the list

    // How many products lie where the problem says: of a strided batch all. The offsets of a listed batch are not known on
    // the host, so it counts as one product, as if that lay at the buffers' beginning.
    std::size_t strided() const { return listed ? std::min<std::size_t>(count, 1) : count; }

    bool operator==(const Batch&) const = default;
};

} // namespace clgemm::core
