// Products of a shallow K: C is nearly all that is moved. A work-group takes all of K and computes its part of C column by
// column.
#include "families/families.hpp"

#include "families/gpu_guess.hpp"
#include "families/operands.hpp"
#include "families/tile_family.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace clgemm::core {
namespace {

class Shallow : public TileFamily {
public:
    bool is_valid(const Parameters& p) const override
    {
        const std::size_t columns = p["TSN"], lanes = p["LANES"], rows = p["ROWS"], items = p["ITEMS"];
        for (const std::size_t size : {columns, lanes, rows, items})
            if (!is_power_of_2(size))
                return false;
        return columns <= 256 && lanes >= 4 && lanes <= 64 && rows <= 8 && items >= lanes && items <= 1024 &&
               items / lanes <= columns;
    }

    // A step along K is one vector deep. A last vector is filled up.
    Tiling tiling(const Parameters& p) const override
    {
        return {p["LANES"] * p["ROWS"], p["TSN"], vector, p["ITEMS"], 1, p["TSN"] * deepest * sizeof(float)};
    }

    Arithmetic computes(const Arithmetic& asked) const override { return fp32_in_any_order(asked); }

    Answer takes(const Problem& problem, const Variant&, const DeviceProfile&) const override
    {
        return takes_in_one_sum(problem);
    }

    std::vector<Way> ways(const Problem& problem, const DeviceProfile&, const Variant&) const override
    {
        return problem.k <= deepest ? std::vector<Way>{Way{}} : std::vector<Way>{};
    }

    std::size_t listed_products_at_once() const override { return most_products_at_once; }

    // The time to store C is part of each work-group's measured beginning, which is nearly all of its time.
    Outline outline(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way&) const override
    {
        const SplitK whole{problem.k, 1, problem.c, 0};
        Load load = load_of_tiles(problem, device, variant.tiling, whole);
        load.per_unit = std::max(1.0, load.per_unit * share_of_full_tiles(problem, variant.tiling) *
                                          slowed_by_shared_sectors(problem, variant));
        return {{Outline::Launch{.bytes = bytes_of(problem, problem.a) + bytes_of(problem, problem.b),
                                 .bytes_first = bytes_read_again(problem, variant.tiling),
                                 .load = load,
                                 .steps_saved = steps_saved(problem, variant),
                                 .steps_more = problem.k > deepest_in_line ? 3.0 : 0.0}}};
    }

    // The operands are small: how they lie hardly matters.
    bool takes_operands_alike() const override { return true; }
    std::string measured_operands(const Problem&, const Way&) const override { return ""; }

    // The kernel is worth measuring, but a device's properties alone do not tell how long memory keeps it waiting.
    std::optional<Guess> guess(const Variant& variant, const DeviceProfile& device) const override
    {
        auto guess = gpu_guess(variant.tiling, device, 100);
        if (guess)
            guess->is_believed = false;
        return guess;
    }
    // Its work-groups are small and many, and wait for memory rather than for each other.
    Probing probing() const override
    {
        static constexpr std::size_t loads[] = {1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512};
        return {.loads = loads, .in_rounds = false, .few_steps = 1, .most_steps = deepest_in_line / vector};
    }

protected:
    std::string options(const Prepared& prepared, const Variant&) const override
    {
        const Problem& problem = prepared.problem;
        return layout_options(problem.a, problem.b, problem.a.transposed && problem.a.aligned_to(4) ? 4 : 1, 1) +
               " -DTSK=" + std::to_string(std::min(round_up(problem.k, vector), deepest)) +
               flag("DEEP", problem.k > deepest) + (reads_c_first(problem, prepared.split) ? " -DREADS_C=1" : "");
    }

private:
    // The time of the tiles as a share of that of as many full ones. Columns outside C are left out, but each tile has its
    // operands to load. Rows outside C store nothing, but their lanes take part in every turn. And even for next to nothing,
    // as in batches of tiny products, a work-group must begin and end, which takes as long as storing some 700 elements of
    // C. (docs/notes/kernels.md has the times.)
    static double share_of_full_tiles(const Problem& problem, const Tiling& tile)
    {
        const auto used = [](std::size_t size, std::size_t side) {
            return static_cast<double>(size) / static_cast<double>(round_up(size, side));
        };
        constexpr double without_rows = 0.8, without_columns = 0.2, elements_to_begin = 700;
        return std::max((without_rows + (1 - without_rows) * used(problem.m, tile.m)) *
                            (without_columns + (1 - without_columns) * used(problem.n, tile.n)),
                        std::min(elements_to_begin / static_cast<double>(tile.m * tile.n), 1.0));
    }

