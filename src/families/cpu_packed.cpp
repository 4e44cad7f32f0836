// Kernel 16: both operands are packed into panels by one launch, then multiplied by another. A work-group computes a block
// of C from all of K.
#include "families/families.hpp"

#include "families/cpu_family.hpp"
#include "families/making.hpp"
#include "families/panel_blocks.hpp"

namespace clgemm::core {
namespace {

class CpuPacked : public CpuFamily {
public:
    bool is_valid(const Parameters& p) const override { return is_register_tile(p); }
    Tiling tiling(const Parameters& p) const override { return {p["WPTM"], p["WPTN"], unit_k}; }

    std::vector<Way> ways(const Problem&, const DeviceProfile&, const Variant&) const override { return {Way{}}; }

    // The first launch fetches and packs, the second one multiplies. Both were measured together, as the least of many
    // calls, in which no thread slept between the two. In most calls one does, which counts as half a step.
    Outline outline(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way&) const override
    {
        WorkspaceLayout workspace;
        place_panels(problem, variant.parameters, workspace);
        const Load load{blocks_of(problem, device, variant.parameters).tiles_per_unit,
                        divide_up(problem.k, variant.tiling.k)};
        Outline result;
        result.workspace_bytes = workspace.bytes();
        const double bytes_packed =
            (problem.a.prepared ? 0 : bytes_of(problem.a)) + (problem.b.prepared ? 0 : bytes_of(problem.b));
        if (bytes_packed > 0)
            result.launches.push_back({bytes_packed});
        add_multiplication(result, problem, {problem.k, 1, problem.c, 0}, load, bytes_packed);
        Outline::Launch& multiplication = result.launches.back();
        multiplication.bytes_first = 0;
        multiplication.hidden = hidden;
        count_partial_step(multiplication, problem, problem.k, variant.tiling);
        multiplication.steps_more = 0.5;
        return result;
    }

    void plan(PlanBuilder& builder, const Problem& problem, const Variant& measured, const Way&) const override
    {
        const Variant variant = with_given_depth(measured, problem);
        const Parameters& p = variant.parameters;
        const Panels panels = place_panels(problem, p, builder.workspace);
        const PanelBlocks blocks = blocks_of(problem, builder.device(), p);
        const std::string options = flag("TRANS_A", problem.a.transposed) + flag("TRANS_B", problem.b.transposed);
        add_making(builder, problem, [&](const Made& made) { return packing(variant, problem, panels, made); });
        builder.add(step(variant, "multiply", "multiply", options,
                         {divide_up(panels.m, blocks.m), divide_up(panels.n, blocks.n), 1},
                         {panels.a.memory, panels.b.memory, problem.c.memory},
                         ArgumentBytes(kernel_arguments::PanelMultiplication{problem.m, problem.n, problem.k, problem.alpha,
                                                                             problem.beta, panels.a.offset, panels.b.offset,
                                                                             strided(problem.c), blocks.m, blocks.n})));
    }

    std::optional<Guess> guess(const Variant& variant, const DeviceProfile& device) const override
    {
        auto guess = cpu_guess(variant, device, 6);
        if (guess) {
            guess->more_start_ns = 5000; // another launch
            guess->for_every_size = false;
        }
        return guess;
    }

private:
    // How many panels A and B have, and where they lie.
    struct Panels {
        std::size_t m = 0, n = 0;
        Matrix a = {}, b = {};
    };

    static Panels place_panels(const Problem& problem, const Parameters& p, WorkspaceLayout& workspace)
    {
        const std::size_t m = divide_up(problem.m, p["WPTM"]), n = divide_up(problem.n, p["WPTN"]);
        const Matrix a = workspace.place_for(problem.a, m * p["WPTM"], problem.k);
        return {m, n, a, workspace.place_for(problem.b, n * p["WPTN"], problem.k)};
    }

