#include "guarded_matrix.hpp"

#include "reference/reference.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace clgemm::reference {
namespace {

constexpr std::uint32_t canary_bits = 0x7fcabcde; // a quiet NaN
constexpr std::size_t tail = 19;                  // canaries after the matrix

} // namespace

GuardedMatrix::GuardedMatrix(clgemm_layout its_layout, std::size_t its_rows, std::size_t its_cols, std::size_t gap,
                             std::size_t its_offset)
    : layout(its_layout), rows(its_rows), cols(its_cols),
      ld(std::max<std::size_t>(1, its_layout == CLGEMM_ROW_MAJOR ? its_cols : its_rows) + gap), offset(its_offset)
{
    const std::size_t lines = layout == CLGEMM_ROW_MAJOR ? rows : cols;
    elements.assign(offset + lines * ld + tail, std::bit_cast<float>(canary_bits));
}

std::size_t GuardedMatrix::index(std::size_t i, std::size_t j) const
{
    return offset + reference::at(layout, i, j, ld);
}

void GuardedMatrix::fill(std::mt19937& random)
{
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    for (std::size_t i = 0; i < rows; i++)
        for (std::size_t j = 0; j < cols; j++)
            at(i, j) = uniform(random);
}

bool GuardedMatrix::canaries_are_alive() const
{
    std::vector<bool> inside(elements.size(), false);
    for (std::size_t i = 0; i < rows; i++)
        for (std::size_t j = 0; j < cols; j++)
            inside[index(i, j)] = true;
    for (std::size_t e = 0; e < elements.size(); e++)
        if (!inside[e] && std::bit_cast<std::uint32_t>(elements[e]) != canary_bits)
            return false;
    return true;
}

bool GuardedMatrix::same_bits(const GuardedMatrix& other) const
{
    return elements.size() == other.elements.size() && std::memcmp(elements.data(), other.elements.data(), bytes()) == 0;
}

} // namespace clgemm::reference
