// How products on host memory are cut and scheduled: every schedule is played through, and what each place on each device
// holds is kept track of.
#include "host/pieces.hpp"
#include "host/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

// Plays a schedule, in one of the orders in which threads may take transfers, and checks whatever the devices and the
// threads could do at the same time.
class Player {
public:
    Player(const Partition& partition, const std::vector<Share>& shares, bool uploads_c, std::mt19937& random)
        : partition_(partition), shares_(shares), uploads_c_(uploads_c),
          schedule_(make_schedule(partition, shares, uploads_c)), random_(random)
    {
    }

    void play()
    {
        const auto& [uploads, rounds, downloads] = schedule_;
        for (std::size_t i = 1; i < uploads.size(); i++)
            if (uploads[i].step == uploads[i - 1].step) {
                ASSERT_NO_FATAL_FAILURE(depend_on_the_same(uploads[i - 1], uploads[i]));
            }
        // Now and then one direction goes as far ahead of the other one as it can.
        const double share_of_uploads = std::uniform_int_distribution<int>(0, 4)(random_) / 4.0;
        while (true) {
            ASSERT_NO_FATAL_FAILURE(begin_rounds());
            const bool can_send =
                uploads_over_ < uploads.size() && rounds_ >= uploads[uploads_over_].rounds_before &&
                downloads_over_ >= std::max(uploads[uploads_over_].downloads_before, uploads[uploads_over_].downloads_first);
            const bool can_receive = downloads_over_ < downloads.size() && rounds_ > downloads[downloads_over_].after_round;
            if (!can_send && !can_receive)
                break;
            if (can_send && (!can_receive || std::bernoulli_distribution(share_of_uploads)(random_))) {
                ASSERT_NO_FATAL_FAILURE(send(uploads[uploads_over_]));
                uploads_over_++;
            } else {
                ASSERT_NO_FATAL_FAILURE(receive(downloads[downloads_over_]));
                downloads_over_++;
            }
        }
        ASSERT_EQ(uploads_over_, uploads.size()) << "all wait for each other";
        ASSERT_EQ(rounds_, rounds.size()) << "all wait for each other";
        ASSERT_EQ(downloads_over_, downloads.size()) << "all wait for each other";
        for (std::size_t row = 0; row < partition_.m.count(); row++)
            for (std::size_t col = 0; col < partition_.n.count(); col++)
                ASSERT_EQ((received_[{row, col}]), 1) << "tile of C " << row << ", " << col;
        ASSERT_EQ(downloads.size(), partition_.m.count() * partition_.n.count());
    }

private:
    struct Place {
        std::size_t row = SIZE_MAX, col = SIZE_MAX; // of the tile that is here; none at first
        std::size_t depths = 0;                     // of C: so many products are in it
        std::optional<std::size_t> last_round;      // that used it
        std::optional<std::size_t> read_by;         // of C: the download
    };

    Place& place(std::size_t device, Memory matrix, std::size_t which) { return places_[{device, matrix, which}]; }

    void begin_rounds()
    {
        while (rounds_ < schedule_.rounds.size() && schedule_.rounds[rounds_].uploads_before <= uploads_over_ &&
               schedule_.rounds[rounds_].downloads_before <= downloads_over_) {
            const auto& [row, column] = std::tie(schedule_.rounds[rounds_].row, schedule_.rounds[rounds_].column);
            for (std::size_t device = 0; device < shares_.size(); device++)
                if (row < shares_[device].rows.count && column < shares_[device].columns.count) {
                    ASSERT_NO_FATAL_FAILURE(multiply(schedule_.rounds[rounds_], device));
                }
            rounds_++;
        }
    }

    static void depend_on_the_same(const Upload& x, const Upload& y)
    {
        const auto conditions = [](const Upload& upload) {
            return std::tie(upload.after_round, upload.rounds_before, upload.downloads_before, upload.downloads_first);
        };
        ASSERT_EQ(conditions(x), conditions(y));
        for (const std::size_t device : x.devices)
            ASSERT_EQ(std::count(y.devices.begin(), y.devices.end(), device), 0);
    }

    // By something that waits for so many downloads.
    static void overwrite_c(const Place& c, std::size_t downloads_before)
    {
        if (c.row == SIZE_MAX)
            return;
        ASSERT_TRUE(c.read_by && *c.read_by < downloads_before) << "C would be overwritten before it is read";
    }

