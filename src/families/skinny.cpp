// Kernel 15: few columns of C, or few rows, which are the columns of the transposed problem. A work-group has all columns of
// its rows, from all of K or a part of it. Copying operands cannot pay, since A is read once.
#include "families/families.hpp"

#include "families/gpu_guess.hpp"
#include "families/operands.hpp"
#include "families/read_once.hpp"
#include "families/tile_family.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>

namespace clgemm::core {
namespace {

class Skinny : public TileFamily {
public:
    bool is_valid(const Parameters& p) const override
    {
        const std::size_t k = p["TSK"];
        for (const auto* name : {"NR", "TSM", "ROWS", "PARTS", "LANES", "UNROLL"})
            if (!is_power_of_2(p[name]) || p[name] > 4096)
                return false;
        if ((k > 0 && !is_power_of_2(k)) || k > 4096)
            return false;
        return p["NR"] <= 16 && p["ROWS"] % 4 == 0 && p["ROWS"] <= 16 && p["TSM"] % p["ROWS"] == 0 && p["LANES"] <= 32 &&
               p["LANES"] <= p["PARTS"] && p["UNROLL"] <= 16 && k % (4 * p["PARTS"] * p["UNROLL"]) == 0 &&
               items(p) % (8 * p["NR"]) == 0 && items(p) <= 1024 && local_floats(p) <= 8000;
    }

    // A step along K is four times as deep where memory runs along K as where it does not. This is the larger depth, a
    // multiple of both.
    Tiling tiling(const Parameters& p) const override
    {
        return {p["TSM"], p["NR"], 4 * p["PARTS"] * p["UNROLL"], items(p), 1, local_floats(p) * sizeof(float)};
    }

    void add_device_features(const DeviceProfile& device, Parameters& parameters) const override
    {
        if (device.type != DeviceType::cpu && device.registers <= 128)
            parameters.add("FEW_REGISTERS", 1);
    }

    Arithmetic computes(const Arithmetic& asked) const override { return fp32_in_any_order(asked); }

    Answer takes(const Problem& problem, const Variant& variant, const DeviceProfile& device) const override
    {
        if (!is_reproducible(problem.arithmetic))
            return Answer::yes();
        for (const Way& way : {Way{}, Way{.transposed = true}, Way{.split_k = 2}, Way{.split_k = 2, .transposed = true}}) {
            const InOrder size = in_order(variant, problem, way);
            if (size.each == 0)
                return Answer::no("cannot add products in a given order in this size");
            if (size.local_bytes > device.local_memory)
                return Answer::no("needs " + std::to_string(size.local_bytes) +
                                  " bytes of local memory to add products in a given order");
        }
        return Answer::yes();
    }

    // Variants that read B where it lies are made for operands whose memory runs along K in both.
    std::vector<Way> ways(const Problem& problem, const DeviceProfile& device, const Variant& variant) const override
    {
        std::vector<Way> result = TileFamily::ways(problem, device, variant);
        if (reads_b_where_it_lies(variant))
            std::erase_if(result, [&](const Way& way) {
                const Problem computed = as_computed(problem, way);
                return !computed.a.transposed || computed.b.row_stride() > 1;
            });
        return result;
    }

    void plan(PlanBuilder& builder, const Problem& problem, const Variant& variant, const Way& way) const override
    {
        TileFamily::plan(builder, problem, as_built(variant, problem, way), way);
    }

