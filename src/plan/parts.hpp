// A product in parts, each a product of its own, one after the other in the same workspace: blocks of C, where memory does
// not hold the temporaries of all of it, and the products of a batch.
#pragma once

#include "problem/problem.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>

namespace clgemm::core {

// The size of a block of C; 0: all of C.
struct Blocks {
    std::size_t m = 0, n = 0;

    bool operator==(const Blocks&) const = default;
};

struct Part {
    Problem problem;
    // B is the one of the part before: what that part made of it in the workspace is still there, provided that it lies at
    // the workspace's beginning.
    bool b_is_as_before = false;
};

// So many parts there are.
inline std::size_t part_count(const Problem& problem, const Blocks& blocks)
{
    const std::size_t of_c =
        blocks.m == 0 ? 1 : saturating_product(divide_up(problem.m, blocks.m), divide_up(problem.n, blocks.n));
    return saturating_product(of_c, problem.batch.count);
}

// The first one, which no other exceeds.
inline Problem first_part(const Problem& problem, const Blocks& blocks)
{
    const Problem product = product_of(problem, 0);
    return blocks.m == 0 ? product : block_of(product, 0, std::min(blocks.m, problem.m), 0, std::min(blocks.n, problem.n));
}

// Calls visit(part) for each of them: product by product, and in each of these blocks that lie below one another in turn,
// since they share B.
template <typename Visit> void for_each_part(const Problem& problem, const Blocks& blocks, const Visit& visit)
{
    const std::size_t m = blocks.m == 0 ? problem.m : blocks.m, n = blocks.m == 0 ? problem.n : blocks.n;
    for (std::size_t index = 0; index < problem.batch.count; index++) {
        const Problem product = product_of(problem, index);
        const bool shares_b = index > 0 && problem.b.distance == 0 && n >= problem.n;
        for (std::size_t col = 0; col < problem.n; col += n)
            for (std::size_t row = 0; row < problem.m; row += m)
                visit(Part{block_of(product, row, std::min(m, problem.m - row), col, std::min(n, problem.n - col)),
                           row > 0 || shares_b});
    }
}

} // namespace clgemm::core