    // Work-groups go down the rows of A, and compute TSN columns of C for each row. For the next columns they read all of A
    // again: from memory, unless A and those columns of C, which are written meanwhile, stay in the cache.
    static double bytes_read_again(const Problem& problem, const Tiling& tile)
    {
        constexpr double stays_cached = 25e6; // bytes: the half of Hopper's second-level cache that is next to a unit
        const double columns_of_c = static_cast<double>(problem.m) * static_cast<double>(tile.n) * sizeof(float);
        const double a = bytes_in_sectors(problem.a);
        if (a + columns_of_c <= stays_cached)
            return 0;
        return a * static_cast<double>(problem.a.count_for(problem.batch.count) * (divide_up(problem.n, tile.n) - 1));
    }

    // Memory is read in whole sectors. Where the runs of neighbours in memory lie apart, each run brings all sectors that it
    // touches.
    static double bytes_in_sectors(const Matrix& matrix)
    {
        constexpr std::size_t sector = 32;
        const std::size_t run = matrix.stored_rows() * sizeof(float), pitch = matrix.ld * sizeof(float);
        const std::size_t touched = matrix.aligned_to(sector / sizeof(float))
                                        ? round_up(run, sector)
                                        : run + sector - sizeof(float); // on average over all places where it may begin
        return static_cast<double>(std::min(touched, pitch)) * static_cast<double>(matrix.stored_cols());
    }

    // Memory is written in sectors of eight floats, and a sector of which a tile writes a part comes from memory first.
    // Where columns of C begin anywhere, there is such a sector at each end of a run of rows that is written at once, and
    // shorter runs have more ends. The more columns a work-item takes one after the other, the further apart are the two
    // times when parts of a sector are written. Arithmetic goes on meanwhile, and each step along K hides more of this.
    // Compared with writing C, a step takes less time the more rows a work-item has, since it reads each element of op(B)
    // once for all of them. (A small C stays in the cache, and loses nothing; but then a call takes about as long for any
    // number of tiles, so that its estimate hardly changes.) docs/notes/kernels.md has the times.
    static double slowed_by_shared_sectors(const Problem& problem, const Variant& variant)
    {
        constexpr double always = 0.5, with_twice_the_columns = 0.23, few_columns = 8, ends_of_a_row = 9;
        const Parameters& p = variant.parameters;
        const double columns = static_cast<double>(p["TSN"] * p["LANES"]) / static_cast<double>(p["ITEMS"]);
        const double slower = share_of_shared_sectors(problem.c) *
                              (always + with_twice_the_columns * std::log2(std::max(1.0, columns / few_columns)) +
                               ends_of_a_row / static_cast<double>(variant.tiling.m));
        const double writing = 1 + static_cast<double>(p["ROWS"]); // in steps along K
        const auto steps = static_cast<double>(divide_up(problem.k, vector));
        return std::max(1.0, (1 + slower) * (writing + 1) / (writing + steps));
    }

    // Of all columns, those that begin within a sector.
    static double share_of_shared_sectors(const Matrix& matrix)
    {
        for (const auto& [floats, share] : {std::pair{8U, 0.0}, {4U, 1.0 / 2}, {2U, 3.0 / 4}})
            if (matrix.aligned_to(floats))
                return share;
        return 7.0 / 8;
    }

    // The curves come from calls of one step along K and of seven. A program for seven steps keeps a work-item's rows of
    // op(A) in so many registers that not as many work-groups run at a time. So two to six steps take less than a line
    // between the two says.
    static double steps_saved(const Problem& problem, const Variant& variant)
    {
        const std::size_t rows = variant.parameters["ROWS"];
        if (rows == 1 || problem.k <= vector || problem.k > deepest_in_line - vector)
            return 0;
        return rows == 2 ? 0.3 : 0.6;
    }

    static constexpr std::size_t vector = 4;
    static constexpr std::size_t deepest = 32; // kernel 13 is faster from there on (docs/notes/kernels.md)
    // Up to this depth each step along K takes as long as the one before. The last step up to `deepest` takes as long as
    // four: a work-item's rows of op(A) and a column of op(B) hardly fit in its registers any more.
    static constexpr std::size_t deepest_in_line = 28;
};

Parameters shallow_size(std::size_t columns, std::size_t lanes, std::size_t rows, std::size_t items)
{
    return {{"TSN", columns}, {"LANES", lanes}, {"ROWS", rows}, {"ITEMS", items}};
}

} // namespace

// Work-items have more rows where C has many, and one or two where it has few.
std::vector<KernelInfo> shallow_kernels()
{
    static const auto* const family = new Shallow;
    return {{.name = "shallow",
             .idea = "shallow K: C column by column, each stored at once",
             .family = family,
             .variants = {shallow_size(64, 32, 2, 64), shallow_size(32, 32, 4, 64), shallow_size(32, 32, 1, 64),
                          shallow_size(16, 32, 4, 64), shallow_size(16, 16, 2, 32)}}};
}

} // namespace clgemm::core
