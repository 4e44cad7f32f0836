#include "batched_case.hpp"

#include "reference/reference.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <ostream>

namespace clgemm::test {
namespace {

bool same_bits(const std::vector<float>& some, const std::vector<float>& other)
{
    return some.size() == other.size() && std::memcmp(some.data(), other.data(), some.size() * sizeof(float)) == 0;
}

// What a product makes of C where it is right, into `expected`; whatever is wrong stays as it is there, so that it differs.
// Returns whether all of it is right.
bool take_what_is_right(const BatchedCase& x, std::size_t product, const BatchedOperands& before,
                        const std::vector<float>& computed, std::vector<float>& expected)
{
    using namespace reference;
    const auto of = [&](Which which) { return before.elements[which].data() + x.begin(which, product); };
    bool all_right = true;
    for (std::size_t i = 0; i < x.m; i++)
        for (std::size_t j = 0; j < x.n; j++) {
            const std::size_t place = x.begin(C, product) + at(x.layout, i, j, x.ld[C]);
            const Exact exact = element(x.layout, x.trans_a, x.trans_b, i, j, x.k, x.alpha, of(A), x.ld[A], of(B), x.ld[B],
                                        x.beta, of(C), x.ld[C]);
            if (reference::is_right(computed[place], exact, x.k))
                expected[place] = computed[place];
            else
                all_right = false;
        }
    return all_right;
}

// Whether the rest is as it was, too: `expected` has the elements of C that are as they should be.
testing::AssertionResult is_all(const BatchedCase& x, const BatchedOperands& before, const BatchedOperands& after,
                                const std::vector<float>& expected)
{
    if (!same_bits(before.elements[A], after.elements[A]) || !same_bits(before.elements[B], after.elements[B]))
        return testing::AssertionFailure() << x << ": an operand was written";
    for (std::size_t i = 0; i < expected.size(); i++)
        if (std::bit_cast<std::uint32_t>(expected[i]) != std::bit_cast<std::uint32_t>(after.elements[C][i]))
            return testing::AssertionFailure() << x << ": C's buffer is wrong at " << i << ": " << after.elements[C][i];
    return testing::AssertionSuccess();
}

} // namespace

std::size_t BatchedCase::run_length(Which which) const
{
    const std::size_t rows = which == B ? k : m, cols = which == A ? k : n;
    const clgemm_transpose trans = which == A ? trans_a : which == B ? trans_b : CLGEMM_NO_TRANS;
    return (layout == CLGEMM_COLUMN_MAJOR) == (trans == CLGEMM_NO_TRANS) ? rows : cols;
}

std::size_t BatchedCase::runs(Which which) const
{
    const std::size_t rows = which == B ? k : m, cols = which == A ? k : n;
    return rows + cols - run_length(which);
}

std::size_t BatchedCase::extent(Which which) const
{
    return run_length(which) == 0 || runs(which) == 0 || count == 0
               ? 0
               : begin(which, count - 1) + (runs(which) - 1) * ld[which] + run_length(which);
}

core::Arguments arguments_of(const BatchedCase& x)
{
    return {x.layout,    x.trans_a, x.trans_b,     x.m,           x.n,          x.k,         x.alpha,
            x.offset[A], x.ld[A],   x.offset[B],   x.ld[B],       x.beta,       x.offset[C], x.ld[C],
            {},          {x.count}, x.distance[A], x.distance[B], x.distance[C]};
}

core::Arguments arguments_on_host(const BatchedCase& x)
{
    core::Arguments result = arguments_of(x);
    result.offset_a = result.offset_b = result.offset_c = 0;
    return result;
}

std::ostream& operator<<(std::ostream& out, const BatchedCase& x)
{
    out << (x.layout == CLGEMM_ROW_MAJOR ? "by rows " : "by columns ") << (x.trans_a == CLGEMM_NO_TRANS ? "N" : "T")
        << (x.trans_b == CLGEMM_NO_TRANS ? "N " : "T ") << x.count << " times " << x.m << "x" << x.n << "x" << x.k
        << ", alpha " << x.alpha << ", beta " << x.beta;
    for (const Which which : every_matrix)
        out << ", "
            << "ABC"[which] << " from " << x.offset[which] << " ld " << x.ld[which] << " distance " << x.distance[which];
    return out;
}

BatchedCase random_batched_case(std::mt19937& random)
{
    const auto below = [&](std::size_t limit) { return std::size_t{random() % limit}; };
    const auto one_of = [&](const auto& all) { return all[below(std::size(all))]; };
    const auto size = [&] { return below(20) == 0 ? 0 : 1 + below(below(2) == 0 ? 9 : 70); };
    constexpr float alphas[] = {1, 1, -1.5f, 0}, betas[] = {0, 1, 0.5f};
    BatchedCase x;
    x.layout = one_of(layouts);
    x.trans_a = one_of(transposes);
    x.trans_b = one_of(transposes);
    x.m = size();
    x.n = size();
    x.k = size();
    x.count = below(10);
    x.alpha = one_of(alphas);
    x.beta = one_of(betas);
    for (const Which which : every_matrix) {
        const std::size_t run = x.run_length(which);
        x.offset[which] = below(3) == 0 ? below(40) : 0;
        x.ld[which] = std::max<std::size_t>(1, run) + (below(2) == 0 ? below(20) : 0);
        const std::size_t whole = x.runs(which) == 0 ? 0 : (x.runs(which) - 1) * x.ld[which] + run;
        const std::size_t gap = below(2) == 0 ? below(30) : 0;
        const std::size_t kind = below(4);
        if (which == C && kind == 0) { // side by side
            x.distance[C] = run + gap;
            x.ld[C] = std::max<std::size_t>(1, std::max<std::size_t>(1, x.count) * x.distance[C]);
        } else if (which != C && kind == 0) {
            x.distance[which] = 0;
        } else if (which != C && kind == 1) {
            x.distance[which] = below(whole + 1);
        } else {
            x.distance[which] = whole + gap;
        }
    }
    return x;
}

BatchedOperands::BatchedOperands(const BatchedCase& x)
{
    std::mt19937 random(static_cast<std::mt19937::result_type>(x.m * 71 + x.n * 13 + x.k));
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (const Which which : every_matrix) {
        std::vector<float>& all = elements[which];
        all.assign(x.extent(which) + 7, std::numeric_limits<float>::quiet_NaN());
        const bool is_read = which == C ? x.beta != 0 : x.alpha != 0;
        for (std::size_t product = 0; product < x.count && is_read; product++)
            for (std::size_t run = 0; run < x.runs(which); run++)
                for (std::size_t i = 0; i < x.run_length(which); i++)
                    all[x.begin(which, product) + run * x.ld[which] + i] = uniform(random);
    }
}

testing::AssertionResult is_right(const BatchedCase& x, const BatchedOperands& before, const BatchedOperands& after)
{
    std::vector<float> expected = before.elements[C];
    for (std::size_t product = 0; product < x.count; product++)
        if (!take_what_is_right(x, product, before, after.elements[C], expected))
            return testing::AssertionFailure() << x << ": product " << product << " is wrong";
    return is_all(x, before, after, expected);
}

testing::AssertionResult is_right_or_as_it_was(const BatchedCase& x, const BatchedOperands& before,
                                               const BatchedOperands& after)
{
    std::vector<float> expected = before.elements[C];
    for (std::size_t product = 0; product < x.count; product++) {
        std::vector<float> with_it = expected;
        if (take_what_is_right(x, product, before, after.elements[C], with_it))
            expected = std::move(with_it);
    }
    return is_all(x, before, after, expected);
}

} // namespace clgemm::test
