// What kernels for GPUs wait for: operands of which no other tile reads the same elements. These come from memory, later
// than in the steps that are loaded ahead.
#pragma once

#include "families/family.hpp"

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

} // namespace clgemm::core
