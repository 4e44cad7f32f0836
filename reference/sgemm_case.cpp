#include "reference/sgemm_case.hpp"

#include "reference/reference.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <ostream>
#include <sstream>
#include <utility>

namespace clgemm::reference {
namespace {

char letter(clgemm_transpose t)
{
    return t == CLGEMM_NO_TRANS ? 'N' : t == CLGEMM_TRANS ? 'T' : 'C';
}

GuardedMatrix stored(clgemm_layout layout, clgemm_transpose trans, std::size_t rows, std::size_t cols, std::size_t gap,
                     std::size_t offset)
{
    return trans == CLGEMM_NO_TRANS ? GuardedMatrix(layout, rows, cols, gap, offset)
                                    : GuardedMatrix(layout, cols, rows, gap, offset);
}

template <typename T> T one_of(std::mt19937& random, std::initializer_list<T> all)
{
    return all.begin()[random() % all.size()];
}

std::size_t random_size(std::mt19937& random)
{
    const auto free = static_cast<std::size_t>(std::exp(std::uniform_real_distribution(0.0, std::log(300.0))(random)));
    if (random() % 3 > 0)
        return free;
    const std::size_t border = std::size_t{1} << random() % 9;
    return border | (random() % 2 == 0 ? 0 : random() % 2);
}

} // namespace

std::ostream& operator<<(std::ostream& out, const SgemmCase& c)
{
    return out << (c.layout == CLGEMM_ROW_MAJOR ? "row-major " : "column-major ") << letter(c.trans_a) << letter(c.trans_b)
               << " " << c.m << "x" << c.n << "x" << c.k << " alpha " << c.alpha << " beta " << c.beta << " gaps "
               << c.gaps[0] << "," << c.gaps[1] << "," << c.gaps[2] << " offsets " << c.offsets[0] << "," << c.offsets[1]
               << "," << c.offsets[2] << (c.math == CLGEMM_MATH_DEFAULT ? "" : " math ")
               << (c.math == CLGEMM_MATH_DEFAULT ? "" : core::accuracy_of(c.math).name);
}

SgemmCase exchanged(const SgemmCase& x)
{
    const auto turned = [](clgemm_transpose trans) { return trans == CLGEMM_NO_TRANS ? CLGEMM_TRANS : CLGEMM_NO_TRANS; };
    SgemmCase result = x;
    result.trans_a = turned(x.trans_b);
    result.trans_b = turned(x.trans_a);
    std::swap(result.m, result.n);
    std::swap(result.gaps[0], result.gaps[1]);
    std::swap(result.offsets[0], result.offsets[1]);
    return result;
}

Operands::Operands(const SgemmCase& x)
    : a(stored(x.layout, x.trans_a, x.m, x.k, x.gaps[0], x.offsets[0])),
      b(stored(x.layout, x.trans_b, x.k, x.n, x.gaps[1], x.offsets[1])), c(x.layout, x.m, x.n, x.gaps[2], x.offsets[2])
{
    std::mt19937 random(static_cast<std::mt19937::result_type>(x.m * 7919 + x.n * 104729 + x.k * 1299709 + 1));
    if (x.alpha != 0) {
        a.fill(random);
        b.fill(random);
    }
    if (x.beta != 0)
        c.fill(random);
}

Verdict judge(const SgemmCase& x, const Operands& before, const Operands& after)
{
    const auto wrong = [&](const auto&... parts) {
        std::ostringstream text;
        text << x << ": ";
        (text << ... << parts);
        return Verdict{text.str()};
    };
    if (!after.a.same_bits(before.a))
        return wrong("A was changed");
    if (!after.b.same_bits(before.b))
        return wrong("B was changed");
    if (!after.c.canaries_are_alive())
        return wrong("something outside C was written");
    Verdict result;
    for (std::size_t i = 0; i < x.m; i++)
        for (std::size_t j = 0; j < x.n; j++) {
            const Exact exact = element(x.layout, x.trans_a, x.trans_b, i, j, x.k, x.alpha, before.a.data(), before.a.ld,
                                        before.b.data(), before.b.ld, x.beta, before.c.data(), before.c.ld);
            const float computed = after.c.at(i, j);
            const Arithmetic arithmetic{.accuracy = x.math};
            const double bound = error_bound(x.k, exact, arithmetic);
            if (!is_right(computed, exact, x.k, arithmetic))
                return wrong("C(", i, ", ", j, ") is ", computed, ", but should be ", exact.value, " +- ", bound);
            if (bound > 0)
                result.of_the_bound = std::max(result.of_the_bound, std::fabs(computed - exact.value) / bound);
        }
    return result;
}

SgemmCase random_case(std::mt19937& random)
{
    SgemmCase x;
    x.layout = one_of(random, {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR});
    x.trans_a = one_of(random, {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS});
    x.trans_b = one_of(random, {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS});
    x.m = random_size(random);
    x.n = random_size(random);
    x.k = random_size(random);
    x.alpha = one_of(random, {1.0f, 1.0f, -1.0f, 0.5f, 3.25f, 0.0f});
    x.beta = one_of(random, {0.0f, 0.0f, 1.0f, -0.7f});
    for (std::size_t& gap : x.gaps)
        gap = one_of<std::size_t>(random, {0, 0, 1, 3, 4, 16, random() % 40});
    for (std::size_t& offset : x.offsets)
        offset = one_of<std::size_t>(random, {0, 0, 1, 4, 32, random() % 100});
    return x;
}

} // namespace clgemm::reference
