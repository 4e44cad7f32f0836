// Whether kernels can use AMX tiles on a device. OpenCL does not tell.
#pragma once

#include "device/profile.hpp"
#include "support/opencl.hpp"

namespace clgemm::core {

// What the processor and the operating system say (kernels/permit_tiles.cl).
struct TilesAnswer {
    bool are_there = false; // the processor has them, and the operating system saves them
    long permission = 1;    // 0: the process may use them; an error's number made negative; 1: Linux was not asked
};

// Runs a kernel on the device, which must be a CPU whose OpenCL C takes inline assembly. Where there are tiles, it asks
// Linux for the permission to use them, which then holds for the whole process: from then on signal stacks must have room
// for tiles (docs/cpu.md). Throws cl::Error where the kernel cannot be built or run.
TilesAnswer ask_for_tiles(const cl::Device& device);

// DeviceProfile::tiles, when the rest of the profile is known. With CLGEMM_AMX=0 or =model no device is asked. Where a CPU
// has tiles that cannot be used, the log says why.
Tiles find_tiles(const cl::Device& device, const DeviceProfile& profile);

} // namespace clgemm::core
