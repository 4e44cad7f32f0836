// Products of one shape whose matrices lie anywhere in their buffers, and whose scalars may differ: a list of the caller's,
// which is only read while the call is made.
#pragma once

#include "problem/problem.hpp"

#include <vector>

namespace clgemm::core {

struct ProductList { // NOLINT(cppcoreguidelines-pro-type-member-init): who makes one gives all of it
    // Of all products; what is listed does not count there.
    Arguments shape;
    std::size_t count;
    // `scalars` of each: one for all products, or one for each.
    const float* alpha;
    const float* beta;
    std::size_t scalars;
    // `count` of each.
    const std::size_t* offset_a;
    const std::size_t* offset_b;
    const std::size_t* offset_c;
    bool by_pointers = false; // the caller gave pointers instead of offsets: errors then name C[0], C[1] and so on

    bool touches_nothing() const { return count == 0 || shape.m == 0 || shape.n == 0; }
    Arguments arguments(std::size_t product) const;
};

// Products of a list from one on that are a strided batch: their scalars are the same, and their matrices lie at equal
// distances.
struct Stretch {
    std::size_t first = 0, count = 0;
};

// Checks that alpha and beta are there, and that there is one of each, or one for each product. Throws.
void check_scalars(const ProductList& list);

// Checks every argument, in the caller's terms, also that no two matrices C share elements. Throws the status of the first
// that is wrong.
void check(const ProductList& list);

// A product that reaches as far in each buffer as any of the list, and reads what any of them reads. The list must have one.
Problem farthest(const ProductList& list);

// All products, in their order.
std::vector<Stretch> stretches_of(const ProductList& list);

Problem make_problem(const ProductList& list, const Stretch& stretch);

} // namespace clgemm::core
