#include "tuning/single_call.hpp"

#include "support/whole_numbers.hpp"

#include <tuple>

namespace clgemm::core {
namespace {

std::size_t width_of(const Matrix& matrix)
{
    std::size_t result = 1;
    while (2 * result <= widest_vector && matrix.aligned_to(2 * result))
        result *= 2;
    return result;
}

// The offset and the leading dimension of a matrix that is aligned so far and no further. (For a single column the offset
// alone decides.)
struct Place {
    std::size_t offset, ld;
};

Place place_of(std::size_t stored_rows, std::size_t stored_cols, std::size_t width)
{
    const std::size_t ld = round_up(stored_rows, width);
    if (width == widest_vector)
        return {0, ld};
    return {stored_cols <= 1 ? width : 0, ld % (2 * width) == 0 ? ld + width : ld};
}

} // namespace

bool SingleCall::operator<(const SingleCall& other) const
{
    const auto in_order = [](const SingleCall& call) {
        const auto& [its_m, its_n, its_k, a_is_transposed, b_is_transposed, widths, its_arithmetic, count, a_is_shared,
                     b_is_shared] = call;
        const auto& [operands, accumulator, result, accuracy] = its_arithmetic;
        return std::tuple(its_m, its_n, its_k, a_is_transposed, b_is_transposed, widths, operands, accumulator, result,
                          accuracy, count, a_is_shared, b_is_shared);
    };
    return in_order(*this) < in_order(other);
}

std::optional<SingleCall> single_call_of(const Problem& problem)
{
    if (problem.touches_nothing() || problem.only_scales_c() || problem.batch.listed || problem.a.prepared ||
        problem.b.prepared)
        return std::nullopt;
    // A new member of Problem does not compile here until it is named, so that somebody thinks of it.
    const auto& [m, n, k, alpha, beta, a, b, c, arithmetic, batch, of_row_major_call] = problem;
    if (c.transposed)
        return single_call_of(transposed(problem));
    const bool is_batch = batch.count > 1;
    return SingleCall{m,
                      n,
                      k,
                      a.transposed,
                      b.transposed,
                      {width_of(a), width_of(b), width_of(c)},
                      arithmetic,
                      batch.count,
                      is_batch && a.distance == 0,
                      is_batch && b.distance == 0};
}

Problem problem_of(const SingleCall& call)
{
    const auto& [m, n, k, trans_a, trans_b, aligned, arithmetic, products, shared_a, shared_b] = call;
    const Place a = trans_a ? place_of(k, m, aligned[0]) : place_of(m, k, aligned[0]);
    const Place b = trans_b ? place_of(n, k, aligned[1]) : place_of(k, n, aligned[1]);
    const Place c = place_of(m, n, aligned[2]);
    // Where one operand is shared, there is a gap behind each matrix of the others. Otherwise the batch would be one large
    // product (as_one_product()).
    const std::size_t gap = shared_a || shared_b ? widest_vector : 0;
    const auto distance = [&, is_batch = products > 1](const Place& place, std::size_t stored_cols, bool is_shared) {
        return !is_batch || is_shared ? 0 : saturating_product(place.ld, stored_cols) + gap;
    };
    return make_problem({CLGEMM_COLUMN_MAJOR,
                         trans_a ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                         trans_b ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                         m,
                         n,
                         k,
                         1,
                         a.offset,
                         a.ld,
                         b.offset,
                         b.ld,
                         0,
                         c.offset,
                         c.ld,
                         arithmetic,
                         {products},
                         distance(a, trans_a ? m : k, shared_a),
                         distance(b, trans_b ? k : n, shared_b),
                         distance(c, n, false)});
}

std::string transposes_of(const SingleCall& call)
{
    return {call.trans_a ? 'T' : 'N', call.trans_b ? 'T' : 'N'};
}

std::string describe(const SingleCall& call)
{
    std::string result = transposes_of(call) + " ";
    if (call.products > 1)
        result += std::to_string(call.products) + " of ";
    // (By append(), since GCC 12 sees memory that overlaps where strings are added by + here.)
    result.append(std::to_string(call.m))
        .append("x")
        .append(std::to_string(call.n))
        .append("x")
        .append(std::to_string(call.k));
    result.append(call.shared_a ? " shared A" : "").append(call.shared_b ? " shared B" : "");
    if (call.arithmetic != Arithmetic{})
        result.append(" ").append(to_text(call.arithmetic));
    return result;
}

} // namespace clgemm::core
