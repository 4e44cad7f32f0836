// Devices and problems that tests make up.
#pragma once

#include "device/instructions.hpp"
#include "device/profile.hpp"
#include "problem/problem.hpp"

#include <utility>

namespace clgemm::test {

inline core::DeviceProfile large_gpu()
{
    core::DeviceProfile device;
    device.name = "made-up GPU";
    device.type = core::DeviceType::gpu;
    device.compute_units = 132;
    device.max_work_group_size = 1024;
    device.max_work_item_sizes = {1024, 1024, 64};
    device.local_memory = 48 << 10;
    device.registers = 256;
    device.global_memory = std::size_t{1} << 36;
    device.max_allocation = std::size_t{1} << 34;
    return device;
}

// The same from NVIDIA's Hopper generation: it runs every kernel.
inline core::DeviceProfile hopper_gpu()
{
    core::DeviceProfile device = large_gpu();
    device.name = "made-up Hopper GPU";
    device.driver_version = "580.159.04";
    device.nvidia_ptx = true;
    device.compute_capability = 90;
    device.retargeted_local_memory = std::size_t{227} << 10;
    device.instructions = core::find_instructions(device);
    return device;
}

// An NVIDIA GPU of this compute capability, from the A100's generation: 80, or 86 and 89.
inline core::DeviceProfile ampere_gpu(unsigned compute_capability = 80)
{
    core::DeviceProfile device = large_gpu();
    device.name = "made-up Ampere GPU";
    device.driver_version = "580.159.04";
    device.compute_units = 108;
    device.nvidia_ptx = true;
    device.compute_capability = compute_capability;
    device.retargeted_local_memory = std::size_t{compute_capability == 80 ? 163U : 99U} << 10;
    device.instructions = core::find_instructions(device);
    return device;
}

inline core::DeviceProfile small_gpu()
{
    core::DeviceProfile device = large_gpu();
    device.name = "made-up small GPU";
    device.max_work_group_size = 64;
    device.local_memory = 16 << 10;
    return device;
}

// The least that OpenCL allows, nearly.
inline core::DeviceProfile tiny_gpu()
{
    core::DeviceProfile device = large_gpu();
    device.name = "made-up tiny GPU";
    device.compute_units = 1;
    device.max_work_group_size = 1;
    device.max_work_item_sizes = {1, 1, 1};
    device.local_memory = 1 << 10;
    return device;
}

inline core::DeviceProfile made_up_cpu()
{
    core::DeviceProfile device = large_gpu();
    device.name = "made-up CPU";
    device.type = core::DeviceType::cpu;
    device.compute_units = 2;
    device.max_work_group_size = 4096;
    device.max_work_item_sizes = {4096, 4096, 4096};
    device.local_memory = 1 << 20;
    return device;
}

// The same with AMX tiles.
inline core::DeviceProfile cpu_with_tiles()
{
    core::DeviceProfile device = made_up_cpu();
    device.name = "made-up CPU with tiles";
    device.vector_width = 16;
    device.tiles = core::Tiles::amx;
    device.instructions = core::find_instructions(device);
    return device;
}

// Column-major, without gaps or offsets; alpha = 1, beta = 0.
inline core::Arguments arguments(std::size_t m, std::size_t n, std::size_t k, clgemm_transpose trans_a = CLGEMM_NO_TRANS,
                                 clgemm_transpose trans_b = CLGEMM_NO_TRANS)
{
    const std::size_t lda = trans_a == CLGEMM_NO_TRANS ? m : k;
    const std::size_t ldb = trans_b == CLGEMM_NO_TRANS ? k : n;
    const auto at_least_1 = [](std::size_t ld) { return ld == 0 ? std::size_t{1} : ld; };
    return {CLGEMM_COLUMN_MAJOR, trans_a, trans_b, m, n, k, 1, 0, at_least_1(lda), 0, at_least_1(ldb), 0, 0, at_least_1(m)};
}

inline core::Problem problem(std::size_t m, std::size_t n, std::size_t k, clgemm_transpose trans_a = CLGEMM_NO_TRANS,
                             clgemm_transpose trans_b = CLGEMM_NO_TRANS)
{
    return core::make_problem(arguments(m, n, k, trans_a, trans_b));
}

// All different: offsets, gaps, sizes, alpha and beta.
inline core::Arguments uneven(std::size_t m, std::size_t n, std::size_t k, clgemm_transpose trans_a = CLGEMM_NO_TRANS,
                              clgemm_transpose trans_b = CLGEMM_NO_TRANS)
{
    core::Arguments x = arguments(m, n, k, trans_a, trans_b);
    x.alpha = 2;
    x.beta = 0.5f;
    x.offset_a = 3;
    x.offset_b = 5;
    x.offset_c = 7;
    x.lda += 1;
    x.ldb += 2;
    x.ldc += 4;
    return x;
}

// The column-major call that multiplies the same memory as this row-major one, if its first buffer is B: C' = op(B)' op(A)'.
inline core::Arguments as_column_major(const core::Arguments& row_major)
{
    core::Arguments result = row_major;
    result.layout = CLGEMM_COLUMN_MAJOR;
    std::swap(result.m, result.n);
    std::swap(result.trans_a, result.trans_b);
    std::swap(result.offset_a, result.offset_b);
    std::swap(result.lda, result.ldb);
    return result;
}

} // namespace clgemm::test
