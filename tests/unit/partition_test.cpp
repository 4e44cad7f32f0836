// How products on host memory are cut and scheduled: every schedule is played through, and what each place on each device
// holds is kept track of.
#include "host/schedule.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

using namespace clgemm::core;

namespace {

Problem a_problem(std::size_t m, std::size_t n, std::size_t k)
{
    return make_problem({CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, m, n, k, 1, 0, m, 0, n, 0, 0, m});
}

double bytes_of_places(const Partition& x)
{
    const auto bytes = [](const Parts& rows, const Parts& cols) {
        return static_cast<double>(rows.size) * static_cast<double>(cols.size) * sizeof(float);
    };
    return static_cast<double>(x.places_a) * bytes(x.m, x.k) + static_cast<double>(x.places_b) * bytes(x.k, x.n) +
           static_cast<double>(x.places_c) * bytes(x.m, x.n);
}

// Plays a schedule in the order of its lists, and checks whatever the devices and the threads could do at the same time.
class Player {
public:
    Player(const Partition& partition, const std::vector<Columns>& columns, bool uploads_c)
        : partition_(partition), columns_(columns), uploads_c_(uploads_c),
          schedule_(make_schedule(partition, columns, uploads_c))
    {
    }

    void play()
    {
        for (std::size_t i = 0; i < schedule_.transfers.size(); i++) {
            begin_rounds(i);
            const auto& transfer = schedule_.transfers[i];
            ASSERT_LE(transfer.rounds_before, rounds_);
            ASSERT_LE(transfer.transfers_before, i);
            for (std::size_t device = 0; device < columns_.size(); device++)
                if (transfer.device.value_or(device) == device) {
                    ASSERT_NO_FATAL_FAILURE(move(transfer, i, device));
                }
        }
        begin_rounds(schedule_.transfers.size());
        ASSERT_EQ(rounds_, schedule_.rounds.size());
        for (std::size_t row = 0; row < partition_.m.count(); row++)
            for (std::size_t col = 0; col < partition_.n.count(); col++)
                ASSERT_EQ((received_[{row, col}]), 1) << "tile of C " << row << ", " << col;
        std::size_t tiles = 0;
        for (const auto& [tile, times] : received_)
            tiles += static_cast<std::size_t>(times);
        ASSERT_EQ(tiles, partition_.m.count() * partition_.n.count());
    }

private:
    struct Place {
        std::size_t row = SIZE_MAX, col = SIZE_MAX; // of the tile that is here
        std::size_t depths = 0;                     // of C: so many products are in it
        std::optional<std::size_t> last_round;      // that used it
        std::size_t read_by = 0;                    // of C: the transfer after which it may be overwritten
        bool waits_for_reading = false;
    };

    Place& place(std::size_t device, Memory matrix, std::size_t which) { return places_[{device, matrix, which}]; }

    void begin_rounds(std::size_t transfers_over)
    {
        while (rounds_ < schedule_.rounds.size() && schedule_.rounds[rounds_].transfers_before <= transfers_over) {
            for (std::size_t device = 0; device < columns_.size(); device++)
                if (schedule_.rounds[rounds_].column < columns_[device].count) {
                    ASSERT_NO_FATAL_FAILURE(multiply(schedule_.rounds[rounds_], device));
                }
            rounds_++;
        }
    }

    void multiply(const Round& round, std::size_t device)
    {
        const std::size_t col = columns_[device].begin + round.column;
        auto& a = place(device, Memory::a, round.place_a);
        auto& b = place(device, Memory::b, round.place_b);
        auto& c = place(device, Memory::c, round.place_c);
        ASSERT_EQ(std::tie(a.row, a.col), std::tie(round.row, round.depth));
        ASSERT_EQ(std::tie(b.row, b.col), std::tie(round.depth, col));
        if (round.depth == 0 && !uploads_c_) {
            if (c.waits_for_reading) {
                ASSERT_LT(c.read_by, round.transfers_before) << "C would be overwritten before it is read";
            }
            c = {round.row, col, 0, {}, 0, false};
        }
        ASSERT_EQ(std::tie(c.row, c.col), std::tie(round.row, col));
        ASSERT_EQ(c.depths, round.depth);
        c.depths++;
        a.last_round = b.last_round = c.last_round = rounds_;
    }