    void multiply(const Round& round, std::size_t device)
    {
        const std::size_t row = shares_[device].rows.begin + round.row, col = shares_[device].columns.begin + round.column;
        auto& a = place(device, Memory::a, round.place_a);
        auto& b = place(device, Memory::b, round.place_b);
        auto& c = place(device, Memory::c, round.place_c);
        ASSERT_EQ(std::tie(a.row, a.col), std::tie(row, round.depth));
        ASSERT_EQ(std::tie(b.row, b.col), std::tie(round.depth, col));
        if (round.depth == 0 && !uploads_c_) {
            ASSERT_NO_FATAL_FAILURE(overwrite_c(c, round.downloads_before));
            c = {row, col, 0, {}, {}};
        }
        ASSERT_EQ(std::tie(c.row, c.col), std::tie(row, col));
        ASSERT_EQ(c.depths, round.depth);
        c.depths++;
        a.last_round = b.last_round = c.last_round = rounds_;
    }

    void receive(const Download& download)
    {
        auto& here = place(download.device, Memory::c, download.place);
        ASSERT_EQ(std::tie(here.row, here.col), std::tie(download.row, download.col));
        ASSERT_EQ(here.depths, partition_.k.count()) << "not complete";
        ASSERT_EQ(download.after_round, here.last_round);
        here.read_by = downloads_over_;
        received_[{download.row, download.col}]++;
    }

    void send(const Upload& upload)
    {
        for (const std::size_t device : upload.devices) {
            auto& here = place(device, upload.matrix, upload.place);
            if (upload.matrix == Memory::c) {
                ASSERT_NO_FATAL_FAILURE(overwrite_c(here, upload.downloads_before));
            } else if (here.last_round) {
                ASSERT_TRUE(upload.after_round);
                ASSERT_GE(*upload.after_round, *here.last_round) << "a tile would be overwritten while it is used";
                ASSERT_LT(*upload.after_round, upload.rounds_before);
            }
            here = {upload.row, upload.col, 0, {}, {}};
        }
    }

    const Partition& partition_;
    const std::vector<Share>& shares_;
    const bool uploads_c_;
    const Schedule schedule_;
    std::mt19937& random_;
    std::size_t rounds_ = 0; // that have begun
    std::size_t uploads_over_ = 0, downloads_over_ = 0;
    std::map<std::tuple<std::size_t, Memory, std::size_t>, Place> places_;
    std::map<std::pair<std::size_t, std::size_t>, int> received_;
};

// How many tiles of A and of B travel before the last one of so many rounds begins; one that goes to two devices counts
// once.
std::pair<std::size_t, std::size_t> tiles_sent_for(const Schedule& schedule, std::size_t rounds)
{
    std::pair<std::size_t, std::size_t> result;
    for (std::size_t i = 0; i < schedule.rounds[rounds - 1].uploads_before; i++)
        (schedule.uploads[i].matrix == Memory::a ? result.first : result.second)++;
    return result;
}

std::vector<std::pair<std::size_t, std::size_t>> sizes_of(const std::vector<Share>& shares)
{
    std::vector<std::pair<std::size_t, std::size_t>> result;
    for (const auto& share : shares)
        result.emplace_back(share.rows.count, share.columns.count);
    return result;
}

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

TEST(Shares, AreRectanglesForWhichTheLeastIsSent)
{
    using Sizes = std::vector<std::pair<std::size_t, std::size_t>>;
    const auto sizes = [](std::size_t rows, std::size_t columns, const std::vector<double>& speeds) {
        return sizes_of(share_out({{rows * 100, 100}, {columns * 100, 100}, {100, 100}}, speeds));
    };
    EXPECT_EQ(sizes(8, 8, {1}), (Sizes{{8, 8}}));
    EXPECT_EQ(sizes(8, 8, {1, 1}), (Sizes{{8, 4}, {8, 4}}));
    EXPECT_EQ(sizes(8, 8, {1, 1, 1, 1}), (Sizes{{4, 4}, {4, 4}, {4, 4}, {4, 4}}));
    EXPECT_EQ(sizes(8, 8, std::vector<double>(8, 1.0)), Sizes(8, {4, 2}));
    EXPECT_EQ(sizes(8, 1, {1, 1, 1, 1}), Sizes(4, {2, 1})) << "devices share rows where there are no columns to share";
    EXPECT_EQ(sizes(1, 8, {1, 1, 1, 1}), Sizes(4, {1, 2}));
    EXPECT_EQ(sizes(8, 8, {3, 1}), (Sizes{{8, 6}, {8, 2}}));
    EXPECT_EQ(sizes(1, 1, {1, 1})[0].second + sizes(1, 1, {1, 1})[1].second, 1u);
}

