// How a kernel for CPUs divides C among the compute units: in blocks as even as can be, since the slowest unit counts.
#pragma once

#include "kernels/registry.hpp"
#include "problem/problem.hpp"

namespace clgemm::core {

struct CpuBlocks {
    std::size_t m = 0, n = 0; // rows and columns of a work-group's block
    std::size_t k = 0;        // depth of its part of K
    // The register tiles of the compute unit that has the most to do; packing and whatever else grows with K counts as so
    // many more tiles.
    double tiles_per_unit = 0;
};

// `splits` parts of K, or fewer if they would be too shallow. `problem` as the kernel computes it (see Way::exchanged). Not
// for Scheme::tiles.
CpuBlocks cpu_blocks(const KernelInfo& kernel, const Parameters& parameters, const Problem& problem, std::size_t splits,
                     std::size_t compute_units);

} // namespace clgemm::core
