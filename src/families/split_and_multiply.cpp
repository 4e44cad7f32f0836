// Kernels 14 and 19: `split` writes each float of A and B as three bf16 pieces, as accurate as FP32 together.
#include "families/families.hpp"

#include "families/gpu_guess.hpp"
#include "families/wgmma_family.hpp"

namespace clgemm::core {
namespace {

constexpr PieceForm three_of_bf16{3};
constexpr std::size_t image_depth = 32; // images consist of blocks of so much of K

// Kernel 19, by mma of bf16 numbers, since the A100.
class TensorMma : public ImageFamily {
public:
    TensorMma() : ImageFamily(three_of_bf16) {}

    bool is_valid(const Parameters& p) const override
    {
        const std::size_t m = p["TSM"], n = p["TSN"], k = p["TSK"];
        return (m == 64 || m == 128) && (n == 64 || n == 128) && n <= m && (k == 16 || k == 32) && p["STAGES"] >= 2 &&
               p["STAGES"] <= 8 && stage_bytes(p) >= n * (m + 8) * sizeof(float) && p["GROUP"] > 0 && p["GROUP"] <= 64;
    }

    // STAGES stages, which are large enough for the tile's sums, too; and the tiles of its plain path. The depth is that of
    // an image's blocks, of which parts of K are multiples, however deep a stage is.
    Tiling tiling(const Parameters& p) const override
    {
        const std::size_t m = p["TSM"], n = p["TSN"], stages = stage_bytes(p);
        constexpr std::size_t plain_depth = 8, other = 64; // the compiler takes some of `other`
        constexpr std::size_t of_opencl = std::size_t{48} << 10;
        const std::size_t local_bytes = stages + (m + n) * plain_depth * sizeof(float) + other;
        return {m, n, image_depth, 2 * n, 1, local_bytes, 1, local_bytes > of_opencl ? stages : 0};
    }

    // 550 was not measured on an A100. In proportion to kernel 13's number it stands for a good half of the tensor cores'
    // peak there. (An H200 has 526.) The kernel pays where bf16 is many times as fast as FP32: on compute capability 8.0, 16
    // times. On 8.6 and 8.9 it is 2 to 4 times as fast; on 9.0 kernel 14 is faster; later ones are unknown. On all of these
    // the kernel is for those who tune.
    std::optional<Guess> guess(const Variant& variant, const DeviceProfile& device) const override
    {
        auto guess = gpu_guess(variant.tiling, device, 550);
        if (guess)
            guess->is_believed = device.compute_capability == 80;
        return guess;
    }

private:
    std::size_t stage_bytes(const Parameters& p) const
    {
        return p["STAGES"] * (p["TSM"] + p["TSN"]) * p["TSK"] * bytes_of_pieces();
    }
};

Parameters mma_tile(std::size_t m, std::size_t n, std::size_t k, std::size_t stages)
{
    return {{"TSM", m}, {"TSN", n}, {"TSK", k}, {"STAGES", stages}, {"GROUP", 8}};
}

} // namespace

std::vector<KernelInfo> split_and_multiply_kernels()
{
    static const auto* const by_wgmma = new WgmmaFamily(three_of_bf16, 160, 650);
    static const auto* const by_mma = new TensorMma;
    return {{.name = "14_tensor_cores",
             .idea = "three bf16 pieces of each float on Hopper's tensor cores, as accurate as FP32",
             .family = by_wgmma,
             .variants = {wgmma_tile(128, 4), wgmma_tile(160, 3), wgmma_tile(112, 4), wgmma_tile(96, 5), wgmma_tile(80, 5),
                          wgmma_tile(64, 6), wgmma_tile(128, 4, 64), wgmma_tile(96, 6, 64)},
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
