// Kernel tensor_rounded: products of TF32 numbers on Hopper's tensor cores straight from the floats, which the copy engine
// brings and rounds. A work-group computes one tile of C or, in the transposed problem, of C', from all of K or a part of
// it.
#include "families/families.hpp"

#include "families/gpu_guess.hpp"
#include "families/operands.hpp"
#include "families/read_once.hpp"
#include "families/tile_family.hpp"
#include "families/wgmma_family.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace clgemm::core {
namespace {

constexpr std::size_t vector = 4; // in floats: the copy engine wants rows to begin at multiples of it

// Does the matrix lie as the kernel wants B (or A)? The copy engine takes no other distance between lines, even where there
// is only one line.
bool suits_as_b(const Matrix& matrix)
{
    return matrix.aligned_to(vector) && matrix.ld % vector == 0;
}
bool suits_as_a(const Matrix& matrix)
{
    return matrix.transposed && suits_as_b(matrix);
}

class TensorRounded : public TileFamily {
public:
    bool is_valid(const Parameters& p) const override { return is_wgmma_tile(p, 256, 16); }

    Tiling tiling(const Parameters& p) const override
    {
        // The tile's sums use the memory of the stages later.
        return tiling_with(p, std::max(bytes_of_stages(p), bytes_of_sums(p)));
    }

    Arithmetic computes(const Arithmetic&) const override { return {.accuracy = CLGEMM_MATH_TF32}; }

    Answer takes(const Problem& problem, const Variant&, const DeviceProfile&) const override
    {
        return problem.k <= std::numeric_limits<std::int32_t>::max()
                   ? Answer::yes()
                   : Answer::no("counts along K in 31 bits, as the copy engine does");
    }

    // Where an operand must be copied, products are computed one at a time.
    std::vector<Way> ways(const Problem& problem, const DeviceProfile& device, const Variant& variant) const override
    {
        std::vector<Way> result;
        for (const unsigned form : {in_place, with_copies}) {
            for (const bool transposed : {false, true})
                if (const Way way{.form = form, .transposed = transposed}; is_in_place(problem, way) == (form == in_place)) {
                    add_split_k_ways(result, way, problem, variant.tiling);
                    if (pays_in_turn(problem, device, variant))
                        result.push_back({.form = form | in_turn, .transposed = transposed});
                }
            if (!result.empty())
                break;
        }
        return result;
    }
    std::size_t products_at_once(const Way& way) const override
    {
        return (way.form & in_place) != 0 && way.split_k == 1 ? most_products_at_once : 1;
    }

    std::string measured_operands(const Problem& problem, const Way& way) const override
    {
        return as_computed(problem, way).b.transposed ? "TT" : "TN";
    }

    Outline outline(const Problem& callers, const DeviceProfile& device, const Variant& variant,
                    const Way& way) const override
    {
        // Both in k. The first one is that of kernel 14, which has six times as many products (docs/notes/tuning.md). The
        // second one was an earlier value of kernel 20's. Neither was measured for this kernel alone.
        constexpr double storing_by_floats = 90, waited_for = 128;
        Outline result = TileFamily::outline(callers, device, variant, way);
        count_storing_by_floats(result, callers, way, variant.tiling, storing_by_floats);
        wait_for_first_steps(result, as_computed(callers, way), variant.tiling, way, waited_for, most_waited_for);
        if ((way.form & in_turn) != 0)
            count_as_one_tile(result.launches.back(), variant.tiling);
        return result;
    }

    std::optional<Guess> guess(const Variant& variant, const DeviceProfile& device) const override
    {
        return gpu_guess(variant.tiling, device, 3200);
    }
    Probing probing() const override { return {gpu_loads}; }
    std::size_t step_of(std::string_view parameter, const Parameters& p) const override
    {
        return parameter == "STAGES" ? (p["TSN"] == 64 ? 2 : 1) : 0;
    }

protected:
    // A copy of A runs along K, one of B as B does. Each work-group has a place for its tensor maps.
    Prepared prepare(const Problem& callers, const Variant& variant, const Way& way,
                     WorkspaceLayout& workspace) const override
    {
        Prepared result{as_computed(callers, way), {}};
        Problem& problem = result.problem;
        if (!suits_as_a(problem.a))
            problem.a = workspace.place_for(problem.a, problem.m, round_up(problem.k, vector), true);
        if (!suits_as_b(problem.b))
            problem.b = problem.b.transposed ? workspace.place_for(problem.b, problem.k, round_up(problem.n, vector), true)
                                             : workspace.place_for(problem.b, round_up(problem.k, vector), problem.n);
        result.split = split_k(problem, way.split_k, variant.tiling.k, workspace);
        const auto groups = groups_of(variant, problem, result.split);
        result.own_memory =
            workspace.place(bytes_of_maps / sizeof(float), saturating_product(groups[0] * groups[1], groups[2])).offset;
        result.in_turn = (way.form & in_turn) != 0;
        return result;
    }

