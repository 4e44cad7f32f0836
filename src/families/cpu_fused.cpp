// Kernel 17: a work-group packs its own rows of A on the way and reads B where it lies. It computes a block of C, from all
// of K or a part of it.
#include "families/families.hpp"

#include "families/cpu_family.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace clgemm::core {
namespace {

// In a batch A is read where it lies, by each tile anew, if it is not transposed, has whole vectors of rows and takes at
// most half of the first-level cache. Copying it would take longer, unless all products share it. (A last tile takes one,
// two or three vectors, or as many as a whole tile. If that is more than four, it might read beyond A.)
bool reads_a_in_place(const Problem& problem, const Parameters& p)
{
    constexpr std::size_t most_floats = 4096, most_vectors = 4;
    return problem.batch.count > 1 && problem.a.distance > 0 && !problem.a.transposed && problem.m % p["WIDTH"] == 0 &&
           p["WPTM"] <= most_vectors * p["WIDTH"] && saturating_product(problem.a.ld, problem.k) <= most_floats;
}

// Finds the fastest blocks of C. Costs are in multiply-adds.
class FusedBlocks {
public:
    struct Blocks {
        std::size_t m = 0, n = 0;
        // The tiles of the unit that has the most to do; packing and whatever else grows with K counts as so many more.
        double tiles_per_unit = 0;
        std::size_t groups = 1;
        std::size_t together = 1; // products of a batch for a work-group
    };

    // `waking`: how many multiply-adds a runtime's first thread computes before the others have woken up.
    FusedBlocks(const Parameters& p, const Problem& problem, const SplitK& split, const DeviceProfile& device, double waking)
        : tile_m_(p["WPTM"]), tile_n_(p["WPTN"]), width_(p["WIDTH"]), block_m_(p["TSM"]), block_k_(p["TSK"]),
          a_in_place_(reads_a_in_place(problem, p)), problem_(problem), split_(split), parts_(parts_of(problem, split)),
          units_(device.compute_units), waking_(waking)
    {
    }

    Blocks best()
    {
        // More blocks than this for each unit make none of them end sooner.
        const std::size_t most_blocks = std::max<std::size_t>(16, 4 * units_);
        for (std::size_t parts_m = 1; parts_m <= std::min(divide_up(problem_.m, width_), most_blocks); parts_m++) {
            std::size_t m = equal_part(problem_.m, parts_m, width_);
            if (m > tile_m_)
                m = round_up(m, tile_m_);
            const std::size_t most_n = std::min(divide_up(problem_.n, tile_n_), most_blocks / parts_m);
            for (std::size_t parts_n = 1; parts_n <= most_n; parts_n++)
                consider(m, equal_part(problem_.n, parts_n, tile_n_));
        }
        // A large block for the unit that begins, a small one for the unit that wakes up.
        const std::size_t half = equal_part(problem_.m, 2, width_);
        if (units_ > 1 && parts_ == 1 && time_of(half, problem_.n) < 4 * waking_)
            for (std::size_t m = half; m < problem_.m; m += width_)
                consider_pair(m);
        if (split_.parts == 1 && !problem_.batch.listed) // for a list, a work-group looks up a single product
            best_.together = products_together();
        return best_;
    }

private:
    // The cost of packing an element of A, and of reading one of B in place, whose cache line is fetched meanwhile: measured
    // (docs/notes/cpu.md).
    static constexpr double packing = 8, in_place = 8, in_place_along_n = 16;
    // The cost of each block, and of storing an element of C. They decide between blocks, but do not grow with K.
    static constexpr double a_block = 20000, storing = 8;
    // The last blocks seldom end together: the wait, as a share of a block.
    static constexpr double waiting = 0.15;

    // Multiply-adds for each step of K.
    double by_depth(std::size_t m, std::size_t n) const
    {
        // Narrower tiles compute less, but not in proportion. A multiply-add takes four clocks, in which a unit can begin
        // eight of them: with fewer sums it waits.
        const std::size_t narrow = round_up(m % tile_m_, width_), fewest = width_ * divide_up(8, tile_n_);
        const double rows = as_double(m / tile_m_ * tile_m_) +
                            (narrow == 0 ? 0 : std::max(as_double(narrow) + 0.125 * as_double(tile_m_), as_double(fewest)));
        const double of_b = problem_.b.transposed ? in_place_along_n : in_place;
        return rows * as_double(n) + packing * packed_rows(m) + of_b * as_double(n * divide_up(m, block_m_));
    }

