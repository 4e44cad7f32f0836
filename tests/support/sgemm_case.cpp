#include "sgemm_case.hpp"

#include "case_on_device.hpp"
#include "device.hpp"

namespace clgemm::test {

Multiply by_api(const char* kernel)
{
    return [kernel](const SgemmCase& x, const Operands& o, cl_mem a, cl_mem b, cl_mem c) {
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.kernel = kernel;
        options.math = x.math;
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
    const reference::Verdict verdict = reference::judge(x, before, after);
    return verdict.wrong.empty() ? testing::AssertionSuccess() : testing::AssertionFailure() << verdict.wrong;
}

} // namespace clgemm::test