    // Where an operand is not packed, the arguments say that it has no rows (columns).
    static Step packing(const Variant& variant, const Problem& problem, const Panels& panels, const Made& made)
    {
        kernel_arguments::Packing arguments{};
        arguments.K = problem.k;
        if (made.a) {
            arguments.M = problem.m;
            arguments.A = strided(problem.a);
            arguments.packedA = panels.a.offset;
        }
        if (made.b) {
            arguments.N = problem.n;
            arguments.B = strided(problem.b);
            arguments.packedB = panels.b.offset;
        }
        const Matrix& packed = made.a ? panels.a : panels.b;
        arguments.next = (made.a ? problem.a : problem.b).siblings.distance; // where both are packed, there are none
        arguments.nextPacked = packed.siblings.distance;
        const std::size_t depth = block_depth(problem.k, variant.parameters["TSK"], unit_k);
        return step(variant, std::string("pack ") + made.names(), "pack",
                    flag("TRANS_A", made.a && problem.a.transposed) + flag("TRANS_B", made.b && problem.b.transposed),
                    {(made.a ? panels.m : 0) + (made.b ? panels.n : 0), divide_up(problem.k, depth), 1},
                    buffers_of_making(problem, made, packed.memory), ArgumentBytes(arguments));
    }

    // The tiles of the unit that has the most to do where B's panels are there already, so that a launch is worth it even
    // for few rows. The panels come from memory in order and fetched ahead, which costs nothing more (docs/notes/cpu.md).
    // Where the last panel of A is narrow, its tiles take fewer vectors, but as many elements of B.
    static double load_without_packing(const Problem& problem, const DeviceProfile& device, const Parameters& p,
                                       const PanelBlocks& blocks)
    {
        const std::size_t all_m = divide_up(problem.m, p["WPTM"]), all_n = divide_up(problem.n, p["WPTN"]);
        const std::size_t vectors = p["WPTM"] / p["WIDTH"];
        const std::size_t last = divide_up(problem.m - (all_m - 1) * p["WPTM"], p["WIDTH"]);
        const double narrow = as_double(last + 1) / as_double(vectors + 1);
        const std::size_t groups = divide_up(all_m, blocks.m) * divide_up(all_n, blocks.n);
        const double share = (as_double(all_m - 1) + narrow) / as_double(all_m);
        return as_double(divide_up(groups, device.compute_units)) *
               (share * as_double(blocks.m * blocks.n) + as_double(blocks.m));
    }

    static PanelBlocks blocks_of(const Problem& problem, const DeviceProfile& device, const Parameters& p)
    {
        const std::size_t units = device.compute_units;
        const std::size_t all_m = divide_up(problem.m, p["WPTM"]), all_n = divide_up(problem.n, p["WPTN"]);
        PanelBlocks best = even_blocks(all_m, all_n, 1, units, {2, 8, 8});
        if (problem.b.prepared)
            best.tiles_per_unit = load_without_packing(problem, device, p, best);
        // What packing an element takes through memory, in multiply-adds for each step of K: measured (docs/notes/cpu.md).
        constexpr double packing = 12;
        const double packed_elements = (problem.a.prepared ? 0 : as_double(all_m * p["WPTM"])) +
                                       (problem.b.prepared ? 0 : as_double(all_n * p["WPTN"]));
        best.tiles_per_unit += packing * packed_elements / as_double(units * p["WPTM"] * p["WPTN"]);
        return best;
    }
};

// Registers hold the tiles of AVX-512 and AVX2, and more than those of NEON; what fits them best is in docs/notes/cpu.md.
Parameters packed_size(std::size_t width, std::size_t per_item_m, std::size_t per_item_n)
{
    return {{"WIDTH", width}, {"WPTM", per_item_m}, {"WPTN", per_item_n}, {"TSK", 384}};
}

} // namespace

std::vector<KernelInfo> cpu_packed_kernels()
{
    static const auto* const family = new CpuPacked;
    return {{.name = "cpu_packed",
             .idea = "for CPUs: both operands packed, then register tiles of vectors",
             .family = family,
             .variants = {packed_size(16, 48, 8), packed_size(8, 24, 4), packed_size(4, 12, 8)},
             .vector_parameter = "WIDTH",
             .former_name = "16_cpu_packed"}};
}

} // namespace clgemm::core
