// The most FP32 multiplications and additions that a device does: what no kernel of them alone can exceed.
#pragma once

#include <clgemm/clgemm.hpp>

namespace bench {

// Measured, in GFLOP/s: fused multiply-adds on registers, without memory.
double measured_peak(const cl::CommandQueue& queue);

} // namespace bench