    // Measurements begin at four steps. A call of fewer steps is shorter by less than their share, since the first steps
    // consist of latencies that remain. Steps are deep: a last step that is not as deep as the others reads less, but is
    // waited for as long.
    Outline outline(const Problem& problem, const DeviceProfile& device, const Variant& variant,
                    const Way& way) const override
    {
        Outline result = TileFamily::outline(problem, device, variant, way);
        // Where A's memory runs along K, a step of less depth takes a work-group hardly less time: each of its lanes has
        // less to do.
        const Matrix a = as_computed(problem, way).a;
        const double saved = a.transposed ? 0 : saved_by_shallow;
        const bool direct = reads_b_where_it_lies(variant);
        const bool is_cached = bytes_of(problem, problem.a) + bytes_of(problem, problem.b) <= cached_between_calls;
        double slowed = 0;
        if (a.transposed && !a.takes_vectors() && !is_cached && !direct)
            slowed = variant.parameters["NR"] == 1                   ? slowed_by_single_floats
                     : variant.parameters["LANES"] < lanes_of_a_line ? slowed_by_parts_of_lines
                                                                     : 0;
        if (is_reproducible(problem.arithmetic))
            slowed += rows_per_walk / static_cast<double>(variant.tiling.m * in_order(variant, problem, way).blocks);
        for (Outline::Launch& launch : result.launches) {
            if (launch.load.steps == 0)
                continue;
            const auto steps = static_cast<double>(launch.load.steps);
            const double depth = static_cast<double>(problem.k) / static_cast<double>(way.split_k);
            launch.steps_saved = saved * std::max(steps - depth / static_cast<double>(variant.tiling.k), 0.0);
            launch.steps_lost = launch.steps_saved;
            if (direct && is_cached)
                launch.steps_saved += saved_by_cache * steps;
            if (launch.load.steps < fewest_measured)
                launch.steps_lost += lost_by_fewer * static_cast<double>(fewest_measured - launch.load.steps);
            launch.steps_more = slowed * steps;
            launch.rounds_overlap = true;
        }
        return result;
    }

    // It does not matter whether B is aligned for vectors.
    std::string measured_operands(const Problem& problem, const Way& way) const override
    {
        std::string letters = operand_letters(as_computed(problem, way));
        if (letters[1] == 't')
            letters[1] = 'T';
        return both_unaligned_if_one(letters);
    }

    std::optional<Guess> guess(const Variant& variant, const DeviceProfile& device) const override
    {
        auto guess = gpu_guess(variant.tiling, device, 100);
        // A work-item's sums should take a quarter of its registers, since values of A take more. With less room a compiler
        // kept the sums in memory (docs/notes/testing.md).
        if (guess)
            guess->is_believed = variant.parameters["NR"] * variant.parameters["ROWS"] <= device.registers / 4;
        return guess;
    }
    Probing probing() const override { return {.loads = gpu_loads, .one_tile_of_columns = true}; }

protected:
    bool takes_columns(std::size_t columns, const Tiling& tiling) const override { return columns <= tiling.n; }

    // A single column without gaps runs along K, whether or not B is transposed.
    Prepared prepare(const Problem& problem, const Variant& variant, const Way& way,
                     WorkspaceLayout& workspace) const override
    {
        Prepared result = TileFamily::prepare(problem, variant, way, workspace);
        Matrix& b = result.problem.b;
        if (reads_b_where_it_lies(variant) && b.transposed && b.cols == 1 && b.ld == 1) {
            b.transposed = false;
            b.ld = b.rows;
        }
        return result;
    }

private:
    static constexpr std::size_t fewest_measured = 4;
    static constexpr double lost_by_fewer = 0.36;    // of a step, for each one fewer; docs/notes/tuning.md
    static constexpr double saved_by_shallow = 0.75; // the share of a step's missing part that is saved
    // Variants without barriers are limited by memory, and were measured with operands that come from it. From the cache a
    // step takes less by this part.
    static constexpr double saved_by_cache = 0.15;
    // Where A's memory runs along K and no vectors are loaded, so many lanes read a whole line of the cache together. Fewer
    // lanes read parts of lines, and wait for memory more often than in measurements, which were mostly made with operands
    // in the cache.
    static constexpr std::size_t lanes_of_a_line = 32;
    static constexpr double slowed_by_parts_of_lines = 0.1; // of a step
    // Loading four single floats instead of a vector keeps a work-item busy that needs each float for a single product.
    static constexpr double slowed_by_single_floats = 0.2; // of a step
    // Where products are added in the given order, a work-group waits until its chains, which walk side by side, have been
    // walked along. That takes as long as fetching so many rows more (docs/notes/tuning.md).
    static constexpr double rows_per_walk = 8;

    static bool reads_b_where_it_lies(const Variant& variant) { return variant.parameters["TSK"] == 0; }

    static std::size_t items(const Parameters& p) { return p["TSM"] / p["ROWS"] * p["PARTS"]; }

