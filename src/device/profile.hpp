// What a call runs on: the facts about a device that selection and kernels depend on. Plain data, so that tests can invent
// devices.
#pragma once

#include "device/instruction_list.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace clgemm::core {

enum class DeviceType { cpu, gpu, accelerator };

// How lanes of a warp (sub-group) exchange registers; the values are kernel parameters (08_device_specific.cl).
enum class Shuffle { none = 0, nvidia_ptx = 1, khr_subgroup_shuffle = 2, intel_subgroups = 3 };

// Where a kernel for CPUs gets its tiles, which are registers of 16 x 16 words (kernels/amx_tiles.clh). The values are a
// parameter of the kernel.
enum class Tiles { none = 0, amx = 1, model = 2 };

// What kernels use by inline assembly (device/instructions.hpp).
#define CLGEMM_NAME(name, words, is_there) name,
enum class Instructions : unsigned { none, CLGEMM_INSTRUCTIONS(CLGEMM_NAME) };
#undef CLGEMM_NAME

class InstructionSet {
public:
    void add(Instructions instructions) { bits_ |= 1U << static_cast<unsigned>(instructions); }
    bool has(Instructions instructions) const { return (bits_ >> static_cast<unsigned>(instructions) & 1U) != 0; }

private:
    unsigned bits_ = 1; // every device has Instructions::none
};

struct DeviceProfile {
    std::string name, vendor, driver_version;
    std::string platform_name, platform_version;
    DeviceType type = DeviceType::gpu;
    std::size_t compute_units = 1;
    std::size_t max_work_group_size = 1;
    std::array<std::size_t, 3> max_work_item_sizes{1, 1, 1};
    std::size_t local_memory = 0;   // bytes per work-group
    std::size_t global_memory = 0;  // bytes
    std::size_t max_allocation = 0; // bytes in one buffer
    std::size_t cache = 0; // bytes of the largest cache before global memory; of a CPU, its cores' share of it; 0: not known
    bool shares_host_memory = false; // what the host has in memory need not be copied
    std::size_t vector_width = 1;    // floats in a native vector
    std::size_t clock_mhz = 0;       // the highest; 0: the driver does not say
    // The same for all devices that compute in the same way: "sm_90", "gfx90a", "AMD family 26". Empty: not known.
    std::string architecture;
    std::size_t registers = 128;     // of 32 bits, that a work-item of a GPU may have
    bool nvidia_ptx = false;         // inline PTX works
    unsigned compute_capability = 0; // of an NVIDIA GPU: 90 for 9.0
    bool takes_x86_assembly = false; // inline assembly works, if the processor is an x86
    Tiles tiles = Tiles::none;       // device/tiles.hpp
    InstructionSet instructions;     // that OpenCL does not tell of
    Shuffle shuffle = Shuffle::none;
    std::size_t sub_group = 0;         // work-items that kernels ask to run in step; 0: as the compiler likes
    std::string language = "CL1.2";    // of OpenCL C, in which programs are built here, as -cl-std takes it
    bool keeps_programs = false;       // the driver itself keeps compiled programs between processes
    bool gives_assembly_away = true;   // the driver can return the binary of a program with inline assembly
    bool builds_one_at_a_time = false; // threads must not build programs at once
    bool compiles_at_launch = false;   // most of a kernel is compiled when it is first launched
    // Floats round to nearest, and there are subnormal numbers, infinities and NaN. (Then fma() is exact, as OpenCL has it.)
    bool has_ieee_floats = true;
    // Its compiler makes one instruction of a * b + c, while fma() is slow or does not exist.
    bool contracts_instead_of_fma = false;
    // Bytes per work-group that a retargeted program (execute/retarget.hpp) may have; 0: none can be retargeted.
    std::size_t retargeted_local_memory = 0;

    // Some kernels come for vectors of 16, 8 and 4 floats. This is the widest that a native vector holds, or 4.
    std::size_t vector_of_kernels() const { return vector_width >= 16 ? 16 : vector_width >= 8 ? 8 : 4; }

    // Bytes that the library takes for temporaries, and keeps for them between calls, where nobody says how many.
    std::size_t memory_for_temporaries() const { return global_memory / 8; }
};

const char* to_string(DeviceType type);

// DeviceProfile::architecture (of a GPU) and registers, by the rest of the profile.
std::string architecture_of(const DeviceProfile& device);
std::size_t registers_of(const DeviceProfile& device);

} // namespace clgemm::core
