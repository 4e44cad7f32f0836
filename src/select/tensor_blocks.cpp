#include "select/tensor_blocks.hpp"

#include "support/arithmetic.hpp"

#include <cstdint>

namespace clgemm::core {
namespace {

constexpr std::size_t bytes_of_pieces = 3 * sizeof(std::uint16_t); // of one element
// Each is two launches. (Operands that the device holds need fewer, unless the workspace is limited to very little.)
constexpr double most_blocks = 4096;

// Of absurd sizes they are more than 64 bits count.
double bytes_of(const TensorImage& image)
{
    constexpr double alignment = 256; // of each matrix in the workspace
    const auto product = [](std::size_t rows, std::size_t cols) {
        return static_cast<double>(rows) * static_cast<double>(cols) * sizeof(float);
    };
    return product(image.rows, image.row_floats) + product(image.range_blocks, image.range_depths) + 2 * alignment;
}

} // namespace

TensorImage tensor_image(std::size_t rows, std::size_t k, std::size_t tile)
{
    const std::size_t image_rows = round_up(rows, tile);
    const std::size_t blocks = divide_up(image_rows, split_rows), depths = divide_up(k, split_depth);
    return {image_rows, depths * (split_depth * bytes_of_pieces / sizeof(float)), blocks, depths};
}

double tensor_bytes(const TensorBlocks& blocks, std::size_t k, const Tiling& tiling)
{
    return bytes_of(tensor_image(blocks.m, k, tiling.m)) + bytes_of(tensor_image(blocks.n, k, tiling.n));
}

std::optional<TensorBlocks> tensor_blocks(std::size_t m, std::size_t n, std::size_t k, const Tiling& tiling, double bytes)
{
    TensorBlocks blocks{m, n};
    while (tensor_bytes(blocks, k, tiling) > bytes) {
        // The longer side is halved, so that blocks become squares, which make the most of what they read.
        const bool halve_m = blocks.m >= blocks.n ? blocks.m > tiling.m : blocks.n <= tiling.n;
        std::size_t& side = halve_m ? blocks.m : blocks.n;
        const std::size_t tile = halve_m ? tiling.m : tiling.n;
        if (side <= tile)
            return std::nullopt;
        side = round_up(divide_up(side, 2), tile);
    }
    const double count = static_cast<double>(divide_up(m, blocks.m)) * static_cast<double>(divide_up(n, blocks.n));
    return count <= most_blocks ? std::optional(blocks) : std::nullopt;
}

} // namespace clgemm::core
