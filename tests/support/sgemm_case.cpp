#include "sgemm_case.hpp"

#include "case_on_device.hpp"
#include "device.hpp"
#include "reference/reference.hpp"

#include <ostream>
#include <utility>

namespace clgemm::test {
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

} // namespace

std::ostream& operator<<(std::ostream& out, const SgemmCase& c)
{
    return out << (c.layout == CLGEMM_ROW_MAJOR ? "row-major " : "column-major ") << letter(c.trans_a) << letter(c.trans_b)
               << " " << c.m << "x" << c.n << "x" << c.k << " alpha " << c.alpha << " beta " << c.beta << " gaps "
               << c.gaps[0] << "," << c.gaps[1] << "," << c.gaps[2] << " offsets " << c.offsets[0] << "," << c.offsets[1]
               << "," << c.offsets[2];
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

Multiply by_api(const char* kernel)
{
    return [kernel](const SgemmCase& x, const Operands& o, cl_mem a, cl_mem b, cl_mem c) {
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.kernel = kernel;
        const auto& queue = test_device().in_order;
        const clgemm_status status =
            clgemm_sgemm_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, a, o.a.offset, o.a.ld, b, o.b.offset,
                            o.b.ld, x.beta, c, o.c.offset, o.c.ld, queue(), 0, nullptr, nullptr, &options);
        queue.finish();
        return status;
    };
}

testing::AssertionResult is_right(const SgemmCase& x, const Multiply& multiply)
{
    const CaseOnDevice on_device(x);
    const clgemm_status status = multiply(x, on_device.before, on_device.a(), on_device.b(), on_device.c());
    if (status != CLGEMM_SUCCESS)
        return testing::AssertionFailure() << x << ": " << clgemm_status_string(status) << ": " << clgemm_last_error();
    return on_device.is_right(test_device().in_order);
}

testing::AssertionResult is_right(const SgemmCase& x, const Operands& before, const Operands& after)
{
    if (!after.a.same_bits(before.a))
        return testing::AssertionFailure() << x << ": A was changed";
    if (!after.b.same_bits(before.b))
        return testing::AssertionFailure() << x << ": B was changed";
    if (!after.c.canaries_are_alive())
        return testing::AssertionFailure() << x << ": something outside C was written";
    for (std::size_t i = 0; i < x.m; i++)
        for (std::size_t j = 0; j < x.n; j++) {
            const reference::Exact exact =
                reference::element(x.layout, x.trans_a, x.trans_b, i, j, x.k, x.alpha, before.a.data(), before.a.ld,
                                   before.b.data(), before.b.ld, x.beta, before.c.data(), before.c.ld);
            const float computed = after.c.at(i, j);
            if (!reference::is_right(computed, exact, x.k))
                return testing::AssertionFailure()
                       << x << ": C(" << i << ", " << j << ") is " << computed << ", but should be " << exact.value << " +- "
                       << reference::error_bound(x.k, exact.magnitude);
        }
    return testing::AssertionSuccess();
}

} // namespace clgemm::test