    void move(const Transfer& transfer, std::size_t index, std::size_t device)
    {
        auto& here = place(device, transfer.matrix, transfer.place);
        if (transfer.kind == Transfer::Kind::download) {
            ASSERT_EQ(std::tie(here.row, here.col), std::tie(transfer.row, transfer.col));
            ASSERT_EQ(here.depths, partition_.k.count()) << "not complete";
            ASSERT_EQ(transfer.after_round, here.last_round);
            here.read_by = index;
            here.waits_for_reading = true;
            received_[{transfer.row, transfer.col}]++;
            return;
        }
        if (transfer.matrix == Memory::c) {
            if (here.waits_for_reading) {
                ASSERT_LT(here.read_by, transfer.transfers_before) << "C would be overwritten before it is read";
            }
        } else if (here.last_round) {
            ASSERT_TRUE(transfer.after_round);
            ASSERT_GE(*transfer.after_round, *here.last_round) << "a tile would be overwritten while it is used";
            ASSERT_LT(*transfer.after_round, transfer.rounds_before);
        }
        here = {transfer.row, transfer.col, 0, {}, 0, false};
    }

    const Partition& partition_;
    const std::vector<Columns>& columns_;
    const bool uploads_c_;
    const Schedule schedule_;
    std::size_t rounds_ = 0; // that have begun
    std::map<std::tuple<std::size_t, Memory, std::size_t>, Place> places_;
    std::map<std::pair<std::size_t, std::size_t>, int> received_;
};

} // namespace

TEST(Parts, CoverTheWholeOnce)
{
    for (const auto& [total, size] : {std::pair<std::size_t, std::size_t>{10, 3}, {9, 3}, {1, 1}, {7, 7}, {8, 7}}) {
        const Parts parts{total, size};
        std::size_t end = 0;
        for (std::size_t i = 0; i < parts.count(); i++) {
            EXPECT_EQ(parts.begin(i), end);
            EXPECT_GT(parts.length(i), 0u);
            EXPECT_LE(parts.length(i), size);
            end += parts.length(i);
        }
        EXPECT_EQ(end, total);
    }
}

TEST(Tiles, LieWhereTheirElementsDo)
{
    for (const bool transposed : {false, true}) {
        const Matrix matrix{Memory::b, 10, 20, 5, 33, transposed};
        const Matrix tile = tile_of(matrix, {10, 4}, 2, {20, 6}, 1);
        EXPECT_EQ(tile.rows, 2u);
        EXPECT_EQ(tile.cols, 6u);
        EXPECT_EQ(tile.offset, 5 + 8 * matrix.row_stride() + 6 * matrix.col_stride());
        EXPECT_EQ(tile.ld, 33u);
        EXPECT_EQ(tile.transposed, transposed);
    }
}

TEST(Columns, AreDividedBySpeed)
{
    const auto counts = [](std::size_t columns, const std::vector<double>& speeds) {
        std::vector<std::size_t> result;
        std::size_t end = 0;
        for (const auto& [begin, count] : divide(columns, speeds)) {
            EXPECT_EQ(begin, end);
            end += count;
            result.push_back(count);
        }
        EXPECT_EQ(end, columns);
        return result;
    };
    EXPECT_EQ(counts(8, {1}), (std::vector<std::size_t>{8}));
    EXPECT_EQ(counts(8, {1, 1}), (std::vector<std::size_t>{4, 4}));
    EXPECT_EQ(counts(8, {3, 1}), (std::vector<std::size_t>{6, 2}));
    EXPECT_EQ(counts(1, {1, 1, 1})[0] + counts(1, {1, 1, 1})[1] + counts(1, {1, 1, 1})[2], 1u);
    EXPECT_EQ(counts(9, {2, 1}), (std::vector<std::size_t>{6, 3}));
}

