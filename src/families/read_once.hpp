// What kernels for GPUs wait for: operands of which no other tile reads the same elements. These come from memory, later
// than in the steps that are loaded ahead.
#pragma once

#include "families/family.hpp"
#include "families/multiplication.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>

namespace clgemm::core {

// Bytes that a call finds in the cache which it has read and written before. (Of the 50 MB of Hopper's second-level cache:
// on an H200, calls of 34 MB that come again wait for nothing.)
constexpr double cached_between_calls = 40e6;

// About the most of such an operand for which a call was seen to wait (docs/notes/tuning.md). If it is less, a call may go
// to another kernel for nothing; if it were assumed to be less, a call might take longer than it does in FP32 alone.
constexpr double most_waited_for = 2.0 / 3;

// Of the multiplication in this outline, `read_once` bytes are such. `all`: what it reads and writes altogether.
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

// The same where each tile waits for so much of K of what no other tile reads, but at most for that share of an operand. The
// problem is the one that the kernel computes.
inline void wait_for_first_steps(Outline& outline, const Problem& problem, const Tiling& tile, const Way& way,
                                 double waited_for, double most)
{
    const double a = bytes_of(problem, problem.a), b = bytes_of(problem, problem.b);
    const double read_once = (problem.n <= tile.n ? a : 0) + (problem.m <= tile.m ? b : 0);
    const auto depth = static_cast<double>(divide_up(problem.k, way.split_k));
    wait_for_what_is_read_once(outline, read_once, a + b + bytes_of(problem, problem.c), std::min(most, waited_for / depth));
}

} // namespace clgemm::core
