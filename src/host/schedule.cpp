#include "host/schedule.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace clgemm::core {
namespace {

// Which tile each place holds, and which round used it last.
class PlacesOfTiles {
public:
    using Tile = std::pair<std::size_t, std::size_t>;

    explicit PlacesOfTiles(std::size_t count) : uses_(count) {}

    struct Found {
        std::size_t place;
        bool is_new; // the tile is not there yet
        std::optional<std::size_t> last_round;
    };

    // The place for a tile that this round uses: where the tile is, or else the place that was not used for the longest
    // time.
    Found find(const Tile& tile, std::size_t round)
    {
        const auto known = std::find_if(uses_.begin(), uses_.end(), [&](const Use& use) { return use.tile == tile; });
        const auto use =
            known != uses_.end() ? known : std::min_element(uses_.begin(), uses_.end(), [](const Use& x, const Use& y) {
                return x.last_round < y.last_round; // a place that was never used comes first
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

// Tiles of C as (row, column).
std::vector<PlacesOfTiles::Tile> row_by_row(std::size_t rows, std::size_t cols)
{
    std::vector<PlacesOfTiles::Tile> result;
    for (std::size_t row = 0; row < rows; row++)
        for (std::size_t col = 0; col < cols; col++)
            result.emplace_back(row, col);
    return result;
}

// The order where all of A and B stay on the devices. The next tiles of A or B are those that make more products possible
// for each byte that is copied, so that the devices soon have more work than they can do.
std::vector<PlacesOfTiles::Tile> in_growing_rectangles(std::size_t rows, std::size_t cols, std::size_t copied_for_a_row,
                                                       std::size_t copied_for_a_column)
{
    std::vector<PlacesOfTiles::Tile> result{{0, 0}};
    for (std::size_t row = 1, col = 1; row < rows || col < cols;) {
        const bool adds_row = col == cols || (row < rows && col * copied_for_a_column > row * copied_for_a_row);
        if (adds_row) {
            for (std::size_t j = 0; j < col; j++)
                result.emplace_back(row, j);
            row++;
        } else {
            for (std::size_t i = 0; i < row; i++)
                result.emplace_back(i, col);
            col++;
        }
    }
    return result;
}

// How many different ranges there are. Devices whose ranges begin alike need the same tiles.
std::size_t different(const std::vector<Share>& shares, TileRange Share::*range)
{
    std::set<std::size_t> begins;
    for (const auto& share : shares)
        begins.insert((share.*range).begin);
    return begins.size();
}

class Scheduler {
public:
    Scheduler(const Partition& partition, const std::vector<Share>& shares, bool uploads_c)
        : partition_(partition), shares_(shares), places_c_(partition.places_c), uploads_c_(uploads_c),
          a_(partition.places_a), b_(partition.places_b)
    {
    }

    Schedule make()
    {
        const auto tiles = order_of_tiles();
        std::vector<std::size_t> received; // for each tile, how many downloads there are up to its own
        for (std::size_t next = 0; next < tiles.size(); next++) {
            const std::size_t place_c = next % places_c_;
            const std::size_t downloads_before = next >= places_c_ ? received[next - places_c_] : 0;
            for (std::size_t depth = 0; depth < partition_.k.count(); depth++)
                add_round(tiles[next], depth, place_c, downloads_before);
            receive(tiles[next], place_c);
            received.push_back(schedule_.downloads.size());
        }
        return std::move(schedule_);
    }

private:
    using Tile = PlacesOfTiles::Tile;

    std::vector<Tile> order_of_tiles() const
    {
        std::size_t rows = 0, cols = 0;
        for (const auto& share : shares_) {
            rows = std::max(rows, share.rows.count);
            cols = std::max(cols, share.columns.count);
        }
        const bool all_stay = partition_.k.count() == 1 && partition_.places_a >= rows && partition_.places_b >= cols;
        return all_stay ? in_growing_rectangles(rows, cols, partition_.m.size * different(shares_, &Share::rows),
                                                partition_.n.size * different(shares_, &Share::columns))
                        : row_by_row(rows, cols);
    }

    void add_round(const Tile& tile, std::size_t depth, std::size_t place_c, std::size_t downloads_before)
    {
        const std::size_t row = tile.first, column = tile.second, round = schedule_.rounds.size();
        const auto of_a = a_.find({row, depth}, round);
        const auto of_b = b_.find({depth, column}, round);
        const auto brings = [&](const PlacesOfTiles::Found& to, Memory matrix) {
            Upload upload;
            upload.matrix = matrix;
            upload.place = to.place;
            upload.after_round = to.last_round;
            upload.rounds_before = to.last_round ? *to.last_round + 1 : 0;
            upload.downloads_first = downloads_before;
            send(upload, tile, depth);
        };
        if (of_a.is_new)
            brings(of_a, Memory::a);
        if (of_b.is_new)
            brings(of_b, Memory::b);
        if (uploads_c_ && depth == 0) {
            Upload upload;
            upload.matrix = Memory::c;
            upload.place = place_c;
            upload.downloads_before = downloads_before; // if the place had another tile, this must have been received
            send(upload, tile, depth);
        }
        schedule_.rounds.push_back(
            {row, column, depth, of_a.place, of_b.place, place_c, schedule_.uploads.size(), downloads_before});
    }

    static bool has(const Share& share, const Tile& tile)
    {
        return tile.first < share.rows.count && tile.second < share.columns.count;
    }

    // The tile of this matrix, among all of its tiles, that a device needs for the product of its own tile of C at that
    // depth.
    static Tile tile_for(const Share& share, Memory matrix, const Tile& tile_of_c, std::size_t depth)
    {
        const std::size_t row = share.rows.begin + tile_of_c.first, column = share.columns.begin + tile_of_c.second;
        switch (matrix) {
        case Memory::a: return {row, depth};
        case Memory::b: return {depth, column};
        default: return {row, column};
        }
    }

    // Adds the uploads of one step: each device that has such a tile of C gets the tile that it needs for it. Devices that
    // need the same tile share an upload. `alike`: what all these uploads have in common.
    void send(const Upload& alike, const Tile& tile_of_c, std::size_t depth)
    {
        const std::size_t first = schedule_.uploads.size();
        for (std::size_t device = 0; device < shares_.size(); device++) {
            if (!has(shares_[device], tile_of_c))
                continue;
            const Tile tile = tile_for(shares_[device], alike.matrix, tile_of_c, depth);
            auto same =
                std::find_if(schedule_.uploads.begin() + static_cast<std::ptrdiff_t>(first), schedule_.uploads.end(),
                             [&](const Upload& other) { return other.row == tile.first && other.col == tile.second; });
            if (same == schedule_.uploads.end()) {
                same = schedule_.uploads.insert(same, alike);
                same->step = steps_;
                same->row = tile.first;
                same->col = tile.second;
            }
            same->devices.push_back(device);
        }
        steps_++;
    }

    void receive(const Tile& tile, std::size_t place_c)
    {
        for (std::size_t device = 0; device < shares_.size(); device++)
            if (const auto& [rows, columns] = shares_[device]; has(shares_[device], tile))
                schedule_.downloads.push_back({steps_, rows.begin + tile.first, columns.begin + tile.second, place_c, device,
                                               schedule_.rounds.size() - 1});
        steps_++;
    }

    const Partition& partition_;
    const std::vector<Share>& shares_;
    const std::size_t places_c_;
    const bool uploads_c_;
    PlacesOfTiles a_, b_;
    std::size_t steps_ = 0; // so far, of both directions
    Schedule schedule_;
};

} // namespace

Schedule make_schedule(const Partition& partition, const std::vector<Share>& shares, bool uploads_c)
{
    return Scheduler(partition, shares, uploads_c).make();
}

} // namespace clgemm::core
