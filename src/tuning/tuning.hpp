// What was measured of a device: which kernels are worth considering there, and how long their work-groups take. The cost
// model (select/cost_model.hpp) turns it into estimates for any problem.
#pragma once

#include "kernels/registry.hpp"
#include "problem/problem.hpp"

#include <string>
#include <utility>
#include <vector>

namespace clgemm::core {

// How the operands of a multiplication lie in memory, as two letters: A's and B's. As BLAS has it, N is not transposed and T
// transposed; n and t are N and T for an operand whose memory runs along M (N) but is not aligned for vectors of four.
//   A: N, n along M; T along K.   B: T, t along N; N along K.
std::string operand_letters(const Problem& problem);

// One kernel in one size, on operands that lie in one way.
struct Measurement {
    const KernelInfo* kernel = nullptr;
    Parameters parameters;
    std::string operands; // operand_letters(); empty: holds for all
    // What a call takes besides the steps below, in ns.
    double start_ns = 0;
    // Work-groups on each compute unit, and the time in ns in which all of them advance by Tiling::k; ascending. Few
    // work-groups wait for memory most of the time, many compete: the curve holds both.
    std::vector<std::pair<double, double>> step_ns;
};

struct Tuning {
    std::string origin;      // for people: where it comes from
    double launch_ns = 3000; // what one more launch adds to a call
    double bytes_per_ns = 1; // from and to global memory
    std::vector<Measurement> measurements;
};

} // namespace clgemm::core
