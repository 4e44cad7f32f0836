// Instructions that kernels use by inline assembly. OpenCL does not tell whether a device has them. One row each: a name,
// words for people, and a condition that is true where `device` (a DeviceProfile whose other members are known) has them.
//
// (Before 570, which is CUDA 12.8, drivers refuse a tensor map that a kernel makes, or take its pitch in other units. Before
// 470, which is CUDA 11.4, they do not know copies that bring whole lines to the second-level cache. docs/drivers.md has
// both.)
#pragma once

// clang-format off
#define CLGEMM_INSTRUCTIONS(row) \
    row(intel_amx, "AMX tiles for bf16, which Intel's CPUs have since Sapphire Rapids, and PoCL", device.tiles != Tiles::none) \
    row(nvidia_async_copy, "asynchronous copies to local memory, which NVIDIA's GPUs have since the A100 and their drivers since 470", \
        device.compute_capability >= 80 && nvidia_driver(device) >= 470) \
    row(nvidia_mma_bf16, "tensor cores for bf16, which NVIDIA's GPUs have since the A100", device.compute_capability >= 80) \
    row(nvidia_wgmma, "Hopper's tensor cores", device.compute_capability == 90) \
    row(nvidia_tensor_maps, "Hopper's tensor cores, and tensor maps as NVIDIA's drivers take them since 570", \
        device.compute_capability == 90 && nvidia_driver(device) >= 570)
// clang-format on
