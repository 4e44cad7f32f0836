#define CL_HPP_ENABLE_EXCEPTIONS
#include "tools/selftest/checks.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

namespace clgemm::selftest {
namespace {

using reference::GuardedMatrix;
using reference::Operands;
using reference::SgemmCase;

constexpr clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS};
constexpr std::array<std::size_t, 3> sizes[] = {{1, 1, 1},    {7, 5, 3},       {33, 65, 17},
                                                {64, 64, 64}, {127, 129, 131}, {300, 200, 97}};

cl::Buffer upload(const cl::Context& context, const GuardedMatrix& matrix)
{
    auto* const elements = const_cast<float*>(matrix.elements.data()); // CL_MEM_COPY_HOST_PTR only reads them
    return {context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, matrix.bytes(), elements};
}

Layout layout_of(const SgemmCase& x)
{
    return static_cast<Layout>(x.layout);
}

std::string described(const SgemmCase& x, const Options& options, bool on_host)
{
    std::ostringstream text;
    text << x << ", kernel " << (options.kernel.empty() ? "of the library's choice" : options.kernel)
         << (options.math == Math::strict ? ", strict" : "") << (on_host ? ", on host memory" : "");
    return text.str();
}

} // namespace

Checks::Checks(const cl::Device& device) : context_(device), queue_(context_, device) {}

Operands Checks::in_buffers(const SgemmCase& x, const Operands& before, const Options& options)
{
    const cl::Buffer a = upload(context_, before.a), b = upload(context_, before.b), c = upload(context_, before.c);
    sgemm(layout_of(x), static_cast<Transpose>(x.trans_a), static_cast<Transpose>(x.trans_b), x.m, x.n, x.k, x.alpha, a,
          before.a.offset, before.a.ld, b, before.b.offset, before.b.ld, x.beta, c, before.c.offset, before.c.ld, queue_,
          nullptr, nullptr, options);
    Operands after = before;
    queue_.enqueueReadBuffer(a, CL_TRUE, 0, after.a.bytes(), after.a.elements.data());
    queue_.enqueueReadBuffer(b, CL_TRUE, 0, after.b.bytes(), after.b.elements.data());
    queue_.enqueueReadBuffer(c, CL_TRUE, 0, after.c.bytes(), after.c.elements.data());
    return after;
}

Operands Checks::on_host(const SgemmCase& x, const Operands& before, const Options& options)
{
    Operands after = before;
    sgemm(layout_of(x), static_cast<Transpose>(x.trans_a), static_cast<Transpose>(x.trans_b), x.m, x.n, x.k, x.alpha,
          after.a.data(), after.a.ld, after.b.data(), after.b.ld, x.beta, after.c.elements.data() + after.c.offset,
          after.c.ld, queue_, options);
    return after;
}

bool Checks::check(const SgemmCase& x, const Options& options, bool on_host, Findings& findings)
{
    const Operands before(x);
    try {
        const Operands after = on_host ? this->on_host(x, before, options) : in_buffers(x, before, options);
        findings.products++;
        const reference::Verdict verdict = reference::judge(x, before, after);
        findings.of_the_bound = std::max(findings.of_the_bound, verdict.of_the_bound);
        if (!verdict.wrong.empty())
            findings.wrong.push_back(verdict.wrong + " (" + described(x, options, on_host) + ")");
    } catch (const Error& error) {
        if (error.status() == CLGEMM_KERNEL_NOT_SUPPORTED && !options.kernel.empty()) {
            findings.not_run = error.what();
            return false;
        }
        findings.wrong.push_back(described(x, options, on_host) + ": " + error.what());
    } catch (const std::exception& error) { // OpenCL's own, of a device that fails
        findings.wrong.push_back(described(x, options, on_host) + ": " + error.what());
    }
    return true;
}

void Checks::need_a_product()
{
    const SgemmCase smallest{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1};
    in_buffers(smallest, Operands(smallest), {});
}

Findings Checks::of_kernel(const std::string& kernel, const std::function<bool()>& goes_on)
{
    Findings result;
    Options options;
    options.kernel = kernel;
    bool has_gaps = false;
    for (const auto& [m, n, k] : sizes)
        for (const auto trans_a : transposes)
            for (const auto trans_b : transposes) {
                if (!goes_on()) {
                    result.complete = false;
                    return result;
                }
                SgemmCase x;
                x.trans_a = trans_a;
                x.trans_b = trans_b;
                x.m = m;
                x.n = n;
                x.k = k;
                x.alpha = 1.5f;
                // In turn without gaps, as kernels like matrices, and with gaps and offsets, as they do not.
                has_gaps = !has_gaps;
                x.beta = has_gaps ? 0.5f : 0.0f;
                if (has_gaps) {
                    x.gaps = {1, 3, 5};
                    x.offsets = {1, 3, 7};
                }
                if (!check(x, options, false, result))
                    return result;
            }
    return result;
}

void Checks::random_product(std::mt19937& random, const std::vector<std::string>& kernels, Findings& findings)
{
    const SgemmCase x = reference::random_case(random);
    Options options;
    if (!kernels.empty() && random() % 2 == 0)
        options.kernel = kernels[random() % kernels.size()];
    else if (random() % 3 == 0)
        options.math = Math::strict;
    check(x, options, random() % 4 == 0, findings);
}

} // namespace clgemm::selftest
