// Kernel 13: a work-group computes one tile of C, of any size and transposition, from all of K or a part of it. Operands may
// be copied first, where it is faster to read them along M and N.
#include "families/families.hpp"

#include "families/gpu_guess.hpp"
#include "families/operands.hpp"
#include "families/read_once.hpp"
#include "families/tile_family.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>

namespace clgemm::core {
namespace {

class WarpTiled : public TileFamily {
public:
    // The constraints are named in the kernel's file.
    bool is_valid(const Parameters& p) const override
    {
        constexpr std::size_t most = 1024; // of each, so that nothing below overflows
        for (const auto* name : {"TSM", "TSN", "TSK", "WTM", "WTN", "WPTM", "WPTN", "SLICES"})
            if (!is_power_of_2(p[name]) || p[name] > most)
                return false;
        const std::size_t m = p["TSM"], n = p["TSN"], k = p["TSK"];
        if (p["WPTM"] % 4 != 0 || p["WPTN"] % 4 != 0 || p["WTM"] % p["WPTM"] != 0 || p["WTN"] % p["WPTN"] != 0 ||
            p["WTM"] / p["WPTM"] * (p["WTN"] / p["WPTN"]) != 32 || m % p["WTM"] != 0 || n % p["WTN"] != 0)
            return false;
        return k % 8 == 0 && k % p["SLICES"] == 0 && p["STAGES"] >= 2 && p["STAGES"] <= 16 && p["ORDER"] <= 3 &&
               p["RUNNING"] <= 1 && std::max(m, n) <= 4 * items(p) && items(p) <= 1024 && m * n * p["SLICES"] <= 65536;
    }

    // Work-groups have one dimension. Local memory has STAGES tiles of each operand, at worst (turned and shifted) with four
    // more floats in each row and before the first row of A. The same memory is used for the sums of half of the slices, and
    // for C on its way out.
    Tiling tiling(const Parameters& p) const override
    {
        const std::size_t m = p["TSM"], n = p["TSN"], k = p["TSK"];
        const std::size_t tiles = p["STAGES"] * (k * (m + 4 + n + 4) + 4) + 4;
        const std::size_t sums = p["SLICES"] / 2 * m * n;
        return {m, n, k, items(p), 1, std::max({tiles, sums, m * n / p["WPTN"]}) * sizeof(float)};
    }

    void add_device_features(const DeviceProfile& device, Parameters& parameters) const override
    {
        parameters.add("ASYNC", device.instructions.has(Instructions::nvidia_async_copy) ? 1 : 0);
        parameters.add("STAGED", device.type == DeviceType::cpu ? 0 : 1);
    }

    Arithmetic computes(const Arithmetic& asked) const override { return fp32_in_any_order(asked); }

    std::size_t listed_products_at_once() const override { return most_products_at_once; }

    Answer takes(const Problem& problem, const Variant& variant, const DeviceProfile&) const override
    {
        if (problem.batch.listed && is_reproducible(problem.arithmetic) && problem.k > reproducible_depth)
            return Answer::no(
                "may take several launches for a K of several blocks, so that lists are reproducible up to a K of " +
                std::to_string(reproducible_depth));
        return is_valid(as_built(variant, problem).parameters)
                   ? Answer::yes()
                   : Answer::no("cannot do without slices, whose sums have an order of their own, in this size");
    }

    Outline outline(const Problem& problem, const DeviceProfile& device, const Variant& variant,
                    const Way& way) const override
    {
        Outline result = TileFamily::outline(problem, device, variant, way);
        if (device.type == DeviceType::gpu) {
            if (!copies_c(way)) // which is aligned
                count_storing_by_floats(result, problem, way, variant.tiling, storing_by_floats(problem, variant));
            count_few_loads(result, problem, variant, way);
        }
        if (is_reproducible(problem.arithmetic))
            count_given_order(result, problem, variant, way);
        return result;
    }

