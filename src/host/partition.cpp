#include "host/partition.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace clgemm::core {
namespace {

// Tiles this wide keep a large GPU busy, and 8 x 8 of them are enough to overlap nearly everything.
constexpr std::size_t least_edge = 2048;
constexpr std::size_t most_parts = 8;
// A product that takes less time than beginning one does has nothing to overlap.
constexpr double least_operations = 1e10;
// Edges of tiles are multiples of this where it is possible, so that the kernels' own tiles are not cut.
constexpr std::size_t rounding = 256;

Parts cut(std::size_t total, std::size_t size)
{
    const std::size_t even = divide_up(total, divide_up(total, size));
    const std::size_t rounded = round_up(even, rounding);
    return {total, rounded <= size ? rounded : even};
}

// How many tiles C has along m and n, for overlap.
std::pair<std::size_t, std::size_t> tiles_for_overlap(const Problem& problem)
{
    const auto count = [](std::size_t total) { return std::clamp<std::size_t>(total / least_edge, 1, most_parts); };
    std::size_t rows = count(problem.m), cols = count(problem.n);
    const double operations =
        2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(problem.k);
    while (rows * cols > 1 && operations / static_cast<double>(rows * cols) < least_operations)
        (rows > cols ? rows : cols)--;
    return {rows, cols};
}

double bytes_of_tile(const Matrix& matrix, std::size_t rows, std::size_t cols)
{
    return static_cast<double>(rows * cols * matrix.element_bytes());
}

// Every tile of A and B has a place of its own. So do as many tiles of C as there is room for, three or more. None if there
// is less room.
std::optional<Partition> all_at_once(const Problem& problem, const RoomForTiles& room)
{
    constexpr std::size_t fewest = 3; // tiles of C: one that is computed, one that comes back, and the next one
    const auto [rows, cols] = tiles_for_overlap(problem);
    const auto in = [](std::size_t total, std::size_t count) { return cut(total, divide_up(total, count)); };
    Partition partition{in(problem.m, rows), in(problem.n, cols), {problem.k, problem.k}};
    // Places for all tiles, since one of several devices may be so fast that it has nearly all of them.
    partition.places_a = partition.m.count();
    partition.places_b = partition.n.count();
    const auto tile_a = bytes_of_tile(problem.a, partition.m.size, problem.k);
    const auto tile_b = bytes_of_tile(problem.b, problem.k, partition.n.size);
    const auto tile_c = bytes_of_tile(problem.c, partition.m.size, partition.n.size);
    if (std::max({tile_a, tile_b, tile_c}) > static_cast<double>(room.one))
        return std::nullopt;
    const double inputs =
        static_cast<double>(partition.places_a) * tile_a + static_cast<double>(partition.places_b) * tile_b;
    const auto all_c = partition.places_a * partition.places_b;
    const double left = (static_cast<double>(room.all) - inputs) / tile_c;
    if (left < static_cast<double>(std::min(all_c, fewest)))
        return std::nullopt;
    partition.places_c = left < static_cast<double>(all_c) ? static_cast<std::size_t>(left) : all_c;
    return partition;
}

// Two places for each, one in use while the other is filled. A square of C needs the fewest transfers; K is cut so that A
// and B take about half of the room.
Partition in_turns(const Problem& problem, const RoomForTiles& room)
{
    const auto size = static_cast<double>(std::max(problem.a.element_bytes(), problem.c.element_bytes()));
    const double elements = static_cast<double>(room.all) / size / 2; // for one place of each matrix
    const double most = std::min(static_cast<double>(room.one) / size, elements);
    const auto at_least_1 = [](double x) { return static_cast<std::size_t>(std::max(1.0, x)); };
    double edge = std::sqrt(std::min(elements / 2, most));
    const bool is_in_blocks = is_reproducible(problem.arithmetic); // blocks of K, which are not cut
    if (is_in_blocks) {
        const auto block = static_cast<double>(std::min(problem.k, reproducible_depth));
        edge = std::min({edge, std::sqrt(block * block + elements) - block, most / block}); // with room for such blocks
    }
    const std::size_t rows = std::min(problem.m, at_least_1(edge)), cols = std::min(problem.n, at_least_1(edge));
    const double left = elements - static_cast<double>(rows * cols);
    const std::size_t depth =
        at_least_1(std::min(left / static_cast<double>(rows + cols), most / static_cast<double>(std::max(rows, cols))));
    const Parts of_k = is_in_blocks
                           ? Parts{problem.k, std::max<std::size_t>(depth / reproducible_depth, 1) * reproducible_depth}
                           : cut(problem.k, std::min(problem.k, depth));
    return {cut(problem.m, rows), cut(problem.n, cols), of_k, 2, 2, 2};
}

} // namespace

Partition one_tile(const Problem& problem)
{
    return {{problem.m, problem.m}, {problem.n, problem.n}, {problem.k, problem.k}, 1, 1, 1};
}

Partition choose_partition(const Problem& problem, const RoomForTiles& room)
{
    if (const auto partition = all_at_once(problem, room))
        return *partition;
    return in_turns(problem, room);
}

Matrix tile_of(const Matrix& matrix, const Parts& rows, std::size_t row, const Parts& cols, std::size_t col)
{
    Matrix result = matrix;
    result.offset += rows.begin(row) * matrix.row_stride() + cols.begin(col) * matrix.col_stride();
    result.rows = rows.length(row);
    result.cols = cols.length(col);
    return result;
}

Problem product_of_tiles(const Problem& problem, const Partition& partition, std::size_t row, std::size_t col,
                         std::size_t depth)
{
    const auto& [m, n, k, places_a, places_b, places_c] = partition;
    Problem product = problem;
    product.m = m.length(row);
    product.n = n.length(col);
    product.k = k.length(depth);
    product.a = packed(tile_of(problem.a, m, row, k, depth));
    product.b = packed(tile_of(problem.b, k, depth, n, col));
    product.c = packed(tile_of(problem.c, m, row, n, col));
    if (depth > 0)
        product.beta = 1;
    return product;
}

} // namespace clgemm::core
