// cpu_amx: floats are packed as bf16 pieces and multiplied on AMX tiles. A work-group computes a block of C, from all of K
// or a part of it. Either it packs its own rows and columns: the panels of one operand are kept, while those of the other
// pass by them. Or it multiplies images that an earlier step packed.
#include "families/families.hpp"

#include "families/cpu_family.hpp"
#include "families/making.hpp"
#include "families/panel_blocks.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace clgemm::core {
namespace {

// As kernels/cpu_amx.cl has them.
constexpr std::size_t panel = 32, step_depth = 32;
constexpr std::size_t step_bytes = panel * step_depth * 3 * sizeof(std::uint16_t);
constexpr std::size_t floats_of_pieces = step_depth * 3 * sizeof(std::uint16_t) / sizeof(float); // of a row, in a step
constexpr std::size_t floats_of_range = 2;

// Way::form: which operand's panels pass, or that an earlier step packs both operands. In that case panels of B pass, too.
constexpr unsigned b_passes = 0, packed_before = 1, a_passes = 2;

class CpuAmx : public CpuFamily {
public:
    bool is_valid(const Parameters& p) const override
    {
        // With less depth C is read and written so often that this is most of the time.
        return p["TSK"] >= 3 * step_depth && p["TSK"] % step_depth == 0 && p["TSK"] <= 4096;
    }
    Tiling tiling(const Parameters& p) const override
    {
        return {panel, panel, step_depth, 1, 1, (most_panels(p) + 2) * (p["TSK"] / step_depth) * step_bytes};
    }
    void add_device_features(const DeviceProfile& device, Parameters& parameters) const override
    {
        parameters.add("TILES", static_cast<std::size_t>(device.tiles));
    }

    Arithmetic computes(const Arithmetic&) const override { return {.accuracy = CLGEMM_MATH_DEFAULT}; }

    // A part of K is a number of blocks.
    std::vector<Way> ways(const Problem& problem, const DeviceProfile& device, const Variant& variant) const override
    {
        const std::size_t blocks = divide_up(problem.k, depth_of_blocks(problem.k, variant.parameters));
        const std::size_t tiles = divide_up(problem.m, panel) * divide_up(problem.n, panel);
        const bool has_enough = tiles >= tiles_enough * device.compute_units;
        const std::size_t most = has_enough ? 1 : std::min(blocks, most_parts(device));
        std::vector<Way> result;
        for (const unsigned form : {b_passes, packed_before, a_passes})
            add_split_k_ways(result, {.form = form}, problem, variant.tiling, most);
        return result;
    }
    std::size_t products_at_once(const Way& way) const override
    {
        return way.form == packed_before ? 1 : products_unless_split(way);
    }

    Outline outline(const Problem& problem, const DeviceProfile& device, const Variant& variant,
                    const Way& way) const override
    {
        const Parameters& p = variant.parameters;
        WorkspaceLayout workspace;
        Outline result;
        if (way.form == packed_before) {
            place_panels(problem, p, workspace);
            // Three pieces of half the length are written, and the processor fetches what they overwrite.
            constexpr double times_moved = 1 + 2 * 1.5;
            double moved = 0;
            for (const Matrix* const operand : {&problem.a, &problem.b})
                moved += operand->prepared ? 0 : times_moved * bytes_of(*operand);
            if (moved > 0)
                result.launches.push_back({moved});
        }
        const SplitK split = parts_of_k(problem, p, way, workspace);
        const std::size_t multiplication = result.launches.size();
        add_multiplication(result, problem, split,
                           {blocks_of(problem, p, split, way, device).tiles_per_unit, divide_up(split.depth, step_depth)});
        Outline::Launch& launch = result.launches[multiplication];
        // The time to store tiles, in each block of K: a little more where the work-group packs, too. Where panels of A
        // pass, the next tile of C lies in other columns, which takes longer.
        const auto blocks_of_k = static_cast<double>(divide_up(split.depth, depth_of_blocks(problem.k, p)));
        launch.steps_more = blocks_of_k * (way.form == a_passes ? 2.25 : way.form == b_passes ? 1.25 : 1);
        // The time until the other threads have woken up, some 30 microseconds. (They mostly were awake when the curves were
        // measured, by which a step of a work-group that is alone takes about one microsecond.)
        constexpr double waking = 30;
        launch.steps_lost = device.compute_units > 1 ? waking : 0;
        result.workspace_bytes = workspace.bytes();
        return result;
    }

    void plan(PlanBuilder& builder, const Problem& problem, const Variant& variant, const Way& way) const override
    {
        if (way.form == packed_before)
            plan_images(builder, problem, variant, way);
        else
            plan_in_one_launch(builder, problem, variant, way);
    }