    // A is packed in whole vectors. Where its memory runs along K, these are transposed in whole squares.
    double packed_rows(std::size_t m) const
    {
        if (a_in_place_)
            return 0;
        const std::size_t k = std::min(split_.depth, problem_.k);
        const double squares = problem_.a.transposed ? as_double(round_up(k, width_)) / as_double(k) : 1;
        return as_double(round_up(m, width_)) * squares;
    }

    double time_of(std::size_t m, std::size_t n) const
    {
        const double blocks_of_k = as_double(divide_up(split_.depth, block_k_));
        return by_depth(m, n) * as_double(split_.depth) + storing * as_double(m * n) * blocks_of_k + a_block;
    }

    // When the last of `groups` equal blocks ends. They are handed out one by one.
    double end_of(std::size_t groups, double block) const
    {
        if (units_ == 1)
            return as_double(groups) * block;
        // The units that wake up compute `each`, the first one the rest.
        const double share = (as_double(groups) - waking_ / block) / as_double(units_);
        double end = std::numeric_limits<double>::infinity();
        for (const double each : {std::floor(std::max(share, 0.0)), std::ceil(std::max(share, 0.0))}) {
            const double rest = std::max(as_double(groups) - each * as_double(units_ - 1), 0.0);
            end = std::min(end, std::max(rest * block, each > 0 ? waking_ + each * block : 0));
        }
        return end;
    }

    void consider(std::size_t m, std::size_t n)
    {
        const std::size_t groups = divide_up(problem_.m, m) * divide_up(problem_.n, n) * parts_;
        const double block = time_of(m, n);
        keep_if_best(m, n, groups, end_of(groups, block) + waiting * block, as_double(divide_up(groups, units_)));
    }

    void consider_pair(std::size_t m)
    {
        const std::size_t n = round_up(problem_.n, tile_n_);
        const double block = time_of(m, n), other = time_of(problem_.m - m, n);
        keep_if_best(m, n, 2, std::max(block, waking_ + other) + waiting * block, 0.5 * (1 + other / block));
    }

    // Enough products for a work-group to be worth beginning, but some work-groups for each unit, since units are not
    // equally fast.
    std::size_t products_together() const
    {
        constexpr double worth_beginning = 250'000; // about two microseconds
        constexpr std::size_t groups_for_each_unit = 8;
        const auto enough = static_cast<std::size_t>(worth_beginning / time_of(best_.m, best_.n));
        return std::max<std::size_t>(1, std::min(enough, parts_ / (groups_for_each_unit * units_)));
    }

    // `rounds`: the blocks that each unit computes, if the work takes so long that the time to wake up does not count.
    void keep_if_best(std::size_t m, std::size_t n, std::size_t groups, double time, double rounds)
    {
        if (time >= least_)
            return;
        least_ = time;
        best_ = {m, n, (rounds + waiting) * by_depth(m, n) / as_double(tile_m_ * tile_n_), groups};
    }

    const std::size_t tile_m_, tile_n_, width_, block_m_, block_k_;
    const bool a_in_place_;
    const Problem& problem_;
    const SplitK& split_;
    const std::size_t parts_; // of K, or the products of a batch
    const std::size_t units_;
    const double waking_;
    Blocks best_;
    double least_ = std::numeric_limits<double>::infinity();
};

class CpuFused : public CpuFamily {
public:
    bool is_valid(const Parameters& p) const override
    {
        return is_register_tile(p) && p["TSM"] > 0 && p["TSM"] % p["WPTM"] == 0 && p["TSM"] <= 4096;
    }
    Tiling tiling(const Parameters& p) const override
    {
        return {p["WPTM"], p["WPTN"], unit_k, 1, 1, p["TSM"] * p["TSK"] * sizeof(float)};
    }

    Answer takes(const Problem& problem, const Variant& variant, const DeviceProfile& device) const override
    {
        const std::size_t needed = tiling(as_built(variant, problem).parameters).local_bytes;
        if (needed <= device.local_memory)
            return Answer::yes();
        return Answer::no("needs " + std::to_string(needed) + " bytes of local memory to sum up " +
                          std::to_string(reproducible_depth) + " products in this size, as reproducible results need it, " +
                          "of which the device has " + std::to_string(device.local_memory));
    }

