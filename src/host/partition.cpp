#include "host/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace clgemm::core {
namespace {

// Tiles this wide keep a large GPU busy, and 8 x 8 of them are enough to overlap nearly everything.
constexpr std::size_t least_edge = 2048;
constexpr std::size_t most_parts = 8;
// A product that takes less time than it takes to begin one has nothing to overlap.
constexpr double least_operations = 1e10;
// Edges are multiples of it where the kernels' own tiles would otherwise be cut.
constexpr std::size_t rounding = 256;

Parts cut(std::size_t total, std::size_t size)
{
    const std::size_t count = (total + size - 1) / size;
    const std::size_t even = (total + count - 1) / count;
    const std::size_t rounded = (even + rounding - 1) / rounding * rounding;
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

// Of a tile of that matrix.
double bytes_of_tile(const Matrix& matrix, std::size_t rows, std::size_t cols)
{
    return static_cast<double>(rows * cols * matrix.element_bytes());
}

// Every tile of A and B has a place of its own, and so has every tile of C, or at least three.
std::optional<Partition> all_at_once(const Problem& problem, const RoomForTiles& room)
{
    const auto [rows, cols] = tiles_for_overlap(problem);
    const auto in = [](std::size_t total, std::size_t count) { return cut(total, (total + count - 1) / count); };
    Partition partition{in(problem.m, rows), in(problem.n, cols), {problem.k, problem.k}};
    partition.places_a = partition.m.count();
    partition.places_b =
        partition.n.count(); // also where devices share the columns: one may be so fast that it has nearly all
    const auto tile_a = bytes_of_tile(problem.a, partition.m.size, problem.k);
    const auto tile_b = bytes_of_tile(problem.b, problem.k, partition.n.size);
    const auto tile_c = bytes_of_tile(problem.c, partition.m.size, partition.n.size);
    if (std::max({tile_a, tile_b, tile_c}) > static_cast<double>(room.one))
        return std::nullopt;
    const double inputs =
        static_cast<double>(partition.places_a) * tile_a + static_cast<double>(partition.places_b) * tile_b;
    const auto all_c = partition.places_a * partition.places_b;
    const double left = (static_cast<double>(room.all) - inputs) / tile_c;
    partition.places_c = left >= static_cast<double>(all_c) ? all_c : 3;
    if (left < static_cast<double>(partition.places_c))
        return std::nullopt;
    return partition;
}

// Two places for each, one in use while the other is filled. A square of C needs the fewest transfers; K is cut so that A
// and B take about half of the room.
Partition in_turns(const Problem& problem, const RoomForTiles& room)
{
    const auto size = static_cast<double>(std::max(problem.a.element_bytes(), problem.c.element_bytes()));
    const double elements = static_cast<double>(room.all) / size / 2; // of one place for each
    const double most = std::min(static_cast<double>(room.one) / size, elements);
    const auto at_least_1 = [](double x) { return static_cast<std::size_t>(std::max(1.0, x)); };
    double edge = std::sqrt(std::min(elements / 2, most));
    const bool is_in_blocks = is_reproducible(problem.arithmetic); // of K, which are not cut
    if (is_in_blocks) {
        const auto block = static_cast<double>(std::min(problem.k, reproducible_depth));
        edge = std::min({edge, std::sqrt(block * block + elements) - block, most / block}); // with room for such operands
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

// Which tile each place holds, and in which round it was used last.
class Places {
public:
    using Tile = std::pair<std::size_t, std::size_t>;

    explicit Places(std::size_t count) : uses_(count) {}

    struct Found {
        std::size_t place;
        bool is_new; // the tile must be brought
        std::optional<std::size_t> last_round;
    };

    // For use in that round: where the tile is, or the place that was not used for the longest time.
    Found find(const Tile& tile, std::size_t round)
    {
        const auto known = std::find_if(uses_.begin(), uses_.end(), [&](const Use& use) { return use.tile == tile; });
        const auto use =
            known != uses_.end() ? known : std::min_element(uses_.begin(), uses_.end(), [](const Use& x, const Use& y) {
                return x.last_round < y.last_round; // none is the least
            });
        const Found found{static_cast<std::size_t>(use - uses_.begin()), known == uses_.end(), use->last_round};
        *use = {tile, round};
        return found;
    }

private:
    struct Use {
        std::optional<Tile> tile;
        std::optional<std::size_t> last_round;
    };
    std::vector<Use> uses_;
};

// Tiles of C, (row, column). Where all of A and B stay on the device, they grow like a square: with each tile that
// arrives, as many products as possible become computable, so that the device soon has more work than it can do.
std::vector<Places::Tile> order_of_tiles(std::size_t rows, std::size_t cols, bool growing)
{
    std::vector<Places::Tile> result;
    for (std::size_t i = 0; i < rows; i++)
        for (std::size_t j = 0; j < cols; j++)
            result.emplace_back(i, j);
    if (growing)
        std::stable_sort(result.begin(), result.end(), [](const auto& x, const auto& y) {
            return std::max(x.first, x.second) < std::max(y.first, y.second);
        });
    return result;
}

class Scheduler {
public:
    Scheduler(const Partition& partition, const std::vector<Columns>& columns, bool uploads_c)
        : partition_(partition), columns_(columns), places_c_(std::max<std::size_t>(1, partition.places_c)),
          uploads_c_(uploads_c), a_(partition.places_a), b_(partition.places_b)
    {
    }

    Schedule make()
    {
        const std::size_t rows = partition_.m.count(), depths = partition_.k.count();
        std::size_t cols = 0;
        for (const auto& columns : columns_)
            cols = std::max(cols, columns.count);
        const bool growing = depths == 1 && partition_.places_a >= rows && partition_.places_b >= cols;
        const auto tiles = order_of_tiles(rows, cols, growing);
        for (std::size_t next = 0; next < tiles.size(); next++) {
            // Received as late as its place allows: what is sent makes work for the devices, so it goes first.
            if (next >= places_c_) {
                receive(tiles, next - places_c_);
                received_ = schedule_.transfers.size();
            }
            for (std::size_t depth = 0; depth < depths; depth++)
                add_round(tiles[next], depth, next % places_c_);
            completed_by_.push_back(schedule_.rounds.size() - 1);
        }
        for (std::size_t next = tiles.size() - std::min(tiles.size(), places_c_); next < tiles.size(); next++)
            receive(tiles, next);
        return std::move(schedule_);
    }

private:
    void add_round(const Places::Tile& tile, std::size_t depth, std::size_t place_c)
    {
        const auto [row, column] = tile;
        const std::size_t round = schedule_.rounds.size();
        const auto of_a = a_.find({row, depth}, round);
        const auto of_b = b_.find({depth, column}, round);
        if (of_a.is_new)
            send({row, depth}, Memory::a, of_a, std::nullopt);
        for (std::size_t device = 0; device < columns_.size(); device++) {
            if (column >= columns_[device].count)
                continue;
            const std::size_t col = columns_[device].begin + column;
            if (of_b.is_new)
                send({depth, col}, Memory::b, of_b, device);
            if (uploads_c_ && depth == 0) // where another tile was, it must have been received
                schedule_.transfers.push_back(
                    {Transfer::Kind::upload, Memory::c, row, col, place_c, device, std::nullopt, 0, received_});
        }
        schedule_.rounds.push_back({row, column, depth, of_a.place, of_b.place, place_c, schedule_.transfers.size()});
    }

    void send(const Places::Tile& tile, Memory matrix, const Places::Found& to, std::optional<std::size_t> device)
    {
        schedule_.transfers.push_back({Transfer::Kind::upload, matrix, tile.first, tile.second, to.place, device,
                                       to.last_round, to.last_round ? *to.last_round + 1 : 0, 0});
    }

    void receive(const std::vector<Places::Tile>& tiles, std::size_t which)
    {
        const auto [row, column] = tiles[which];
        for (std::size_t device = 0; device < columns_.size(); device++)
            if (column < columns_[device].count)
                schedule_.transfers.push_back({Transfer::Kind::download, Memory::c, row, columns_[device].begin + column,
                                               which % places_c_, device, completed_by_[which], schedule_.rounds.size(), 0});
    }

    const Partition& partition_;
    const std::vector<Columns>& columns_;
    const std::size_t places_c_;
    const bool uploads_c_;
    Places a_, b_;
    std::vector<std::size_t> completed_by_; // the last round of each tile of C
    std::size_t received_ = 0;              // the transfers up to the last one that made room for the present tile
    Schedule schedule_;
};

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

std::vector<Columns> divide(std::size_t columns, const std::vector<double>& speeds)
{
    const double all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
    std::vector<Columns> result;
    double sum = 0;
    std::size_t begin = 0;
    for (const double speed : speeds) {
        sum += speed;
        const auto end = static_cast<std::size_t>(std::lround(static_cast<double>(columns) * sum / all));
        result.push_back({begin, end - begin});
        begin = end;
    }
    return result;
}

Schedule make_schedule(const Partition& partition, const std::vector<Columns>& columns, bool uploads_c)
{
    return Scheduler(partition, columns, uploads_c).make();
}

} // namespace clgemm::core
