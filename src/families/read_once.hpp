// Operands of which no other tile reads the same elements. Kernels for GPUs wait for these: they come from memory, which
// takes longer than the steps that are loaded ahead.
#pragma once

#include "families/family.hpp"
#include "families/multiplication.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>

namespace clgemm::core {

// A call that moves no more bytes than these finds them in the cache if the same call was made before. (Hopper's
// second-level cache has 50 MB. On an H200, calls of 34 MB that come again wait for nothing.)
constexpr double cached_between_calls = 40e6;

// About the largest share of such an operand for which a call was seen to wait (docs/notes/tuning.md). Where the share is
// smaller in truth, a call may go to another kernel for nothing. If a smaller one were assumed, a call might take longer
// than it does in FP32 alone.
constexpr double most_waited_for = 2.0 / 3;

// Moves a share of `read_once` to the bytes that the multiplication waits for. `read_once`: the bytes of such operands.
// `all`: what the multiplication reads and writes altogether.
inline void wait_for_what_is_read_once(Outline& outline, double read_once, double all,
                                       double share_waited_for = most_waited_for)
{
    if (all <= cached_between_calls)
        return;
    for (Outline::Launch& launch : outline.launches)
        if (launch.load.steps > 0) {
            launch.bytes -= share_waited_for * read_once;
            launch.bytes_first += share_waited_for * read_once;
        }
}

// The same where each tile waits for the first `waited_for` of K of such operands, but at most for the share `most` of one.
// `problem`: as the kernel computes it.
inline void wait_for_first_steps(Outline& outline, const Problem& problem, const Tiling& tile, const Way& way,
                                 double waited_for, double most)
{
    const double a = bytes_of(problem, problem.a), b = bytes_of(problem, problem.b);
    const double read_once = (problem.n <= tile.n ? a : 0) + (problem.m <= tile.m ? b : 0);
    const auto depth = static_cast<double>(divide_up(problem.k, way.split_k));
    wait_for_what_is_read_once(outline, read_once, a + b + bytes_of(problem, problem.c), std::min(most, waited_for / depth));
}

} // namespace clgemm::core