    // Once operands are in panels, all lie alike.
    bool takes_operands_alike() const override { return true; }
    std::size_t step_of(std::string_view, const Parameters&) const override { return 0; }

    // 1.6 times what cpu_packed is guessed to reach: with one thread it was so much faster than FP32 (docs/notes/cpu.md).
    std::optional<Guess> guess(const Variant&, const DeviceProfile& device) const override
    {
        if (device.type != DeviceType::cpu)
            return std::nullopt;
        return Guess{.flops_per_ns = 150, .for_every_size = false}; // the smaller ones are for less local memory
    }

private:
    // With so many tiles of C for each unit, parts of K win nothing. With fewer, each unit packs less if it has all of C.
    static constexpr std::size_t tiles_enough = 64;
    // What it takes to pack a step of a panel, in tiles that could be multiplied meanwhile; and how much of that is hidden
    // behind each tile that is multiplied at the same time. An A that passes is also fetched at the same time. A B whose
    // memory runs along K need not be turned, which is fastest. Where each k is on a page of its own, a deep block has more
    // pages than the processor's table of pages.
    static constexpr double packing_a_kept = 2.75, packing_a_passing = 2, packing_b = 1.75, packing_b_turned = 2.5,
                            many_pages = 0.25, hidden_by_tile = 0.2;

    // What packing takes in addition where a B that passes is turned and the first-level cache has only a set or two for all
    // of its lines: a line is gone before its next columns are packed.
    static constexpr double few_sets = 0.5;

    static double for_few_sets(std::size_t along_k)
    {
        constexpr std::size_t line = 16 /* floats */, sets = 64;
        return along_k % (sets / 2 * line) == 0 ? few_sets : 0;
    }

    static double for_pages(std::size_t along_k, std::size_t deep)
    {
        constexpr std::size_t page = 1024 /* floats */, known_pages = 256;
        return along_k >= page && deep > known_pages ? many_pages : 0;
    }

    // Tiles of at most 16 rows or columns take half the time.
    static double half_tiles(const Problem& problem)
    {
        const auto are_few = [](std::size_t all) { return all % panel > 0 && all % panel <= panel / 2; };
        const bool few_rows = are_few(problem.m), few_columns = are_few(problem.n);
        const std::size_t count = (few_columns ? divide_up(problem.m, panel) : 0) +
                                  (few_rows ? divide_up(problem.n, panel) : 0) - (few_rows && few_columns);
        return 0.5 * static_cast<double>(count);
    }

    // How many panels are kept: what the second-level cache holds. (MOST_PANELS of the kernel says the same.)
    static std::size_t most_panels(const Parameters& p)
    {
        constexpr std::size_t most = 8, most_deep = 512;
        return std::min(most, most * most_deep / p["TSK"]);
    }

    static std::size_t depth_of_blocks(std::size_t k, const Parameters& p) { return block_depth(k, p["TSK"], step_depth); }

    static SplitK parts_of_k(const Problem& problem, const Parameters& p, const Way& way, WorkspaceLayout& workspace)
    {
        return split_k(problem, way.split_k, depth_of_blocks(problem.k, p), workspace);
    }

    static PieceImage place_panels_of(const Matrix& operand, std::size_t rows, std::size_t k, const Parameters& p,
                                      WorkspaceLayout& workspace)
    {
        const std::size_t panels = divide_up(rows, panel), blocks = divide_up(k, depth_of_blocks(k, p));
        const Matrix image =
            workspace.place_for(operand, panels * panel, saturating_product(divide_up(k, step_depth), floats_of_pieces));
        const Matrix ranges = workspace.place_for(operand, panels * floats_of_range, blocks);
        return {{image.offset, panels * panel, ranges.offset, 0},
                image.memory,
                image.siblings.distance,
                ranges.siblings.distance};
    }

    static PieceImages place_panels(const Problem& problem, const Parameters& p, WorkspaceLayout& workspace)
    {
        const PieceImage a = place_panels_of(problem.a, problem.m, problem.k, p, workspace);
        return {a, place_panels_of(problem.b, problem.n, problem.k, p, workspace)};
    }

