// The most FP32 multiplications and additions that a device does in a second: no kernel that uses these alone can exceed it.
#pragma once

#include <clgemm/clgemm.hpp>

namespace bench {

// Measured, in GFLOP/s: fused multiply-adds on registers, without memory.
double measured_peak(const cl::CommandQueue& queue);

} // namespace bench
