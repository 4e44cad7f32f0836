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
    bool exchanged = false;              // C' = op(B)' op(A)': for kernels of few columns
};

// Of the whole call, in ns. With more than one wave of work-groups the last one counts as full.
double estimate(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const Measurement& measurement,
                const Tiling& tiling, const Way& way);

} // namespace clgemm::core