    static PanelBlocks blocks_of(const Problem& problem, const Parameters& p, const SplitK& split, const Way& way,
                                 const DeviceProfile& device)
    {
        const std::size_t all_m = divide_up(problem.m, panel), all_n = divide_up(problem.n, panel);
        const std::size_t parts = parts_of(problem, split), most = most_panels(p);
        const std::size_t deep = depth_of_blocks(problem.k, p);
        const double of_a =
            (way.form == a_passes ? packing_a_passing : packing_a_kept) + for_pages(problem.a.col_stride(), deep);
        const bool passes_turned = way.form == b_passes && problem.b.transposed;
        const double of_b = (problem.b.transposed ? packing_b_turned : packing_b) + for_pages(problem.b.row_stride(), deep) +
                            (passes_turned ? for_few_sets(problem.b.row_stride()) : 0);
        PanelBlocks blocks;
        if (way.form == packed_before)
            blocks = even_blocks(all_m, all_n, parts, device.compute_units, {1, most, 1});
        else if (way.form == b_passes)
            blocks = even_blocks(all_m, all_n, parts, device.compute_units, {1, most, 1, of_a, of_b, hidden_by_tile});
        else {
            blocks = even_blocks(all_n, all_m, parts, device.compute_units, {1, most, 1, of_b, of_a, hidden_by_tile});
            std::swap(blocks.m, blocks.n);
        }
        blocks.tiles_per_unit -=
            half_tiles(problem) * static_cast<double>(parts) / static_cast<double>(device.compute_units);
        return blocks;
    }

    static void plan_in_one_launch(PlanBuilder& builder, const Problem& problem, const Variant& variant, const Way& way)
    {
        const SplitK split = parts_of_k(problem, variant.parameters, way, builder.workspace);
        const PanelBlocks blocks = blocks_of(problem, variant.parameters, split, way, builder.device());
        const char* const form = way.form == a_passes ? " -DPACKED_BEFORE=0 -DA_PASSES=1" : " -DPACKED_BEFORE=0";
        builder.add(multiplication_of(variant, "multiply", problem, split, blocks, form,
                                      {problem.a.memory, problem.b.memory, split.target.memory},
                                      ArgumentBytes(kernel_arguments::BlockMultiplication{
                                          multiplication(problem, split), blocks.m * panel, blocks.n * panel})));
        add_sum_of_parts(builder, problem, split);
    }

    static void plan_images(PlanBuilder& builder, const Problem& problem, const Variant& variant, const Way& way)
    {
        const PieceImages panels = place_panels(problem, variant.parameters, builder.workspace);
        const SplitK split = parts_of_k(problem, variant.parameters, way, builder.workspace);
        add_making(builder, problem, [&](const Made& made) { return packing_step(variant, problem, panels, made); });
        const PanelBlocks blocks = blocks_of(problem, variant.parameters, split, way, builder.device());
        builder.add(multiplication_of(
            variant, "multiply_images", problem, split, blocks, " -DPACKED_BEFORE=1",
            {problem.a.memory, problem.b.memory, split.target.memory, panels.a.memory, panels.b.memory},
            ArgumentBytes(kernel_arguments::ImageBlockMultiplication{multiplication(problem, split), panels.a.image,
                                                                     panels.b.image, blocks.m * panel, blocks.n * panel})));
        add_sum_of_parts(builder, problem, split);
    }

    static Step multiplication_of(const Variant& variant, const char* function, const Problem& problem, const SplitK& split,
                                  const PanelBlocks& blocks, const char* form, std::vector<Memory> buffers,
                                  ArgumentBytes arguments)
    {
        return step(variant, "multiply", function, form + options_for(problem.a, problem.b),
                    {divide_up(divide_up(problem.m, panel), blocks.m), divide_up(divide_up(problem.n, panel), blocks.n),
                     parts_of(problem, split)},
                    std::move(buffers), std::move(arguments));
    }

    static std::string options_for(const Matrix& a, const Matrix& b)
    {
        return flag("TRANS_A", a.transposed) + flag("TRANS_B", b.transposed);
    }

    static Step packing_step(const Variant& variant, const Problem& problem, const PieceImages& panels, const Made& made)
    {
        const kernel_arguments::Splitting arguments =
            splitting(problem, panels, made, panels.a.image.rows / panel, panels.b.image.rows / panel);
        const std::size_t blocks = divide_up(problem.k, depth_of_blocks(problem.k, variant.parameters));
        return step(variant, std::string("split ") + made.names(), "pack_pieces",
                    " -DPACKED_BEFORE=1" + options_for(made.a ? problem.a : Matrix{}, made.b ? problem.b : Matrix{}),
                    {arguments.groups, blocks, 1}, buffers_of_making(problem, made, (made.a ? panels.a : panels.b).memory),
                    ArgumentBytes(arguments));
    }
};

} // namespace

std::vector<KernelInfo> cpu_amx_kernels()
{
    static const auto* const family = new CpuAmx;
    return {{.name = "cpu_amx",
             .idea = "for Intel's CPUs: three bf16 pieces of each float on AMX tiles, as accurate as FP32",
             .family = family,
             .variants = {{{"TSK", 512}}, {{"TSK", 256}}, {{"TSK", 96}}},
             .instructions = Instructions::intel_amx}};
}

} // namespace clgemm::core
