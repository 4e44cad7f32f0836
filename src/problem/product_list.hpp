// Products of one shape whose matrices lie anywhere in their buffers, and whose scalars may differ. The list is the
// caller's, and is only read while the call is made.
#pragma once

#include "problem/problem.hpp"

#include <vector>

namespace clgemm::core {

struct ProductList { // NOLINT(cppcoreguidelines-pro-type-member-init): who makes one gives all of it
    // What all products have in common. Its scalars and offsets do not count: they are listed below.
    Arguments shape;
    std::size_t count;
    // Arrays of `scalars` numbers: one for all products, or one for each.
    const float* alpha;
    const float* beta;
    std::size_t scalars;
    // Arrays of `count` numbers.
    const std::size_t* offset_a;
    const std::size_t* offset_b;
    const std::size_t* offset_c;
    bool by_pointers = false; // the caller gave pointers instead of offsets: errors then name C[0], C[1] and so on

    bool touches_nothing() const { return count == 0 || shape.m == 0 || shape.n == 0; }
    Arguments arguments(std::size_t product) const;
};

// Consecutive products of a list that are a strided batch: their scalars are the same, and their matrices lie at equal
// distances.
struct Stretch {
    std::size_t first = 0, count = 0;
};

// Checks that alpha and beta are there, and that there is one number of each, or one for each product. Throws.
void check_scalars(const ProductList& list);

// Checks every argument, in the caller's terms, and that no two matrices C share elements. Throws the status of the first
// that is wrong.
void check(const ProductList& list);

// A product that reaches as far in each buffer as any product of the list, and reads what any of them reads. The list must
// not be empty.
Problem farthest(const ProductList& list);

// All products of the list, in their order.
std::vector<Stretch> stretches_of(const ProductList& list);

Problem make_problem(const ProductList& list, const Stretch& stretch);

} // namespace clgemm::core
