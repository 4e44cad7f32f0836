// The families, one row each: family NAME is in NAME.cpp, where NAME_kernels() returns its kernels. Of kernels with equal
// estimates the first one here is taken, so those come first that are made for problems that memory limits.
#pragma once

#include "families/family.hpp"

// clang-format off
#define CLGEMM_FAMILIES(row) \
    row(small_batch) \
    row(shallow) \
    row(skinny)             /* 15 */ \
    row(warp_tiled)         /* 13 */ \
    row(split_and_multiply) /* 14, 19 */ \
    row(tensor_fp16) \
    row(tensor_rounded) \
    row(tensor_direct)      /* 20 */ \
    row(cpu_vector)         /* 18 */ \
    row(cpu_packed)         /* 16 */ \
    row(cpu_fused)          /* 17 */ \
    row(cpu_amx) \
    row(whole_tiles)        /* 1 to 12 */
// clang-format on

namespace clgemm::core {

#define CLGEMM_DECLARE(name) std::vector<KernelInfo> name##_kernels();
CLGEMM_FAMILIES(CLGEMM_DECLARE)
#undef CLGEMM_DECLARE

#define CLGEMM_NAME(name) name##_kernels,
inline constexpr std::vector<KernelInfo> (*families[])() = {CLGEMM_FAMILIES(CLGEMM_NAME)};
#undef CLGEMM_NAME

} // namespace clgemm::core
