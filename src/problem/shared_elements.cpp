#include "problem/shared_elements.hpp"

#include <algorithm>
#include <cstdint>

namespace clgemm::core {
namespace {

// The elements of a matrix: `count` lines of neighbours in memory, each `ld` elements behind the one before.
struct Lines {
    std::int64_t begin, length, count, ld;

    std::int64_t line(std::int64_t i) const { return begin + i * ld; }
    std::int64_t end() const { return line(count - 1) + length; }
};

Lines lines_of(const Matrix& matrix, std::size_t product, std::ptrdiff_t before)
{
    const auto begin = static_cast<std::int64_t>(matrix.offset + product * matrix.distance) + before;
    const std::size_t count = matrix.stored_cols();
    return {begin, static_cast<std::int64_t>(matrix.stored_rows()), static_cast<std::int64_t>(count),
            count > 1 ? static_cast<std::int64_t>(matrix.ld) : 1}; // the ld of a single line may be any number
}

// Does a line share elements with the other matrix? Only the last one of its lines that begins before this line ends can
// meet it.
bool meets(std::int64_t begin, std::int64_t length, const Lines& other)
{
    const std::int64_t end = begin + length;
    if (end <= other.begin)
        return false;
    const std::int64_t last = std::min((end - 1 - other.begin) / other.ld, other.count - 1);
    return other.line(last) + other.length > begin;
}

bool share_elements(const Lines& one, const Lines& other)
{
    if (one.end() <= other.begin || other.end() <= one.begin)
        return false;
    const bool one_has_fewer = one.count <= other.count;
    const Lines &fewer = one_has_fewer ? one : other, &more = one_has_fewer ? other : one;
    for (std::int64_t i = 0; i < fewer.count; i++)
        if (meets(fewer.line(i), fewer.length, more))
            return true;
    return false;
}

} // namespace

bool shares_elements_with_c(const Problem& problem, const Matrix& operand, std::ptrdiff_t c_before)
{
    const Matrix& c = problem.c;
    const std::size_t products = problem.batch.count;
    if (problem.touches_nothing() || problem.only_scales_c() || problem.batch.listed) // what is listed is not known
        return false;
    const Lines all_of_c{lines_of(c, 0, c_before).begin, static_cast<std::int64_t>(c.extent(products) - c.offset), 1, 1};
    const Lines all_of_operand{lines_of(operand, 0, 0).begin,
                               static_cast<std::int64_t>(operand.extent(products) - operand.offset), 1, 1};
    if (!share_elements(all_of_c, all_of_operand))
        return false;
    const auto share = [&](std::size_t product_of_c, std::size_t product_of_operand) {
        return share_elements(lines_of(c, product_of_c, c_before), lines_of(operand, product_of_operand, 0));
    };
    for (std::size_t i = 0; i < products; i++)
        if (c.distance == operand.distance ? share(i, 0) || share(0, i) : share(i, i))
            return true;
    return false;
}

} // namespace clgemm::core