    void plan(PlanBuilder& builder, const Problem& problem, const Variant& variant, const Way& way) const override
    {
        Variant built = as_built(variant, problem);
        // Which order of products (ORDER) and which addresses (RUNNING) are the fastest was measured in programs of one
        // block of K. In those that add several blocks to C the plain ones are the fastest, or nearly
        // (docs/notes/accuracy.md).
        if (adds_blocks_to_c(problem) && way.split_k == 1)
            built.parameters = built.parameters.with("ORDER", 2).with("RUNNING", 0);
        TileFamily::plan(builder, problem, built, way);
    }

    std::vector<Way> ways(const Problem& problem, const DeviceProfile&, const Variant& variant) const override
    {
        const std::string letters = operand_letters(problem);
        std::vector<Way> result;
        for (const unsigned copies : {0U, copy_of_b, copy_of_a, copy_of_a | copy_of_b}) {
            const Way way{.form = copies};
            if (problem.batch.listed && copies != 0) // only a single product's operands are copied
                break;
            if ((copies_a(way) && letters[0] == 'N') || (copies_b(way) && letters[1] == 'T'))
                continue;
            add_split_k_ways(result, way, problem, variant.tiling);
            if (adds_blocks_to_c(problem) && !problem.c.aligned_to(4))
                result.push_back({.form = copies | copy_of_c});
        }
        return result;
    }

    std::string measured_operands(const Problem& problem, const Way& way) const override
    {
        std::string letters = operand_letters(problem);
        if (copies_a(way))
            letters[0] = 'N';
        if (copies_b(way))
            letters[1] = 'T';
        return both_unaligned_if_one(letters);
    }

    std::optional<Guess> guess(const Variant& variant, const DeviceProfile& device) const override
    {
        auto guess = gpu_guess(variant.tiling, device, 250);
        // With 64 registers a compiler kept something in memory in all its sizes (docs/notes/testing.md).
        if (guess)
            guess->is_believed = device.registers > 64;
        return guess;
    }
    Probing probing() const override { return {gpu_loads}; }
    std::size_t step_of(std::string_view parameter, const Parameters&) const override
    {
        return parameter == "STAGES" || parameter == "ORDER" || parameter == "RUNNING" ? 1 : 0;
    }

protected:
    // Where results are reproducible, a launch goes from one block of K to the next one only if its work-groups can add a
    // block's sums to C at once, in vectors. Otherwise they would need the local memory, where the next steps are by then.
    std::size_t deepest_launch(const Prepared& prepared, const Variant& variant) const override
    {
        const Problem& problem = prepared.problem;
        const std::size_t step = variant.tiling.k;
        if (!adds_blocks_to_c(problem))
            return problem.k;
        if (!problem.c.aligned_to(4) || reproducible_depth % step != 0)
            return reproducible_depth;
        return problem.k % step == 0 ? problem.k : problem.k / reproducible_depth * reproducible_depth;
    }

    // Copies run along M (A, C) and N (B, which is then stored transposed). They are filled up to whole vectors. Where
    // work-groups go from block to block of K, they are also filled up to whole steps of K.
    Prepared prepare(const Problem& callers, const Variant& variant, const Way& way,
                     WorkspaceLayout& workspace) const override
    {
        Problem problem = callers;
        // Zeros that fill up K add nothing, not even to a sum of -0 (kernels/reproducible.clh). But a block of nothing else
        // would: alpha * 0 is NaN where alpha is infinite, and makes +0 of what was -0.
        const std::size_t unit = std::min(variant.tiling.k, reproducible_depth);
        const std::size_t filled_k = adds_blocks_to_c(callers) ? round_up(callers.k, unit) : callers.k;
        if (copies_a(way))
            problem.a = workspace.place_for(callers.a, round_up(problem.m, 4), filled_k);
        if (copies_b(way))
            problem.b = workspace.place_for(callers.b, filled_k, round_up(problem.n, 4), true);
        if (copies_a(way) && copies_b(way))
            problem.k = filled_k;
        if (copies_c(way)) {
            problem.c = workspace.place(round_up(problem.m, 4), problem.n, false, callers.c.element);
            problem.c.rows = problem.m;
        }
        return {problem, split_k(problem, way.split_k, variant.tiling.k, workspace)};
    }