    std::vector<Way> ways(const Problem& problem, const DeviceProfile& device, const Variant& variant) const override
    {
        // Where each unit has enough tiles of C, parts of K win nothing and cost a second launch, unless K is very deep
        // (docs/notes/cpu.md).
        constexpr std::size_t tiles_enough = 40, very_deep = 8000;
        const std::size_t units = device.compute_units;
        const std::size_t tiles = divide_up(problem.m, variant.tiling.m) * divide_up(problem.n, variant.tiling.n);
        const bool has_enough = units == 1 || (tiles >= tiles_enough * units && problem.k <= very_deep);
        std::vector<Way> result;
        add_split_k_ways(result, {}, problem, variant.tiling, has_enough ? 1 : most_parts(device));
        return result;
    }

    std::size_t products_at_once(const Way& way) const override { return products_unless_split(way); }
    std::size_t listed_products_at_once() const override { return std::numeric_limits<std::size_t>::max(); }

    // A must be there before it is multiplied, since it is packed first. (The same work-group does both, so that fetching
    // and computing could overlap, but where there are few columns they do not.) In a batch the next product's A is fetched
    // meanwhile.
    Outline outline(const Problem& problem, const DeviceProfile& device, const Variant& measured,
                    const Way& way) const override
    {
        const Variant variant = as_built(measured, problem);
        WorkspaceLayout workspace;
        const SplitK split = split_k(problem, way.split_k, unit_k, workspace);
        const auto blocks = FusedBlocks(variant.parameters, problem, split, device, waking_in_estimates).best();
        const Load load{blocks.tiles_per_unit, divide_up(split.depth, variant.tiling.k),
                        share_of_memory(blocks.groups, device)};
        Outline result;
        result.workspace_bytes = workspace.bytes();
        add_multiplication(result, problem, split, load, problem.batch.count > 1 ? 0 : bytes_of(problem.a));
        Outline::Launch& launch = result.launches.front();
        launch.hidden = hidden;
        count_partial_step(launch, problem, split.depth, variant.tiling);
        if (problem.batch.count == 1) {
            launch.steps_more = 0.15; // storing a tile, which a shallow K does not hide
            if (bytes_of(problem.a) + bytes_of(problem.b) > as_double(device.cache))
                launch.bytes += late_bytes(variant.parameters, problem, split);
        }
        // A beginning takes as long as 50 multiply-adds of vectors.
        count_beginnings(result, problem, device, variant.tiling, 50 * as_double(variant.parameters["WIDTH"]));
        return result;
    }

    void plan(PlanBuilder& builder, const Problem& problem, const Variant& measured, const Way& way) const override
    {
        const Variant variant = as_built(measured, problem);
        const SplitK split = split_k(problem, way.split_k, unit_k, builder.workspace);
        const auto blocks =
            FusedBlocks(variant.parameters, problem, split, builder.device(), waking(variant, builder.device())).best();
        const std::size_t parts = parts_of(problem, split);
        Step multiply =
            step(variant, "multiply", "multiply",
                 flag("TRANS_A", problem.a.transposed) + flag("TRANS_B", problem.b.transposed) +
                     flag("COPY_B", copies_b(problem, variant, split)) +
                     (reads_a_in_place(problem, variant.parameters) ? " -DA_IN_PLACE=1" : "") +
                     (fetches_next(problem, variant, split) ? " -DFETCH_NEXT=1" : ""),
                 {divide_up(problem.m, blocks.m) * divide_up(problem.n, blocks.n), divide_up(parts, blocks.together), 1},
                 {problem.a.memory, problem.b.memory, split.target.memory},
                 ArgumentBytes(kernel_arguments::SeveralBlocksMultiplication{multiplication(problem, split), blocks.m,
                                                                             blocks.n, parts, blocks.together}));
        add_list(multiply, problem);
        builder.add(std::move(multiply));
        add_sum_of_parts(builder, problem, split);
    }