TEST(Shares, LimitThePlacesOnADevice)
{
    constexpr std::size_t gigabyte = std::size_t{1} << 30;
    const auto all = choose_partition(a_problem(16384, 16384, 16384), {64 * gigabyte, 32 * gigabyte});
    const auto each = with_places_for(share_out(all, {1, 1, 1, 1}), all);
    EXPECT_EQ(each.places_a, 4u);
    EXPECT_EQ(each.places_b, 4u);
    EXPECT_EQ(each.places_c, 16u);
}

TEST(Schedule, BringsFirstWhatMakesTheMostProductsPossible)
{
    using Sent = std::pair<std::size_t, std::size_t>;
    constexpr std::size_t gigabyte = std::size_t{1} << 30;
    const auto partition = choose_partition(a_problem(16384, 16384, 16384), {64 * gigabyte, 32 * gigabyte});
    const auto alone = make_schedule(partition, share_out(partition, {1}), false);
    EXPECT_EQ(tiles_sent_for(alone, 1), Sent(1, 1));
    EXPECT_EQ(tiles_sent_for(alone, 4), Sent(2, 2));
    EXPECT_EQ(tiles_sent_for(alone, 16), Sent(4, 4));
    const auto four = make_schedule(partition, share_out(partition, {1, 1, 1, 1}), false);
    EXPECT_EQ(tiles_sent_for(four, 1), Sent(2, 2));
    EXPECT_EQ(tiles_sent_for(four, 4), Sent(4, 4));
    // A tile of A serves both devices, one of B only one.
    const auto two = make_schedule(partition, share_out(partition, {1, 1}), false);
    EXPECT_EQ(tiles_sent_for(two, 1), Sent(1, 2));
    EXPECT_EQ(tiles_sent_for(two, 2), Sent(2, 2));
    EXPECT_EQ(tiles_sent_for(two, 4), Sent(2, 4));
    EXPECT_EQ(tiles_sent_for(two, 8), Sent(4, 4));
}

// Else devices would wait for places of C, and threads would send what is needed much later.
TEST(Schedule, BringsNothingForATileOfCBeforeThePlaceForItIsBeingEmptied)
{
    const Parts eight{8000, 1000};
    const Partition partition{eight, eight, {1000, 1000}, 8, 8, 3};
    const auto schedule = make_schedule(partition, share_out(partition, {1}), false);
    for (std::size_t round = 3; round < schedule.rounds.size(); round++)
        for (std::size_t i = schedule.rounds[round - 1].uploads_before; i < schedule.rounds[round].uploads_before; i++)
            EXPECT_EQ(schedule.uploads[i].downloads_first, round - 2);
}

TEST(Pieces, OfOneStepAreTakenByTurns)
{
    Pieces pieces(Direction::to_device);
    pieces.add(0, 10, 4);
    pieces.add(0, 5, 4);
    pieces.add(1, 3, 4);
    std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> taken;
    std::vector<Piece> all;
    while (!pieces.all_taken()) {
        const auto next = pieces.next_transfer();
        all.push_back(pieces.take());
        EXPECT_EQ(all.back().transfer, next);
        taken.emplace_back(all.back().transfer, all.back().first, all.back().count);
    }
    EXPECT_EQ(taken, (decltype(taken){{0, 0, 4}, {1, 0, 4}, {0, 4, 4}, {1, 4, 1}, {0, 8, 2}, {2, 0, 3}}));
    std::vector<std::size_t> over;
    for (const std::size_t i : {1u, 3u, 0u, 5u, 2u, 4u}) {
        pieces.note_end_of(all[i]);
        over.push_back(pieces.over());
    }
    EXPECT_EQ(over, (std::vector<std::size_t>{0, 0, 0, 0, 0, 3})) << "those at the beginning alone count";
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
        const std::size_t devices = any(1, 6);
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
        std::vector<Share> shares;
        for (const auto& share : share_out(partition, speeds))
            if (!share.is_empty())
                shares.push_back(share);
        const Partition on_devices = with_places_for(shares, partition);
        ASSERT_LE(bytes_of_places(on_devices), bytes_of_places(partition));
        for (const bool uploads_c : {false, true})
            ASSERT_NO_FATAL_FAILURE(Player(on_devices, shares, uploads_c, random).play());
        cut_along_k += partition.k.count() > 1;
        all_at_once += partition.k.count() == 1 && partition.m.count() * partition.n.count() > 1;
        few_places += partition.k.count() == 1 && partition.places_a == partition.m.count() &&
                      partition.places_c < partition.m.count() * partition.n.count();
    }
    EXPECT_GT(cut_along_k, 100u);
    EXPECT_GT(all_at_once, 100u);
    EXPECT_GT(few_places, 10u);
}
