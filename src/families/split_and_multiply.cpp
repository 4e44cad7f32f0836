// Kernels 14 and 19: `split` writes each float of A and B as three bf16 pieces, into images; then tensor cores multiply
// these, a tile of C for each work-group, from all of K or a part of it.
#include "families/families.hpp"

#include "families/gpu_guess.hpp"
#include "families/multiplication.hpp"
#include "families/operands.hpp"
#include "families/read_once.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>
#include <cstdint>

namespace clgemm::core {
namespace {

// As kernels/split.cl has them: what one of its work-groups takes, and its work-items.
constexpr std::size_t split_rows = 128, split_depth = 32, split_items = 256;
constexpr std::size_t bytes_of_pieces = 3 * sizeof(std::uint16_t); // of one element

// An operand's image and the ranges of its blocks, which lie in one buffer.
struct Pieces {
    kernel_arguments::Image image;
    Memory memory;

    std::size_t groups() const { return divide_up(image.rows, split_rows); } // that split it, for each split_depth of K
};

Pieces place_pieces(const Matrix& operand, std::size_t rows, std::size_t k, std::size_t tile, WorkspaceLayout& workspace)
{
    const std::size_t image_rows = round_up(rows, tile), depths = divide_up(k, split_depth);
    const Matrix image =
        workspace.place_for(operand, image_rows, saturating_product(depths, split_depth * bytes_of_pieces / sizeof(float)));
    const Matrix ranges = workspace.place_for(operand, divide_up(image_rows, split_rows), depths);
    return {{image.offset, image_rows, ranges.offset}, image.memory};
}

struct Images {
    Pieces a, b;
};

// B's lies first: it serves all blocks of C that lie below one another, the last of which may need less of A.
Images place_images(const Problem& problem, const Tiling& tiling, WorkspaceLayout& workspace)
{
    const auto b = place_pieces(problem.b, problem.n, problem.k, tiling.n, workspace);
    return {place_pieces(problem.a, problem.m, problem.k, tiling.m, workspace), b};
}

class SplitAndMultiply : public Family {
public:
    Arithmetic computes(const Arithmetic&) const override { return {.accuracy = CLGEMM_MATH_DEFAULT}; }

    std::vector<Way> ways(const Problem& problem, const DeviceProfile&, const Variant& variant) const override
    {
        std::vector<Way> result;
        add_split_k_ways(result, {}, problem, variant.tiling);
        return result;
    }
    bool computes_in_blocks() const override { return true; }

    Outline outline(const Problem& problem, const DeviceProfile& device, const Variant& variant,
                    const Way& way) const override
    {
        WorkspaceLayout workspace;
        place_images(problem, variant.tiling, workspace);
        const SplitK parts = split_k(problem, way.split_k, variant.tiling.k, workspace);
        Outline result;
        result.workspace_bytes = workspace.bytes();
        double split = 0;
        for (const Matrix* const operand : {&problem.a, &problem.b})
            split += operand->prepared ? 0 : 2.5 * bytes_of(*operand); // three pieces of half the length
        if (split > 0)
            result.launches.push_back({split});
        add_multiplication(result, problem, parts, load_of_tiles(problem, device, variant.tiling, parts));
        add_kept_images(result, problem, variant.tiling);
        return result;
    }

    void plan(PlanBuilder& builder, const Problem& problem, const Variant& variant, const Way& way) const override
    {
        const Images images = place_images(problem, variant.tiling, builder.workspace);
        const SplitK split = split_k(problem, way.split_k, variant.tiling.k, builder.workspace);
        if (problem.a.prepared || problem.b.prepared || builder.b_is_as_before()) {
            builder.add_making(problem.a, split_of_a(problem, images.a));
            if (problem.b.prepared || !builder.b_is_as_before())
                builder.add_making(problem.b, split_of_b(problem, images.b));
        } else {
            builder.add(split_of_both(problem, images));
        }
        Step step = multiplication_step(variant, problem, split, "");
        step.buffers.insert(step.buffers.end(), {images.a.memory, images.b.memory});
        step.arguments = ArgumentBytes(
            kernel_arguments::ImageMultiplication{multiplication(problem, split), images.a.image, images.b.image});
        builder.add(std::move(step));
        add_sum_of_parts(builder, problem, split);
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
    // An image that this call writes is mostly in the cache when it is multiplied. One that is kept comes from memory, three
    // pieces of half a float's length.
    static void add_kept_images(Outline& outline, const Problem& problem, const Tiling& tiling)
    {
        const double a = problem.a.prepared ? 1.5 * bytes_of(problem.a) : 0;
        const double b = problem.b.prepared ? 1.5 * bytes_of(problem.b) : 0;
        for (Outline::Launch& launch : outline.launches)
            if (launch.load.steps > 0)
                launch.bytes += (a + b) / 3; // beside the floats' own length
        wait_for_what_is_read_once(outline, (problem.n <= tiling.n ? a : 0) + (problem.m <= tiling.m ? b : 0), a + b);
    }

    // Of one operand alone: nothing that makes its image depends on the other one.
    static Step split_of_a(const Problem& problem, const Pieces& a)
    {
        return split_step("split A", {problem.a.memory, problem.a.memory, a.memory},
                          {problem.m, 0, problem.k, strided(problem.a), {}, a.image, {}, a.groups(), a.groups()});
    }
    static Step split_of_b(const Problem& problem, const Pieces& b)
    {
        return split_step("split B", {problem.b.memory, problem.b.memory, b.memory},
                          {0, problem.n, problem.k, {}, strided(problem.b), {}, b.image, 0, b.groups()});
    }
    static Step split_of_both(const Problem& problem, const Images& images)
    {
        const auto& [a, b] = images;
        return split_step("split A and B", {problem.a.memory, problem.b.memory, a.memory},
                          {problem.m, problem.n, problem.k, strided(problem.a), strided(problem.b), a.image, b.image,
                           a.groups(), a.groups() + b.groups()});
    }
    static Step split_step(const char* purpose, std::vector<Memory> buffers, const kernel_arguments::Splitting& arguments)
    {
        Step step;
        step.purpose = purpose;
        step.source = &kernel_source("split");
        step.function = "split";
        step.groups = {arguments.groups * divide_up(arguments.K, split_depth), 1, 1};
        step.group_size = {split_items, 1};
        step.buffers = std::move(buffers);
        step.arguments = ArgumentBytes(arguments);
        return step;
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
                          tensor_tile(80, 5), tensor_tile(64, 6), tensor_tile(128, 4, 64), tensor_tile(96, 6, 64)},
             .instructions = Instructions::nvidia_wgmma},
            {.name = "tensor_mma",
             .idea = "kernel 14's products by mma.sync, on NVIDIA GPUs since the A100",
             .family = by_mma,
             .variants = {mma_tile(128, 64, 16, 2), mma_tile(64, 64, 16, 3), mma_tile(128, 128, 16, 3),
                          mma_tile(128, 128, 32, 3)},
             .instructions = Instructions::nvidia_mma_bf16,
             .former_name = "19_tensor_mma"}};
}

} // namespace clgemm::core
