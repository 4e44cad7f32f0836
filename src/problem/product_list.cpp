#include "problem/product_list.hpp"

#include "support/error.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>

namespace clgemm::core {
namespace {

[[noreturn]] void fail(clgemm_status status, const std::string& what)
{
    throw Error(status, what);
}

void must_be_there(const void* pointer, const char* name, const ProductList& list)
{
    if (!pointer)
        fail(CLGEMM_INVALID_POINTER, std::string(name) + " is null, but count is " + std::to_string(list.count));
}

// The place in the list of the matrix that lies behind all others.
std::size_t last_of(const std::size_t* offsets, std::size_t count)
{
    return static_cast<std::size_t>(std::max_element(offsets, offsets + count) - offsets);
}

// Throws the error of two products whose matrices C share elements. `one`, `other`: their places in the list.
void refuse(std::size_t one, std::size_t other, const ProductList& list)
{
    const auto [first, second] = std::minmax(one, other);
    const auto place = [](std::size_t i) { return "[" + std::to_string(i) + "]"; };
    const auto offset = [&](std::size_t i) { return "offsC" + place(i) + ", " + std::to_string(list.offset_c[i]); };
    if (list.by_pointers)
        fail(CLGEMM_OVERLAPPING_C, "C" + place(first) + " and C" + place(second) + " share elements");
    fail(CLGEMM_OVERLAPPING_C, "the matrices C at " + offset(first) + ", and " + offset(second) + ", share elements");
}

// The way from one place to another, in one direction around a ring of that length.
std::size_t way_around(std::size_t from, std::size_t to, std::size_t length)
{
    return to >= from ? to - from : length - (from - to);
}

// Goes through the matrices C as they follow one another in memory. Two can only share elements if the second begins within
// the first one's span. Then they do so exactly if the runs of the second begin too near to those of the first, by the
// remainders of their offsets after division by ldc.
void check_products_are_apart(const ProductList& list, const Matrix& c)
{
    const std::size_t run = c.stored_rows(), span = (c.stored_cols() - 1) * c.ld + run;
    const std::size_t* const offsets = list.offset_c;
    std::vector<std::size_t> order(list.count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto before = [&](std::size_t one, std::size_t other) { return offsets[one] < offsets[other]; };
    if (!std::is_sorted(offsets, offsets + list.count))
        std::sort(order.begin(), order.end(), before);

    std::set<std::pair<std::size_t, std::size_t>> within_span; // whose span reaches the one at hand: (remainder, place)
    std::size_t oldest = 0;
    for (std::size_t i = 0; i < order.size(); i++) {
        const std::size_t at_hand = order[i], rest = offsets[at_hand] % c.ld;
        for (; oldest < i && offsets[at_hand] - offsets[order[oldest]] >= span; oldest++)
            within_span.erase({offsets[order[oldest]] % c.ld, order[oldest]});
        if (!within_span.empty()) { // its neighbours have the next remainder and the one before, around a ring of ldc
            auto next = within_span.lower_bound({rest, 0});
            const auto previous = next == within_span.begin() ? std::prev(within_span.end()) : std::prev(next);
            if (next == within_span.end())
                next = within_span.begin();
            if (way_around(rest, next->first, c.ld) < run)
                refuse(next->second, at_hand, list);
            if (way_around(previous->first, rest, c.ld) < run)
                refuse(previous->second, at_hand, list);
        }
        within_span.emplace(rest, at_hand);
    }
}

bool same_bits(float one, float other)
{
    return std::bit_cast<std::uint32_t>(one) == std::bit_cast<std::uint32_t>(other);
}

// Does the product lie as far behind the one before as that behind the one before it, and in the same direction?
bool goes_on(const std::size_t* offsets, std::size_t product)
{
    return offsets[product] >= offsets[product - 1] &&
           offsets[product] - offsets[product - 1] == offsets[product - 1] - offsets[product - 2];
}

} // namespace

Arguments ProductList::arguments(std::size_t product) const
{
    const std::size_t scalar = scalars == 1 ? 0 : product;
    Arguments result = shape;
    result.alpha = alpha[scalar];
    result.beta = beta[scalar];
    result.offset_a = offset_a[product];
    result.offset_b = offset_b[product];
    result.offset_c = offset_c[product];
    return result;
}

void check_scalars(const ProductList& list)
{
    must_be_there(list.alpha, "alpha", list);
    must_be_there(list.beta, "beta", list);
    if (list.scalars != 1 && list.scalars != list.count)
        fail(CLGEMM_INVALID_SCALARS,
             "numScalars is " + std::to_string(list.scalars) + ", but must be 1 or count, " + std::to_string(list.count));
}

void check(const ProductList& list)
{
    if (list.count == 0) {
        Arguments none = list.shape;
        none.batch.count = 0;
        make_problem(none);
        return;
    }
    must_be_there(list.offset_a, "offsA", list);
    must_be_there(list.offset_b, "offsB", list);
    must_be_there(list.offset_c, "offsC", list);
    check_scalars(list);
    Arguments last = list.arguments(0);
    last.offset_a = list.offset_a[last_of(list.offset_a, list.count)];
    last.offset_b = list.offset_b[last_of(list.offset_b, list.count)];
    last.offset_c = list.offset_c[last_of(list.offset_c, list.count)];
    const Problem problem = make_problem(last);
    if (!problem.touches_nothing())
        check_products_are_apart(list, problem.c);
}

Problem farthest(const ProductList& list)
{
    Problem result = make_problem(list.arguments(0));
    Matrix &a = result.matrix_in(Memory::a), &b = result.matrix_in(Memory::b), &c = result.matrix_in(Memory::c);
    for (std::size_t i = 1; i < list.count; i++) {
        const Arguments x = list.arguments(i);
        c.offset = std::max(c.offset, x.offset_c);
        if (x.beta != 0.0f)
            result.beta = x.beta;
        if (x.alpha == 0.0f) // A and B are not looked at
            continue;
        const bool is_first = result.alpha == 0.0f;
        a.offset = is_first ? x.offset_a : std::max(a.offset, x.offset_a);
        b.offset = is_first ? x.offset_b : std::max(b.offset, x.offset_b);
        result.alpha = x.alpha;
    }
    return result;
}

std::vector<Stretch> stretches_of(const ProductList& list)
{
    const auto scalars_as_before = [&](std::size_t i) {
        return list.scalars == 1 ||
               (same_bits(list.alpha[i], list.alpha[i - 1]) && same_bits(list.beta[i], list.beta[i - 1]));
    };
    const std::size_t* const all_offsets[] = {list.offset_a, list.offset_b, list.offset_c};
    std::vector<Stretch> result;
    for (std::size_t i = 0; i < list.count; i++) {
        const bool belongs = i > 0 && scalars_as_before(i) &&
                             std::all_of(std::begin(all_offsets), std::end(all_offsets), [&](const std::size_t* offsets) {
                                 return result.back().count == 1 ? offsets[i] >= offsets[i - 1] : goes_on(offsets, i);
                             });
        if (!belongs)
            result.push_back({i, 0});
        result.back().count++;
    }
    return result;
}

Problem make_problem(const ProductList& list, const Stretch& stretch)
{
    Arguments x = list.arguments(stretch.first);
    x.batch.count = stretch.count;
    if (stretch.count > 1) {
        const Arguments next = list.arguments(stretch.first + 1);
        x.distance_a = next.offset_a - x.offset_a;
        x.distance_b = next.offset_b - x.offset_b;
        x.distance_c = next.offset_c - x.offset_c;
    }
    return make_problem(x);
}

} // namespace clgemm::core
