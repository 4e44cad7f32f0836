// Kernels 14 and 19: `split` writes each float of A and B as three bf16 pieces, into images in the workspace; then tensor
// cores multiply these, a tile of C for each work-group, from all of K or a part of it. Where the workspace does not hold
// both images whole, C is computed in blocks, one after the other.
#include "families/families.hpp"

#include "families/gpu_guess.hpp"
#include "families/multiplication.hpp"
#include "families/operands.hpp"
#include "support/arithmetic.hpp"

#include <algorithm>
#include <cstdint>

namespace clgemm::core {
namespace {

// As kernels/split.cl has them: what one of its work-groups takes, and its work-items.
constexpr std::size_t split_rows = 128, split_depth = 32, split_items = 256;
constexpr std::size_t bytes_of_pieces = 3 * sizeof(std::uint16_t); // of one element

// An operand's image in the workspace, and the ranges of its blocks.
kernel_arguments::Image place_image(std::size_t rows, std::size_t k, std::size_t tile, WorkspaceLayout& workspace)
{
    const std::size_t image_rows = round_up(rows, tile), depths = divide_up(k, split_depth);
    const Matrix image =
        workspace.place(image_rows, saturating_product(depths, split_depth * bytes_of_pieces / sizeof(float)));
    return {image.offset, image_rows, workspace.place(divide_up(image_rows, split_rows), depths).offset};
}

struct Images {
    kernel_arguments::Image a, b;
};

Images place_images(std::size_t m, std::size_t n, std::size_t k, const Tiling& tiling, WorkspaceLayout& workspace)
{
    const auto a = place_image(m, k, tiling.m, workspace);
    return {a, place_image(n, k, tiling.n, workspace)};
}

// All of C, if its images need no more than so many bytes, else blocks of whole tiles; none if not even tiles fit, or if
// there would be too many blocks.
std::optional<Way> blocks_of_c(const Problem& problem, const Tiling& tiling, std::size_t most_bytes)
{
    const auto bytes = [&](std::size_t m, std::size_t n) {
        WorkspaceLayout workspace;
        place_images(m, n, problem.k, tiling, workspace);
        return workspace.bytes();
    };
    std::size_t m = problem.m, n = problem.n;
    while (bytes(m, n) > most_bytes) {
        // The longer side is halved, so that blocks become squares, which make the most of what they read.
        const bool halve_m = m >= n ? m > tiling.m : n <= tiling.n;
        std::size_t& side = halve_m ? m : n;
        const std::size_t tile = halve_m ? tiling.m : tiling.n;
        if (side <= tile)
            return std::nullopt;
        side = round_up(divide_up(side, 2), tile);
    }
    if (m == problem.m && n == problem.n)
        return Way{};
    // Each is two launches. (Operands that the device holds need fewer, unless the workspace is limited to very little.)
    constexpr std::size_t most_blocks = 4096;
    if (saturating_product(divide_up(problem.m, m), divide_up(problem.n, n)) > most_blocks)
        return std::nullopt;
    return Way{.block_m = m, .block_n = n};
}

// The part of a problem that computes a block of C.
Problem part_of(const Problem& problem, std::size_t m0, std::size_t n0, std::size_t most_m, std::size_t most_n)
{
    Problem result = problem;
    result.m = result.a.rows = result.c.rows = std::min(most_m, problem.m - m0);
    result.n = result.b.cols = result.c.cols = std::min(most_n, problem.n - n0);
    result.a.offset += m0 * problem.a.row_stride();
    result.b.offset += n0 * problem.b.col_stride();
    result.c.offset += m0 * problem.c.row_stride() + n0 * problem.c.col_stride();
    return result;
}

class SplitAndMultiply : public Family {
public:
    bool is_strict() const override { return false; }

    std::vector<Way> ways(const Problem& problem, const DeviceProfile&, const Variant& variant,
                          std::size_t most_bytes) const override
    {
        const auto way = blocks_of_c(problem, variant.tiling, most_bytes);
        if (!way)
            return {};
        if (way->block_m > 0)
            return {*way};
        std::vector<Way> result;
        add_split_k_ways(result, *way, problem, variant.tiling);
        return result;
    }