    // Vectors along K are of no use to the kernel. It must be told of sizes that are less than one tile, and of how C lies
    // where it may be staged. (Where A is copied by fours, a last tile that ends with a four costs more than it saves:
    // docs/notes/kernels.md.)
    std::string options(const Prepared& prepared, const Variant& variant) const override
    {
        const Problem& problem = prepared.problem;
        const unsigned width_a = problem.a.transposed ? 1 : copy_width(problem.a);
        const unsigned width_b = problem.b.transposed ? copy_width(problem.b) : 1;
        const auto is_small = [](std::size_t size, unsigned width, std::size_t tile) {
            return round_up(size, width) < tile;
        };
        const bool small_m = is_small(problem.m, width_a, variant.tiling.m);
        const bool is_staged = variant.parameters["STAGED"] != 0, wide_c = prepared.split.target.aligned_to(4);
        return layout_options(problem.a, problem.b, width_a, width_b) + flag("SMALL_M", small_m) +
               flag("SMALL_N", is_small(problem.n, width_b, variant.tiling.n)) + (is_staged ? flag("WIDE_C", wide_c) : "") +
               (is_staged && wide_c && problem.m % 4 != 0 && (small_m || width_a < 4) ? " -DRAGGED_M=1" : "") +
               (problem.batch != Batch{} ? " -DBATCH=1" : "") +
               (adds_blocks_to_c(problem) && prepared.split.parts == 1 ? " -DSEVERAL_BLOCKS=1" : "") +
               (reads_c_first(problem, prepared.split) ? " -DREADS_C=1" : "");
    }

private:
    // How long storing an unaligned tile takes, in so much more of K (docs/notes/tuning.md). The sums of slices are added
    // first. The last value also makes up for what the beginning of a program without its slices takes longer than with
    // them, of which the measured curves know nothing.
    static double storing_by_floats(const Problem& problem, const Variant& variant)
    {
        constexpr double of_one_slice = 22, of_several = 35, reproducible = 45;
        if (is_reproducible(problem.arithmetic))
            return reproducible;
        return variant.parameters["SLICES"] > 1 ? of_several : of_one_slice;
    }

    // With stages that are 16 deep, a tile of few rows or columns has few loads under way. Where no other tile reads the
    // same, it waits for the first loads, some 40 of K, but at most for a quarter of the operand (docs/notes/tuning.md).
    static void count_few_loads(Outline& outline, const Problem& problem, const Variant& variant, const Way& way)
    {
        constexpr std::size_t few = 64, shallow_stage = 16;
        constexpr double waited_for = 40, most = 0.25;
        const Tiling& tile = variant.tiling;
        if (variant.parameters["TSK"] <= shallow_stage && std::min(tile.m, tile.n) <= few)
            wait_for_first_steps(outline, problem, tile, way, waited_for, most);
    }

    // What it takes to add in the order in which results are reproducible (docs/notes/accuracy.md):
    // - Where a work-group without its slices has fewer work-items, it takes as many times longer, and as many more
    //   work-groups are resident.
    // - Smaller tiles of work-items take a tenth longer.
    // - Where K has several blocks, smaller tiles than those of 128 x 128 take 4 % longer.
    // - Adding a block to C takes as long as 20 of K.
    static void count_given_order(Outline& outline, const Problem& problem, const Variant& variant, const Way& way)
    {
        constexpr double longer_by_small_items = 0.1, longer_by_small_tiles = 0.04;
        constexpr double adding_a_block = 20.0 / reproducible_depth;
        constexpr std::size_t large_tile = std::size_t{128} * 128;
        const Parameters &measured = variant.parameters, built = as_built(variant, problem).parameters;
        const std::size_t fewer = items(measured) / items(built);
        double longer = 0;
        if (built["WPTM"] * built["WPTN"] < measured["WPTM"] * measured["WPTN"])
            longer += longer_by_small_items;
        if (adds_blocks_to_c(problem) && variant.tiling.m * variant.tiling.n < large_tile)
            longer += longer_by_small_tiles;
        if (adds_blocks_to_c(problem) && way.split_k == 1)
            longer += adding_a_block;
        for (Outline::Launch& launch : outline.launches) {
            launch.load.per_unit /= static_cast<double>(fewer);
            launch.load.steps *= fewer;
            launch.steps_more += longer * static_cast<double>(launch.load.steps);
        }
    }

