// The kernels that each family's file brings into the registry.
#pragma once

#include "families/family.hpp"

namespace clgemm::core {

std::vector<KernelInfo> whole_tiles_kernels();        // 1 to 12
std::vector<KernelInfo> warp_tiled_kernels();         // 13
std::vector<KernelInfo> skinny_kernels();             // 15
std::vector<KernelInfo> split_and_multiply_kernels(); // 14, 19
std::vector<KernelInfo> tensor_direct_kernels();      // 20
std::vector<KernelInfo> cpu_packed_kernels();         // 16
std::vector<KernelInfo> cpu_fused_kernels();          // 17
std::vector<KernelInfo> cpu_vector_kernels();         // 18

} // namespace clgemm::core
