#include "host/shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace clgemm::core {
namespace {

// Devices are numbered row by row of the grid.
std::vector<Share> in_a_grid(const Partition& partition, const std::vector<double>& speeds, std::size_t grid_rows)
{
    const std::size_t grid_columns = speeds.size() / grid_rows;
    std::vector<double> of_rows(grid_rows), of_columns(grid_columns);
    for (std::size_t device = 0; device < speeds.size(); device++) {
        of_rows[device / grid_columns] += speeds[device];
        of_columns[device % grid_columns] += speeds[device];
    }
    const auto rows = divide(partition.m.count(), of_rows), columns = divide(partition.n.count(), of_columns);
    std::vector<Share> result;
    for (std::size_t device = 0; device < speeds.size(); device++)
        result.push_back({rows[device / grid_columns], columns[device % grid_columns]});
    return result;
}

// The time when the last device has multiplied its tiles; and how much of A and B the device gets that gets most of them, in
// elements for each step along K.
std::pair<double, std::size_t> cost(const std::vector<Share>& shares, const Partition& partition,
                                    const std::vector<double>& speeds)
{
    std::pair<double, std::size_t> result{0, 0};
    for (std::size_t device = 0; device < shares.size(); device++) {
        const auto& [rows, columns] = shares[device];
        result.first = std::max(result.first, static_cast<double>(rows.count * columns.count) / speeds[device]);
        result.second = std::max(result.second, rows.count * partition.m.size + columns.count * partition.n.size);
    }
    return result;
}

} // namespace

std::vector<TileRange> divide(std::size_t count, const std::vector<double>& speeds)
{
    const double all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
    std::vector<TileRange> result;
    double sum = 0;
    std::size_t begin = 0;
    for (const double speed : speeds) {
        sum += speed;
        const auto end = static_cast<std::size_t>(std::lround(static_cast<double>(count) * sum / all));
        result.push_back({begin, end - begin});
        begin = end;
    }
    return result;
}

std::vector<Share> share_out(const Partition& partition, const std::vector<double>& speeds)
{
    std::vector<Share> best = in_a_grid(partition, speeds, 1);
    for (std::size_t grid_rows = 2; grid_rows <= speeds.size(); grid_rows++) {
        if (speeds.size() % grid_rows != 0)
            continue;
        auto shares = in_a_grid(partition, speeds, grid_rows);
        if (cost(shares, partition, speeds) < cost(best, partition, speeds))
            best = std::move(shares);
    }
    return best;
}

Partition with_places_for(const std::vector<Share>& shares, Partition partition)
{
    std::size_t rows = 0, columns = 0, tiles = 0;
    for (const auto& share : shares) {
        rows = std::max(rows, share.rows.count);
        columns = std::max(columns, share.columns.count);
        tiles = std::max(tiles, share.rows.count * share.columns.count);
    }
    if (partition.k.count() == 1) {
        partition.places_a = std::min(partition.places_a, rows);
        partition.places_b = std::min(partition.places_b, columns);
    }
    partition.places_c = std::min(partition.places_c, tiles);
    return partition;
}

} // namespace clgemm::core
