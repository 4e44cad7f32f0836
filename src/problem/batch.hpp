// Several products of one shape in one call. The matrices of each lie at equal distances behind those of the one before
// (Matrix::distance); a distance of 0 lets all of them share a matrix. Or the batch is listed: a list in a buffer of the
// device (Memory::list) says where the matrices of each begin, and has its factors. Then no one on the host knows more of
// the offsets than that they are multiples of Matrix::distance.
#pragma once

#include <algorithm>
#include <cstddef>

namespace clgemm::core {

struct Batch {
    std::size_t count = 1; // of products
    bool listed = false;
    std::size_t first = 0; // of a listed one: the place of the first product in the list

    // So many products lie where the problem says: all that are strided. Of a list, whose offsets nobody on the host knows,
    // one counts, as if it lay at the buffers' beginning.
    std::size_t strided() const { return listed ? std::min<std::size_t>(count, 1) : count; }

    bool operator==(const Batch&) const = default;
};

} // namespace clgemm::core