    // How the kernel is built where products are added in the given order (kernels/skinny_in_order.clh): `blocks` of K at a
    // time, and `each` floats of A for each work-item; 0: it cannot be built.
    struct InOrder {
        std::size_t blocks = 0, each = 0, local_bytes = 0;
    };
    // `all_blocks`: how many blocks K has.
    static InOrder in_order(const Parameters& p, const Matrix& a, std::size_t all_blocks)
    {
        constexpr std::size_t most_bytes = 48000; // a GPU's work-groups have 48 KiB
        constexpr std::size_t line = 64;          // floats read together where A runs along K: two lines of the cache
        const std::size_t rows = p["TSM"], columns = p["NR"];
        constexpr std::size_t most_each = 16; // more take so many registers that few work-groups fit on a compute unit
        for (std::size_t each = most_each; each >= 4; each /= 2) {
            const std::size_t tile = each * items(p);
            std::size_t blocks = p["PARTS"] / p["ROWS"];
            while (blocks > 1 && (blocks / 2 >= all_blocks || (a.transposed && tile / (rows * blocks) < line)))
                blocks /= 2;
            if (blocks == 0 || tile / (rows * blocks) > reproducible_depth)
                continue;
            const std::size_t pitch = tile / (rows * blocks) + 4; // of each row, and each column, of a block
            const std::size_t bytes = blocks * std::max((rows + columns) * pitch, rows * columns) * sizeof(float);
            if (bytes <= most_bytes)
                return {blocks, each, bytes};
        }
        return {};
    }
    static InOrder in_order(const Variant& variant, const Problem& problem, const Way& way)
    {
        return in_order(variant.parameters, as_computed(problem, way).a,
                        way.split_k > 1 ? 1 : divide_up(problem.k, reproducible_depth));
    }

    static Variant as_built(const Variant& variant, const Problem& problem, const Way& way)
    {
        if (!is_reproducible(problem.arithmetic))
            return variant;
        const InOrder size = in_order(variant, problem, way);
        Variant result = variant;
        result.parameters.add("BLOCKS", size.blocks);
        result.parameters.add("EACH", size.each);
        return result;
    }

    // The larger local memory of A's two directions, counted as in the kernel's file.
    static std::size_t local_floats(const Parameters& p)
    {
        const std::size_t columns = p["NR"], k = p["TSK"];
        const std::size_t of_b = std::max(columns * (k + 4), k * (columns > 4 ? columns + 4 : columns));
        const auto of_c = [&](std::size_t at_once) { return p["PARTS"] * (p["TSM"] * at_once + 32 / p["LANES"]); };
        constexpr std::size_t most = 5120;
        std::size_t at_once = columns;
        while (at_once > 1 && of_c(at_once) > most)
            at_once /= 2;
        return std::max(of_b, of_c(at_once));
    }
};

Parameters skinny_size(std::size_t columns, std::size_t m, std::size_t rows, std::size_t parts, std::size_t lanes,
                       std::size_t unroll, std::size_t k)
{
    return {{"NR", columns}, {"TSM", m}, {"ROWS", rows}, {"PARTS", parts}, {"LANES", lanes}, {"UNROLL", unroll}, {"TSK", k}};
}

} // namespace

std::vector<KernelInfo> skinny_kernels()
{
    static const auto* const family = new Skinny;
    return {{.name = "skinny",
             .idea = "few columns: A is read once, as fast as memory gives it",
             .family = family,
             .variants = {skinny_size(1, 128, 4, 8, 8, 4, 1024), skinny_size(1, 32, 4, 64, 32, 4, 1024),
                          skinny_size(1, 16, 4, 64, 32, 2, 1024), skinny_size(4, 128, 4, 8, 8, 4, 1024),
                          skinny_size(4, 16, 4, 64, 32, 2, 1024), skinny_size(16, 32, 4, 64, 8, 1, 256),
                          skinny_size(16, 64, 4, 8, 8, 2, 256), skinny_size(1, 8, 4, 64, 32, 2, 0),
                          skinny_size(1, 4, 4, 128, 32, 2, 0), skinny_size(2, 8, 4, 64, 32, 2, 0),
                          skinny_size(4, 4, 4, 128, 32, 1, 0)},
             .former_name = "15_skinny"}};
}

} // namespace clgemm::core
