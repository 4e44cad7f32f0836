#include "host/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace clgemm::core {
namespace {

// Which tile each place holds, and in which round it was used last.
class PlacesOfTiles {
public:
    using Tile = std::pair<std::size_t, std::size_t>;

    explicit PlacesOfTiles(std::size_t count) : uses_(count) {}

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
std::vector<PlacesOfTiles::Tile> order_of_tiles(std::size_t rows, std::size_t cols, bool growing)
{
    std::vector<PlacesOfTiles::Tile> result;
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
    void add_round(const PlacesOfTiles::Tile& tile, std::size_t depth, std::size_t place_c)
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

    void send(const PlacesOfTiles::Tile& tile, Memory matrix, const PlacesOfTiles::Found& to,
              std::optional<std::size_t> device)
    {
        schedule_.transfers.push_back({Transfer::Kind::upload, matrix, tile.first, tile.second, to.place, device,
                                       to.last_round, to.last_round ? *to.last_round + 1 : 0, 0});
    }

    void receive(const std::vector<PlacesOfTiles::Tile>& tiles, std::size_t which)
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
    PlacesOfTiles a_, b_;
    std::vector<std::size_t> completed_by_; // the last round of each tile of C
    std::size_t received_ = 0;              // the transfers up to the last one that made room for the present tile
    Schedule schedule_;
};

} // namespace

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
