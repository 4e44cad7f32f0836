// A matrix surrounded by canaries: NaNs of one bit pattern before it, after it, and in the gaps between its columns (rows).
// Whoever reads one spoils a result; whoever writes one is found.
#pragma once

#include "clgemm/clgemm.h"

#include <cstddef>
#include <random>
#include <vector>

namespace clgemm::reference {

class GuardedMatrix {
public:
    // rows x cols as stored; `gap` elements between columns (column-major) or rows (row-major); all canaries.
    GuardedMatrix(clgemm_layout layout, std::size_t rows, std::size_t cols, std::size_t gap, std::size_t offset);

    // Uniform in [-1, 1).
    void fill(std::mt19937& random);

    float& at(std::size_t i, std::size_t j) { return elements[index(i, j)]; }
    float at(std::size_t i, std::size_t j) const { return elements[index(i, j)]; }
    const float* data() const { return elements.data() + offset; }
    std::size_t bytes() const { return elements.size() * sizeof(float); }

    // Does everything outside the matrix still have its bits?
    bool canaries_are_alive() const;
    bool same_bits(const GuardedMatrix& other) const;

    clgemm_layout layout;
    std::size_t rows, cols, ld, offset;
    std::vector<float> elements; // the whole buffer

private:
    std::size_t index(std::size_t i, std::size_t j) const;
};

} // namespace clgemm::reference
