// A call as a tuning file tells it from others. Of where its matrices lie, only their alignment counts. Such a call is what
// CLGEMM_RECORD writes down, what clgemm-tune --calls tunes, and what an entry of a tuning file for a single call is about.
#pragma once

#include "families/family.hpp"
#include "problem/problem.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace clgemm::core {

// In the column-major form with which all calls begin (problem/problem.hpp). A row-major call is the same work as the
// column-major one with A and B exchanged, and stands here as that one. Scalars are no part of it: no selection depends on
// them.
struct SingleCall {
    std::size_t m = 0, n = 0, k = 0;
    bool trans_a = false, trans_b = false;
    // A, B and C: every column as stored begins at a multiple of so many elements, and not always at one of twice as many;
    // a power of 2 up to widest_vector.
    std::array<std::size_t, 3> aligned{1, 1, 1};
    Arithmetic arithmetic = {};
    std::size_t products = 1;                // of that shape, at equal distances: more than one are a batch
    bool shared_a = false, shared_b = false; // all products have the same A, or B

    bool operator==(const SingleCall&) const = default;
    bool operator<(const SingleCall& other) const;
};

// None for a call that does not multiply, for a batch that is listed in the device's memory, and for a call with prepared
// operands, whose time is another one.
std::optional<SingleCall> single_call_of(const Problem& problem);

// A problem for which single_call_of() gives this call: alpha is 1, beta 0, the leading dimensions are the smallest ones of
// such an alignment, and the matrices of a batch follow one another. Throws Error where it is larger than can be counted.
Problem problem_of(const SingleCall& call);

// "NT": whether A and B are transposed.
std::string transposes_of(const SingleCall& call);

// "NT 512x64x1024" or "NT 100 of 8x8x8", and what is not as usual: for people.
std::string describe(const SingleCall& call);

// What was measured to be the fastest for a single call.
struct TunedCall {
    SingleCall call;
    Variant variant;
    Way way = {};
    double ns = 0; // that it took
};

} // namespace clgemm::core