    std::string options(const Prepared& prepared, const Variant&) const override
    {
        return flag("TRANS_B", prepared.problem.b.transposed) + flag("TURNED", prepared.split.target.transposed) +
               (prepared.in_turn ? " -DSEVERAL_TILES=1" : "");
    }

    Step multiplication_of(const Prepared& prepared, const Variant& variant, const DeviceProfile& device) const override
    {
        Step step = TileFamily::multiplication_of(prepared, prepared.in_turn ? for_several_tiles(variant) : variant, device);
        // A work-group has two tiles, if there are two: even in the few tiles of a first use it goes from one to the next.
        if (prepared.in_turn)
            step.groups = {std::min(divide_up(step.groups[0] * step.groups[1], 2), device.compute_units), 1, step.groups[2]};
        step.buffers.push_back(Memory::workspace);
        step.arguments = ArgumentBytes(
            kernel_arguments::MappedMultiplication{multiplication(prepared.problem, prepared.split), prepared.own_memory});
        return step;
    }

private:
    static constexpr std::size_t bytes_of_maps = 256; // a work-group has two maps
    // The forms of its ways: operands are copied or not, and a work-group computes one tile, or several in turn.
    static constexpr unsigned with_copies = 0, in_place = 1, in_turn = 2;

    // STAGES stages of both operands, two tensor maps, and the barriers of each stage.
    static std::size_t bytes_of_stages(const Parameters& p)
    {
        return p["STAGES"] * ((p["TSM"] + p["TSN"]) * p["TSK"] * sizeof(float) + 16) + bytes_of_maps;
    }
    static std::size_t bytes_of_sums(const Parameters& p) { return p["TSN"] * (wgmma_span(p["TSM"]) + 8) * sizeof(float); }
    // With so much local memory, and the tiles, eight deep, for what it computes from the floats themselves.
    static Tiling tiling_with(const Parameters& p, std::size_t memory)
    {
        const std::size_t m = p["TSM"], n = p["TSN"], k = p["TSK"];
        constexpr std::size_t plain_depth = 8, items = 384, other = 1024; // its compiler takes some, too
        return {m, n, k, items, 1, memory + (wgmma_span(m) + n) * plain_depth * sizeof(float) + other, 1, memory};
    }

    // Sums on their way to C have local memory of their own then, so that there is room for three stages.
    static Variant for_several_tiles(const Variant& variant)
    {
        const Parameters p = variant.parameters.with("STAGES", 3);
        return {variant.kernel, p, tiling_with(p, bytes_of_stages(p) + bytes_of_sums(p))};
    }

    // A work-group's tiles are one load. To look at the sums of each and to store them takes as long as 270 of K.
    static void count_as_one_tile(Outline::Launch& multiplication, const Tiling& tile)
    {
        const double storing = 270 / static_cast<double>(tile.k), tiles = multiplication.load.per_unit;
        multiplication.load = {1, multiplication.load.steps * static_cast<std::size_t>(tiles)};
        multiplication.steps_more = tiles * (storing + multiplication.steps_more);
    }

    // With a shallow K the beginnings and ends of tiles are most of the time.
    static bool pays_in_turn(const Problem& problem, const DeviceProfile& device, const Variant& variant)
    {
        constexpr std::size_t shallow = 256, most = std::numeric_limits<std::int32_t>::max(); // lines of a tensor map
        const Tiling& tile = variant.tiling;
        const std::size_t tiles = divide_up(problem.m, tile.m) * divide_up(problem.n, tile.n);
        return tile.n == 128 && problem.k <= shallow && tiles >= 2 * device.compute_units && problem.batch.count == 1 &&
               problem.m <= most && problem.n <= most &&
               for_several_tiles(variant).tiling.local_bytes <= device.retargeted_local_memory;
    }

    static bool is_in_place(const Problem& callers, const Way& way)
    {
        const Problem problem = as_computed(callers, way);
        return suits_as_a(problem.a) && suits_as_b(problem.b);
    }
};

} // namespace

std::vector<KernelInfo> tensor_rounded_kernels()
{
    static const auto* const family = new TensorRounded;
    return {{.name = "tensor_rounded",
             .idea = "TF32 straight from the floats on Hopper's tensor cores, in one launch: the copy engine rounds",
             .family = family,
             .variants = {wgmma_tile(256, 4), wgmma_tile(192, 5), wgmma_tile(128, 6), wgmma_tile(128, 8, 64),
                          wgmma_tile(64, 8), wgmma_tile(64, 12, 64)},
             .instructions = Instructions::nvidia_tensor_maps}};
}

} // namespace clgemm::core
