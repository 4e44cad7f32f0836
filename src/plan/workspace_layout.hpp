// Where temporaries lie in the workspace. Who only wants to know how many bytes a plan takes lays them out in the same way.
#pragma once

#include "problem/matrix.hpp"
#include "support/whole_numbers.hpp"

#include <limits>

namespace clgemm::core {

class WorkspaceLayout {
public:
    // Every matrix starts at a multiple of so many bytes, which is more than any vector or cache line has.
    static constexpr std::size_t alignment = 256;

    // A matrix without gaps.
    Matrix place(std::size_t rows, std::size_t cols, bool transposed = false, Element element = Element::f32)
    {
        Matrix placed{Memory::workspace, rows, cols, bytes_ / size_of(element), 1, transposed};
        placed.element = element;
        placed.ld = placed.stored_rows();
        const std::size_t bytes = saturating_product(saturating_product(rows, cols), size_of(element));
        if (bytes > most - alignment || bytes_ > most - alignment - bytes)
            bytes_ = most; // more than memory can be: nothing that follows makes it less
        else
            bytes_ += round_up(bytes, alignment);
        return placed;
    }

    // More than any memory has if the matrices are larger than can be counted.
    std::size_t bytes() const { return bytes_; }
    // Of a workspace that could be.
    static constexpr std::size_t most_bytes() { return most - 1; }

private:
    static constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    std::size_t bytes_ = 0;
};

} // namespace clgemm::core
