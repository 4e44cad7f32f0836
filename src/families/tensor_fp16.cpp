// Kernels tensor_tf32 and tensor_fast: `split` writes each float of A and B as one fp16 piece or as two, for those who ask
// for less than FP32's accuracy.
#include "families/families.hpp"

#include "families/wgmma_family.hpp"

namespace clgemm::core {

std::vector<KernelInfo> tensor_fp16_kernels()
{
    static const auto* const tf32 = new WgmmaFamily({1, true, {.accuracy = CLGEMM_MATH_TF32}}, 256, 5500);
    static const auto* const fast = new WgmmaFamily({2, true, {.accuracy = CLGEMM_MATH_FAST}}, 256, 1300);
    return {{.name = "tensor_tf32",
             .idea = "one fp16 number of each float on Hopper's tensor cores: 11 bits, as TF32 has",
             .family = tf32,
             .variants = {wgmma_tile(256, 6), wgmma_tile(192, 6), wgmma_tile(128, 8), wgmma_tile(96, 8), wgmma_tile(64, 8),
                          wgmma_tile(128, 8, 64), wgmma_tile(64, 8, 64)},
             .instructions = Instructions::nvidia_wgmma},
            {.name = "tensor_fast",
             .idea = "two fp16 numbers of each float on Hopper's tensor cores: 22 bits",
             .family = fast,
             .variants = {wgmma_tile(256, 4), wgmma_tile(192, 4), wgmma_tile(160, 5), wgmma_tile(128, 6), wgmma_tile(96, 7),
                          wgmma_tile(64, 8), wgmma_tile(128, 6, 64), wgmma_tile(64, 8, 64)},
             .instructions = Instructions::nvidia_wgmma}};
}

} // namespace clgemm::core