    // The variant as it is built: without slices where the order of sums along K is given. If there were enough slices, the
    // work-items' tiles become as small as they can be instead, so that a work-group has as many work-items as before, or
    // nearly. (8 x 4 instead of two slices of 8 x 8 is slower than one slice: docs/notes/accuracy.md.)
    static Variant as_built(const Variant& variant, const Problem& problem)
    {
        if (!is_reproducible(problem.arithmetic))
            return variant;
        constexpr std::size_t least = 4; // floats that are read at once
        const Parameters& p = variant.parameters;
        Parameters parameters = p.with("SLICES", 1);
        if (p["WPTM"] * p["WPTN"] / (least * least) <= p["SLICES"])
            for (const auto& [item, warp] : {std::pair{"WPTM", "WTM"}, {"WPTN", "WTN"}})
                parameters = parameters.with(item, least).with(warp, p[warp] / p[item] * least);
        return {variant.kernel, parameters, variant.family().tiling(parameters)};
    }

    // Is each element of C the sum of several blocks of K, which are added to C one after the other?
    static bool adds_blocks_to_c(const Problem& problem)
    {
        return is_reproducible(problem.arithmetic) && problem.k > reproducible_depth;
    }

    // The forms of the kernel's ways: which operands are copied first, so that their memory runs along M (N), aligned; and
    // whether C is computed in an aligned matrix of its own, and copied to C afterwards.
    static constexpr unsigned copy_of_a = 1, copy_of_b = 2, copy_of_c = 4;
    static bool copies_a(const Way& way) { return (way.form & copy_of_a) != 0; }
    static bool copies_b(const Way& way) { return (way.form & copy_of_b) != 0; }
    static bool copies_c(const Way& way) { return (way.form & copy_of_c) != 0; }

    static std::size_t items(const Parameters& p)
    {
        return 32 * (p["TSM"] / p["WTM"]) * (p["TSN"] / p["WTN"]) * p["SLICES"];
    }
};

Parameters warp_tile(std::size_t m, std::size_t n, std::size_t k, std::size_t stages, std::size_t warp_m, std::size_t warp_n,
                     std::size_t per_item_m, std::size_t per_item_n, std::size_t slices)
{
    return {{"TSM", m},         {"TSN", n},      {"TSK", k},           {"STAGES", stages},
            {"WTM", warp_m},    {"WTN", warp_n}, {"WPTM", per_item_m}, {"WPTN", per_item_n},
            {"SLICES", slices}, {"ORDER", 2},    {"RUNNING", 0}};
}

} // namespace

std::vector<KernelInfo> warp_tiled_kernels()
{
    static const auto* const family = new WarpTiled;
    return {{.name = "13_warp_tiled",
             .idea = "warp tiles, copies under way, any size and transpose",
             .family = family,
             .variants = {warp_tile(128, 128, 16, 2, 64, 32, 8, 8, 1), warp_tile(64, 64, 16, 2, 32, 64, 8, 8, 1),
                          warp_tile(64, 32, 32, 2, 64, 32, 8, 8, 4), warp_tile(32, 32, 32, 2, 32, 32, 4, 8, 4),
                          warp_tile(32, 16, 64, 2, 32, 16, 4, 4, 8)},
             .first_on_cpu = 1}};
}

} // namespace clgemm::core
