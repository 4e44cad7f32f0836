// A problem in parts, each a problem of its own, one after the other in the same workspace: blocks of C, where memory does
// not hold the temporaries of all of it, and the products of a batch, one by one or as many as a kernel computes at once.
#pragma once

#include "problem/problem.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>

namespace clgemm::core {

// The most products of a batch that a launch has in dimension 2: CUDA's GPUs have no more work-groups there.
constexpr std::size_t most_products_at_once = 65535;

// The size of a block of C; 0: all of C.
struct Blocks {
    std::size_t m = 0, n = 0;

    bool operator==(const Blocks&) const = default;
};

struct Part {
    Problem problem;
    // The part before had the same B. What it made of B in the workspace is still there, provided that this lies at the
    // workspace's beginning.
    bool b_is_as_before = false;
};

// How many parts there are. Each has at most `at_once` products.
inline std::size_t part_count(const Problem& problem, const Blocks& blocks, std::size_t at_once = 1)
{
    const std::size_t of_c =
        blocks.m == 0 ? 1 : saturating_product(divide_up(problem.m, blocks.m), divide_up(problem.n, blocks.n));
    return saturating_product(of_c, divide_up(problem.batch.count, at_once));
}

// The first part. No other one is larger.
inline Problem first_part(const Problem& problem, const Blocks& blocks, std::size_t at_once = 1)
{
    const Problem products = products_of(problem, 0, std::min(at_once, problem.batch.count));
    return blocks.m == 0 ? products : block_of(products, 0, std::min(blocks.m, problem.m), 0, std::min(blocks.n, problem.n));
}

// Calls visit(part) for each part: product by product, or `at_once` products at a time. Blocks of C that lie below one
// another follow one another, since they share B.
template <typename Visit>
void for_each_part(const Problem& problem, const Blocks& blocks, std::size_t at_once, const Visit& visit)
{
    const std::size_t m = blocks.m == 0 ? problem.m : blocks.m, n = blocks.m == 0 ? problem.n : blocks.n;
    const std::size_t count = problem.batch.count;
    for (std::size_t index = 0; index < count; index += std::min(at_once, count - index)) {
        const Problem products = products_of(problem, index, std::min(at_once, count - index));
        const bool shares_b = index > 0 && problem.b.distance == 0 && n >= problem.n;
        for (std::size_t col = 0; col < problem.n; col += n)
            for (std::size_t row = 0; row < problem.m; row += m)
                visit(Part{block_of(products, row, std::min(m, problem.m - row), col, std::min(n, problem.n - col)),
                           row > 0 || shares_b});
    }
}

} // namespace clgemm::core