    Outline outline(const Problem& problem, const DeviceProfile& device, const Variant& variant,
                    const Way& way) const override
    {
        const auto [m, n] = block_of(problem, way);
        const Problem block = part_of(problem, 0, 0, m, n);
        WorkspaceLayout workspace;
        place_images(m, n, problem.k, variant.tiling, workspace);
        const SplitK split = split_k(block, way.split_k, variant.tiling.k, workspace);
        Outline result;
        result.repeats = divide_up(problem.m, m) * divide_up(problem.n, n);
        result.workspace_bytes = workspace.bytes();
        result.add({2.5 * (bytes_of(block.a) + bytes_of(block.b))}); // three pieces of half the length
        add_multiplication(result, block, split, load_of_tiles(block, device, variant.tiling, split));
        return result;
    }

    Plan plan(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way) const override
    {
        PlanBuilder builder(device);
        const auto [block_m, block_n] = block_of(problem, way);
        const Images images = place_images(block_m, block_n, problem.k, variant.tiling, builder.workspace);
        for (std::size_t n = 0; n < problem.n; n += block_n)
            for (std::size_t m = 0; m < problem.m; m += block_m) {
                const Problem block = part_of(problem, m, n, block_m, block_n);
                // (Where there are several blocks, K is whole, and this places nothing.)
                const SplitK split = split_k(block, way.split_k, variant.tiling.k, builder.workspace);
                // B's image serves all blocks of C that lie below one another.
                add_split(builder, block, images, m == 0);
                Step step = multiplication_step(variant, block, split, "");
                step.buffers.push_back(Memory::workspace);
                step.numbers =
                    Numbers(kernel_arguments::ImageMultiplication{multiplication(block, split), images.a, images.b});
                builder.add(std::move(step));
                add_sum_of_parts(builder, block, split);
            }
        return builder.finish();
    }

    // It multiplies images, which all lie alike.
    bool takes_operands_alike() const override { return true; }
    std::string measured_operands(const Problem& problem, const Way&) const override
    {
        return both_unaligned_if_one(operand_letters(problem));
    }
    // Pieces are written once, into memory that the next call gets again: the outline knows what that takes.
    Probing probing() const override { return {.loads = gpu_loads, .steps_before = 1}; }
    std::size_t step_of(std::string_view parameter, const Parameters&) const override
    {
        return parameter == "STAGES" ? 1 : 0;
    }

private:
    struct Block {
        std::size_t m, n;
    };

    static Block block_of(const Problem& problem, const Way& way)
    {
        return way.block_m > 0 ? Block{way.block_m, way.block_n} : Block{problem.m, problem.n};
    }

    static void add_split(PlanBuilder& builder, const Problem& problem, const Images& images, bool with_b)
    {
        const std::size_t groups_a = divide_up(images.a.rows, split_rows);
        const std::size_t groups = groups_a + (with_b ? divide_up(images.b.rows, split_rows) : 0);
        Step step;
        step.purpose = with_b ? "split A and B" : "split A";
        step.source = &kernel_source("split");
        step.function = "split";
        step.groups = {groups * divide_up(problem.k, split_depth), 1, 1};
        step.group_size = {split_items, 1};
        step.buffers = {problem.a.memory, problem.b.memory, Memory::workspace};
        step.numbers = Numbers(kernel_arguments::Splitting{problem.m, problem.n, problem.k, strided(problem.a),
                                                           strided(problem.b), images.a, images.b, groups_a, groups});
        builder.add(std::move(step));
    }
};

// ---- Kernel 14, by wgmma, which is Hopper's alone

class TensorCores : public SplitAndMultiply {
public:
    bool is_valid(const Parameters& p) const override
    {
        const std::size_t m = p["TSM"];
        const bool one_half = m >= 64 && m <= 128 && m % 16 == 0;
        const bool columns = p["TSN"] == 128 || (p["TSN"] == 64 && one_half && p["STAGES"] % 2 == 0 && p["STAGES"] >= 4);
        return (one_half || m == 160) && columns && p["TSK"] == 32 && p["STAGES"] >= 2 && p["STAGES"] <= 8 &&
               p["GROUP"] > 0 && p["GROUP"] <= 64;
    }

    // STAGES stages of both operands, three pieces of two bytes for each element, and the barriers of each stage; and the
    // tiles, eight deep, for what it computes from the floats themselves.
    Tiling tiling(const Parameters& p) const override
    {
        const std::size_t m = p["TSM"], n = p["TSN"], k = p["TSK"];
        const std::size_t span = m > 128 ? m / 2 : m;
        constexpr std::size_t plain_depth = 8, items = 384, other = 1024; // its compiler takes some, too
        const std::size_t stages = p["STAGES"] * ((m + n) * k * bytes_of_pieces + 16);
        return {m, n, k, items, 1, stages + (span + n) * plain_depth * sizeof(float) + other, 1, stages};
    }

