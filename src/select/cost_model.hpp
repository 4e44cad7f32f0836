// How long a way of computing a problem would take, estimated from what was measured of the device.
#pragma once

#include "device/profile.hpp"
#include "problem/problem.hpp"
#include "tuning/tuning.hpp"

namespace clgemm::core {

// What a selection is free to choose besides kernel and parameters.
struct Way {
    bool copy_a = false, copy_b = false; // first into the workspace, so that memory runs along M (N), aligned
    std::size_t splits = 1;              // of K; their sums are added by one more step
    bool exchanged = false;              // C' = op(B)' op(A)': for kernels of few columns, and kernel 20
    // C in blocks of this size, one after the other, for want of memory for the pieces of all; 0: all at once.
    std::size_t block_m = 0, block_n = 0;
};

// What the compute unit that has the most to do computes at the same time, and in how many steps of Tiling::k: work-groups,
// or, where one is a block of many tiles, these. Of several waves of work-groups the last one counts as full.
struct Load {
    double per_unit;
    std::size_t steps;
};
Load load_of(const Problem& problem, const DeviceProfile& device, const KernelInfo& kernel, const Parameters& parameters,
             const Tiling& tiling, const Way& way);

// Of the whole call, in ns. `tiling`: of what was measured; it takes longer to find than all the rest here.
double estimate(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const Measurement& measurement,
                const Tiling& tiling, const Way& way);

} // namespace clgemm::core
