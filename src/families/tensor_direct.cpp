// Kernel 20: products of bf16 pieces on Hopper's tensor cores straight from the floats. A work-group computes one tile of C
// or, in the transposed problem, of C', from all of K or a part of it.
#include "families/families.hpp"

#include "families/gpu_guess.hpp"
#include "families/operands.hpp"
#include "families/read_once.hpp"
#include "families/tile_family.hpp"

#include <algorithm>

namespace clgemm::core {
namespace {

class TensorDirect : public TileFamily {
public:
    bool is_valid(const Parameters& p) const override
    {
        const std::size_t m = p["TSM"];
        return (m == 48 || m == 64 || m == 80) && p["TSN"] == 128 && p["TSK"] == 32 && p["STAGES"] >= 4 &&
               p["STAGES"] <= (m == 80 ? 6 : 8) && p["GROUP"] > 0 && p["GROUP"] <= 64;
    }

    // Either all sums, or: STAGES stages of A in pieces with their barriers; the floats of eight stages on their way to
    // them, each row at worst four floats longer; and those of two stages of B, if they are copied. And the tiles of its
    // plain path.
    Tiling tiling(const Parameters& p) const override
    {
        const std::size_t m = p["TSM"], n = p["TSN"], k = p["TSK"];
        constexpr std::size_t plain_depth = 8, fetched = 8, items = 384, other = 1024; // its compiler takes some, too
        const std::size_t stages = p["STAGES"] * (m * k * 6 + 16) + (fetched * m * (k + 4) + 2 * n * k) * sizeof(float);
        const std::size_t memory = std::max(stages, n * (m + 8) * sizeof(float));
        return {m, n, k, items, 1, memory + (m + n) * plain_depth * sizeof(float) + other, 1, memory};
    }

    Arithmetic computes(const Arithmetic&) const override { return {.accuracy = CLGEMM_MATH_DEFAULT}; }

    std::string measured_operands(const Problem& callers, const Way& way) const override
    {
        return both_unaligned_if_one(operand_letters(as_computed(callers, way)));
    }

    // The kernel is measured on squares, where what one tile reads is in the cache for the next one. Where it is not, each
    // tile waits for its first steps, some 192 of K. The other steps are loaded ahead (docs/notes/tuning.md).
    Outline outline(const Problem& callers, const DeviceProfile& device, const Variant& variant,
                    const Way& way) const override
    {
        constexpr double storing_by_floats = 13, waited_for = 192; // of K
        const Problem problem = as_computed(callers, way);
        Outline result = TileFamily::outline(callers, device, variant, way);
        count_storing_by_floats(result, callers, way, variant.tiling, storing_by_floats);
        count_narrow_copies(result, problem, variant.tiling, way);
        if (!is_fetched_ahead(problem))
            wait_for_first_steps(result, problem, variant.tiling, way, waited_for, most_waited_for);
        return result;
    }

    std::optional<Guess> guess(const Variant& variant, const DeviceProfile& device) const override
    {
        return gpu_guess(variant.tiling, device, 550);
    }
    Probing probing() const override { return {gpu_loads}; }
    std::size_t step_of(std::string_view parameter, const Parameters&) const override
    {
        return parameter == "STAGES" ? 1 : 0;
    }

protected:
    std::string options(const Prepared& prepared, const Variant&) const override
    {
        const Matrix& a = prepared.problem.a;
        const Matrix& b = prepared.problem.b;
        return layout_options(a, b, copy_width(a), copy_width(b)) + flag("TURNED", prepared.split.target.transposed);
    }

private:
    // In shallow batches each work-group has the next one's operands brought to the cache (kernels/next_product.clh). A
    // launch that has parts of K has a single product.
    static bool is_fetched_ahead(const Problem& problem)
    {
        constexpr std::size_t fetched_depth = 256;
        return problem.batch.count > 1 && problem.k <= fetched_depth;
    }

    // The kernel is measured with vectors of four where memory runs along K. Single floats take longer in each step: those
    // of A in proportion to the tile's rows, those of B as long as 16 rows take. Where K is in parts, each part takes longer
    // by a constant, too. Pairs take two fifths of all that (docs/notes/kernels.md).
    static void count_narrow_copies(Outline& outline, const Problem& problem, const Tiling& tiling, const Way& way)
    {
        constexpr double rows_as_long_as_a_step = 200, rows_of_b = 16, for_parts = 40; // the last one in k
        const auto narrow = [](const Matrix& matrix) {
            const unsigned width = copy_width(matrix);
            return width == 4 ? 0 : width == 2 ? 0.4 : 1;
        };
        const double a = problem.a.transposed ? narrow(problem.a) : 0, b = problem.b.transposed ? 0 : narrow(problem.b);
        const auto rows = static_cast<double>(tiling.m);
        const double more = a * rows / rows_as_long_as_a_step + b * rows_of_b / rows;
        const double parts = way.split_k > 1 ? std::max(a, b) * for_parts / static_cast<double>(tiling.k) : 0;
        for (Outline::Launch& launch : outline.launches)
            if (launch.load.steps > 0)
                launch.steps_more += more * static_cast<double>(launch.load.steps) + parts;
    }
};

Parameters tile_of(std::size_t m)
{
    return {{"TSM", m}, {"TSN", 128}, {"TSK", 32}, {"STAGES", 4}, {"GROUP", 8}};
}

} // namespace

std::vector<KernelInfo> tensor_direct_kernels()
{
    static const auto* const family = new TensorDirect;
    return {{.name = "tensor_direct",
             .idea = "kernel 14's products straight from the floats, in one launch",
             .family = family,
             .variants = {tile_of(64), tile_of(80), tile_of(48)},
             .instructions = Instructions::nvidia_wgmma,
             .former_name = "20_tensor_direct"}};
}

} // namespace clgemm::core
