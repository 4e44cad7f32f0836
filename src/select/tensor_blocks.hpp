// The images of A and B that kernels 14 and 19 multiply (kernels/split.cl), and in which blocks of C their memory suffices.
#pragma once

#include "kernels/registry.hpp"

#include <cstddef>
#include <optional>

namespace clgemm::core {

// The blocks that one work-group of `split` takes, as kernels/split.cl has them.
constexpr std::size_t split_rows = 128, split_depth = 32;

// What `split` writes of an operand: its image of so many rows, in whole tiles, and the ranges of its blocks.
struct TensorImage {
    std::size_t rows, row_floats;           // of the image
    std::size_t range_blocks, range_depths; // how many there are of rows and of K
};
TensorImage tensor_image(std::size_t rows, std::size_t k, std::size_t tile);

// The part of C that one multiplication computes.
struct TensorBlocks {
    std::size_t m, n;
};

// Of the images of A and B for such a block, at most.
double tensor_bytes(const TensorBlocks& blocks, std::size_t k, const Tiling& tiling);

// All of C, if the images of A and B need no more than `bytes`, else blocks of whole tiles; none if not even tiles fit, or
// if there would be too many blocks.
std::optional<TensorBlocks> tensor_blocks(std::size_t m, std::size_t n, std::size_t k, const Tiling& tiling, double bytes);

} // namespace clgemm::core
