// Computes the products of a batch in groups, one after the other, where memory does not hold all of them at a time.
#pragma once

#include "engine/request.hpp"
#include "host/incomplete.hpp"
#include "problem/problem.hpp"

#include <algorithm>
#include <exception>

namespace clgemm::core {

// Throws CLGEMM_INCOMPLETE. For failures after some of the products have been computed.
[[noreturn]] inline void fail_incomplete(const std::exception& failure)
{
    throw_incomplete("some products of the batch were computed, then one failed: ", failure);
}

// Calls work(problem, request) for each group of at most `most` products. Where one after the first group fails, throws
// CLGEMM_INCOMPLETE. A workspace of the caller's is as large as the query said for all products in one piece, so several
// groups do not get it.
template <typename Work> void in_groups(const Problem& problem, std::size_t most, const Request& request, const Work& work)
{
    const std::size_t count = problem.batch.count;
    Request for_group = request;
    if (most < count)
        for_group.workspace = nullptr;
    for (std::size_t first = 0; first < count; first += most) {
        try {
            work(products_of(problem, first, std::min(most, count - first)), for_group);
        } catch (const std::exception& failure) {
            if (first == 0)
                throw;
            fail_incomplete(failure);
        }
        if (count - first <= most)
            return;
    }
}

} // namespace clgemm::core
