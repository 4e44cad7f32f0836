// What the kernels that multiply images by wgmma have in common (14, tensor_tf32, tensor_fast); wgmma is Hopper's alone. And
// the tile sizes that they share with another kernel by wgmma (tensor_rounded).
#pragma once

#include "families/image_family.hpp"

namespace clgemm::core {

class WgmmaFamily : public ImageFamily {
public:
    // `most_rows`: the most rows of a tile that a work-group computes in two halves.
    WgmmaFamily(const PieceForm& form, std::size_t most_rows, double flops_per_ns)
        : ImageFamily(form), most_rows_(most_rows), flops_per_ns_(flops_per_ns)
    {
    }

    bool is_valid(const Parameters& parameters) const override;
    Tiling tiling(const Parameters& parameters) const override;
    std::optional<Guess> guess(const Variant& variant, const DeviceProfile& device) const override;

private:
    std::size_t most_rows_;
    double flops_per_ns_;
};

Parameters wgmma_tile(std::size_t m, std::size_t stages, std::size_t n = 128);
// Can kernels by wgmma be built for such a tile? (kernels/tensor_stages.clh)
bool is_wgmma_tile(const Parameters& parameters, std::size_t most_rows, std::size_t most_stages);
// How many rows of a tile are multiplied at a time.
std::size_t wgmma_span(std::size_t rows);

} // namespace clgemm::core