TEST(Partition, OfWhatHasRoomLeavesKWhole)
{
    constexpr std::size_t gigabyte = std::size_t{1} << 30;
    const auto partition = choose_partition(a_problem(16384, 16384, 16384), {64 * gigabyte, 32 * gigabyte});
    EXPECT_EQ(partition.k.count(), 1u);
    EXPECT_EQ(partition.m.count(), 8u);
    EXPECT_EQ(partition.n.count(), 8u);
    EXPECT_EQ(partition.places_c, 64u) << "C is received when all of it is computed";
    const auto small = choose_partition(a_problem(1000, 1000, 100000), {64 * gigabyte, 32 * gigabyte});
    EXPECT_EQ(small.m.count() * small.n.count() * small.k.count(), 1u);
}

// The largest square that has room is one of whole kernels' tiles: parts of this size are taken, not even ones.
TEST(Partition, EdgesAreRoundedUpToTheRoom)
{
    constexpr std::size_t edge = 2560, all = 16 * edge * edge;
    const auto partition = choose_partition(a_problem(5000, 5000, 500000), {all, all});
    EXPECT_EQ(partition.m.size, edge);
    EXPECT_EQ(partition.n.size, edge);
}

TEST(Partition, ADeepProductIsCutAlongK)
{
    constexpr std::size_t megabyte = std::size_t{1} << 20;
    const auto partition = choose_partition(a_problem(1000, 1000, 1000000), {256 * megabyte, 64 * megabyte});
    EXPECT_EQ(partition.m.count() * partition.n.count(), 1u) << "each element of A and B travels once";
    EXPECT_GT(partition.k.count(), 10u);
}

TEST(Partition, EverySchedulePlaysThroughAndKeepsToItsRoom)
{
    std::mt19937 random(17);
    const auto any = [&](std::size_t least, std::size_t most) {
        return std::uniform_int_distribution<std::size_t>(least, most)(random);
    };
    const auto size = [&] { return any(0, 2) == 0 ? any(1, 20000) : any(1, 600); };
    std::size_t cut_along_k = 0, all_at_once = 0, few_places = 0;
    for (int i = 0; i < 3000; i++) {
        const Problem problem = a_problem(size(), size(), size());
        const std::size_t all = std::size_t{1} << any(12, 34);
        const RoomForTiles room{all, all >> any(0, 3)};
        const std::size_t devices = any(1, 3);
        const auto partition = choose_partition(problem, room);
        SCOPED_TRACE(testing::Message() << "seed 17, number " << i << ": " << describe(problem) << " in " << room.all << ", "
                                        << room.one << " bytes on " << devices << " devices: tiles " << partition.m.size
                                        << "x" << partition.n.size << "x" << partition.k.size);
        ASSERT_LE(bytes_of_places(partition), static_cast<double>(room.all));
        for (const auto& [rows, cols] :
             {std::pair{partition.m, partition.k}, {partition.k, partition.n}, {partition.m, partition.n}})
            ASSERT_LE(rows.size * cols.size * sizeof(float), room.one) << "a tile that no buffer holds";
        if (partition.m.count() * partition.n.count() * partition.k.count() > 20000)
            continue; // right as well, but slow to play
        std::vector<double> speeds;
        for (std::size_t device = 0; device < devices; device++)
            speeds.push_back(static_cast<double>(any(1, 4)));
        const auto columns = divide(partition.n.count(), speeds);
        for (const bool uploads_c : {false, true})
            ASSERT_NO_FATAL_FAILURE(Player(partition, columns, uploads_c).play());
        cut_along_k += partition.k.count() > 1;
        all_at_once += partition.k.count() == 1 && partition.m.count() * partition.n.count() > 1;
        few_places += partition.places_c == 3;
    }
    EXPECT_GT(cut_along_k, 100u);
    EXPECT_GT(all_at_once, 100u);
    EXPECT_GT(few_places, 10u);
}
