// Where temporaries lie in the workspace, and in the images that are kept with prepared operands. An outline lays them out
// by the same functions as its plan, so that both take as many bytes.
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
        return place_in(Memory::workspace, bytes_, rows, cols, transposed, element);
    }
    // The same for what a kernel wants of an operand. Where the operand is prepared, this lies in the operand's image, and
    // what is wanted of its siblings lies there, too, one behind the other.
    Matrix place_for(const Matrix& operand, std::size_t rows, std::size_t cols, bool transposed = false)
    {
        if (!operand.prepared)
            return place(rows, cols, transposed, operand.element);
        std::size_t& bytes = operand.memory == Memory::a ? image_a_bytes_ : image_b_bytes_;
        const auto& [count, index, distance] = operand.siblings;
        const std::size_t begin = bytes;
        Matrix first = place_in(image_of(operand.memory), bytes, rows, cols, transposed, operand.element);
        if (count > 1) {
            const std::size_t of_each = bytes - begin;
            bytes = of_each > (most - begin) / count ? most : begin + count * of_each;
            first.siblings = {count, index, of_each / first.element_bytes()};
            first.offset += index * first.siblings.distance;
        }
        return first;
    }

    // More than most_bytes() if the matrices are larger than can be counted.
    std::size_t bytes() const { return bytes_; }
    std::size_t image_bytes(Memory operand) const { return operand == Memory::a ? image_a_bytes_ : image_b_bytes_; }
    // The largest size that can be counted.
    static constexpr std::size_t most_bytes() { return most - 1; }

private:
    static constexpr std::size_t most = std::numeric_limits<std::size_t>::max();

    static Matrix place_in(Memory memory, std::size_t& begin, std::size_t rows, std::size_t cols, bool transposed,
                           Element element)
    {
        Matrix placed{memory, rows, cols, begin / size_of(element), 1, transposed};
        placed.element = element;
        placed.ld = placed.stored_rows();
        const std::size_t bytes = saturating_product(saturating_product(rows, cols), size_of(element));
        if (bytes > most - alignment || begin > most - alignment - bytes)
            begin = most; // more than memory can be: nothing that follows makes it less
        else
            begin += round_up(bytes, alignment);
        return placed;
    }

    std::size_t bytes_ = 0, image_a_bytes_ = 0, image_b_bytes_ = 0;
};

} // namespace clgemm::core