    bool has_instructions(const DeviceProfile& device) const override { return device.compute_capability == 90; }
    std::optional<Guess> guess(const Variant& variant, const DeviceProfile& device) const override
    {
        return gpu_guess(variant.tiling, device, 650);
    }
};

Parameters tensor_tile(std::size_t m, std::size_t stages, std::size_t n = 128)
{
    return {{"TSM", m}, {"TSN", n}, {"TSK", 32}, {"STAGES", stages}, {"GROUP", 8}};
}

// ---- Kernel 19, by mma of bf16 numbers, since the A100

class TensorMma : public SplitAndMultiply {
public:
    bool is_valid(const Parameters& p) const override
    {
        const std::size_t m = p["TSM"], n = p["TSN"], k = p["TSK"];
        return (m == 64 || m == 128) && (n == 64 || n == 128) && n <= m && (k == 16 || k == 32) && p["STAGES"] >= 2 &&
               p["STAGES"] <= 8 && stage_bytes(p) >= n * (m + 8) * sizeof(float) && p["GROUP"] > 0 && p["GROUP"] <= 64;
    }

    // STAGES stages, where they have room for the tile's sums, too; and the tiles of its plain path. Parts of K are
    // multiples of what the image has at a time, whatever a stage has.
    Tiling tiling(const Parameters& p) const override
    {
        const std::size_t m = p["TSM"], n = p["TSN"], stages = stage_bytes(p);
        constexpr std::size_t plain_depth = 8, other = 64; // of which its compiler takes some
        constexpr std::size_t of_opencl = std::size_t{48} << 10;
        const std::size_t local_bytes = stages + (m + n) * plain_depth * sizeof(float) + other;
        return {m, n, split_depth, 2 * n, 1, local_bytes, 1, local_bytes > of_opencl ? stages : 0};
    }

    bool has_instructions(const DeviceProfile& device) const override { return device.compute_capability >= 80; }

    // Not measured on an A100: a good half of the tensor cores' peak there, in proportion to what kernel 13 has of the
    // other. (An H200 has 526.) It pays where bf16 is many times as fast as FP32: on compute capability 8.0, 16 times.
    // On 8.6 and 8.9 it is 2 to 4 times, on 9.0 kernel 14 is faster, of later ones nobody knows. There it is for those who
    // tune.
    std::optional<Guess> guess(const Variant& variant, const DeviceProfile& device) const override
    {
        auto guess = gpu_guess(variant.tiling, device, 550);
        if (guess)
            guess->is_believed = device.compute_capability == 80;
        return guess;
    }

private:
    static std::size_t stage_bytes(const Parameters& p)
    {
        return p["STAGES"] * (p["TSM"] + p["TSN"]) * p["TSK"] * bytes_of_pieces;
    }
};

Parameters mma_tile(std::size_t m, std::size_t n, std::size_t k, std::size_t stages)
{
    return {{"TSM", m}, {"TSN", n}, {"TSK", k}, {"STAGES", stages}, {"GROUP", 8}};
}

} // namespace

std::vector<KernelInfo> split_and_multiply_kernels()
{
    static const auto* const by_wgmma = new TensorCores;
    static const auto* const by_mma = new TensorMma;
    return {{.name = "14_tensor_cores",
             .idea = "three bf16 pieces of each float on Hopper's tensor cores, as accurate as FP32",
             .family = by_wgmma,
             .variants = {tensor_tile(128, 4), tensor_tile(160, 3), tensor_tile(112, 4), tensor_tile(96, 5),
                          tensor_tile(80, 5), tensor_tile(64, 6), tensor_tile(128, 4, 64), tensor_tile(96, 6, 64)}},
            {.name = "19_tensor_mma",
             .idea = "kernel 14's products by mma.sync, on NVIDIA GPUs since the A100",
             .family = by_mma,
             .variants = {mma_tile(128, 64, 16, 2), mma_tile(64, 64, 16, 3), mma_tile(128, 128, 16, 3),
                          mma_tile(128, 128, 32, 3)}}};
}

} // namespace clgemm::core