    std::optional<Guess> guess(const Variant& variant, const DeviceProfile& device) const override
    {
        // A little less than kernel 16's number. Tiles of kernel 16 are no faster, but it is to keep the largest squares.
        auto guess = cpu_guess(variant, device, 5.7);
        if (guess)
            guess->for_every_size = false; // the smaller ones are for less local memory
        return guess;
    }

private:
    // What waking up takes: measured with PoCL (docs/notes/cpu.md).
    static double waking(const Variant& variant, const DeviceProfile& device)
    {
        constexpr double clocks = 62'400;
        return clocks * multiply_adds_per_clock(device, variant.parameters["WIDTH"]);
    }
    // The same in estimates, which say how many tiles a unit computes. When all tuning files were measured, tiles were
    // counted by blocks for this number. Only estimates that count them in the same way can be compared with these files.
    static constexpr double waking_in_estimates = 1e6;

    // Where B comes from memory and runs along K, each of its columns begins anew in each block of K, too late for the
    // processor to fetch it ahead. That takes as long as reading so many bytes more (docs/notes/cpu.md).
    static double late_bytes(const Parameters& p, const Problem& problem, const SplitK& split)
    {
        constexpr double each = 800;
        return problem.b.transposed
                   ? 0
                   : each * as_double(problem.n * divide_up(split.depth, p["TSK"]) * parts_of(problem, split));
    }

    // Does a work-group fetch the next product's operands? A processor fetches by itself what goes on in the same page of
    // memory, but not the next pages. (For smaller products, fetching takes longer than it saves. Where A is read in place,
    // nothing waits for all of it, so that less is saved.)
    static bool fetches_next(const Problem& problem, const Variant& variant, const SplitK& split)
    {
        constexpr std::size_t page = 1024; // in floats
        const std::size_t fewest = reads_a_in_place(problem, variant.parameters) ? 4 * page : 2 * page;
        return problem.batch.strided() > 1 && split.parts == 1 && problem.k * (problem.m + problem.n) >= fewest;
    }

    // Is B copied? Where it runs along N, a tile reads a quarter of a line of the cache in each step of K, and the next
    // three tiles read the other quarters. In place that is as fast as reading elements side by side, unless too many of a
    // block's lines share a set of the first-level cache, as lines do that lie a multiple of 4 KB apart: then they are gone
    // before they are read again.
    static bool copies_b(const Problem& problem, const Variant& variant, const SplitK& split)
    {
        constexpr std::size_t sets = 64, ways = 8, line = 16; // of 32 KB, which all CPUs that we know have; a line in floats
        if (!problem.b.transposed)
            return false;
        const std::size_t depth = block_depth(split.depth, variant.parameters["TSK"], unit_k);
        const std::size_t apart = problem.b.row_stride();
        std::array<std::size_t, sets> lines{};
        std::size_t without_place = 0;
        for (std::size_t k = 0; k < depth; k++)
            if (k == 0 || k * apart / line != (k - 1) * apart / line)
                without_place += ++lines[k * apart / line % sets] > ways;
        return without_place > depth / 8;
    }

    // The variant as it is built: where the result must be reproducible, blocks of K have the given depth, and as many rows
    // as the variant's local memory holds in whole panels of A, one panel at least.
    static Variant as_built(const Variant& variant, const Problem& problem)
    {
        if (!is_reproducible(problem.arithmetic))
            return variant;
        const Parameters& p = variant.parameters;
        const std::size_t panels = p["TSM"] * p["TSK"] / reproducible_depth / p["WPTM"];
        return with_rows(with_given_depth(variant, problem), std::max<std::size_t>(panels, 1) * p["WPTM"]);
    }
};

Parameters fused_size(std::size_t width, std::size_t per_item_m, std::size_t per_item_n, std::size_t m, std::size_t k)
{
    return {{"WIDTH", width}, {"WPTM", per_item_m}, {"WPTN", per_item_n}, {"TSM", m}, {"TSK", k}};
}

} // namespace

std::vector<KernelInfo> cpu_fused_kernels()
{
    static const auto* const family = new CpuFused;
    return {{.name = "cpu_fused",
             .idea = "for CPUs: A packed on the way, B in place, one launch",
             .family = family,
             .variants = {fused_size(16, 64, 4, 192, 384), fused_size(8, 24, 4, 192, 384), fused_size(4, 12, 8, 192, 384),
                          fused_size(16, 64, 4, 64, 128), fused_size(8, 24, 4, 48, 128), fused_size(4, 12, 8, 48, 128),
                          fused_size(8, 8, 8, 48, 128)}, // for batches of up to eight rows
             .vector_parameter = "WIDTH",
             .former_name = "17_cpu_fused"}};
}

} // namespace clgemm::core
