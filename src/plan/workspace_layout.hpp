// Where temporaries lie in the workspace. Who only wants to know how many bytes a plan takes lays them out in the same way.
#pragma once

#include "problem/matrix.hpp"
#include "support/arithmetic.hpp"

#include <limits>

namespace clgemm::core {

class WorkspaceLayout {
public:
    // Every matrix starts at a multiple of so many bytes, which is more than any vector or cache line has.
    static constexpr std::size_t alignment = 256;

    // A matrix without gaps.
    Matrix place(std::size_t rows, std::size_t cols, bool transposed = false)
    {
        Matrix placed{Memory::workspace, rows, cols, elements_, 1, transposed};
        placed.ld = placed.stored_rows();
        constexpr std::size_t unit = alignment / sizeof(float);
        const std::size_t elements = saturating_product(rows, cols);
        if (elements > most - unit || elements_ > most - unit - elements)
            elements_ = most; // more than memory can be: nothing that follows makes it less
        else
            elements_ += round_up(elements, unit);
        return placed;
    }

    // More than any memory has if the matrices are larger than can be counted.
    std::size_t bytes() const { return elements_ * sizeof(float); }
    bool fits_memory() const { return elements_ < most; }
    // Of a workspace that could be.
    static constexpr std::size_t most_bytes() { return (most - 1) * sizeof(float); }

private:
    static constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(float);
    std::size_t elements_ = 0;
};

} // namespace clgemm::core
