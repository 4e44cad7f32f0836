#include "multiply.hpp"

#include "interfaces.hpp"
#include "opencl_sgemm.hpp"
#include "policy.hpp"
#include "settings.hpp"

#include <cstdio>
#include <exception>

namespace clgemm::doors {
namespace {

Decision decision_on(const Product& product, const std::function<void(const Product&)>& on_cpu) noexcept
{
    if (next_is_computing)
        return {false, "the next BLAS asks for it"};
    try {
        return decide(product, on_cpu);
    } catch (const std::exception&) {
        return {false, "there is no memory to measure with"};
    }
}

void log(const Product& x, const Decision& decision, const char* outcome)
{
    char estimate[64] = "";
    if (decision.opencl_seconds > 0)
        std::snprintf(estimate, sizeof estimate, ": OpenCL %.3g ms, CPU %.3g ms", 1e3 * decision.opencl_seconds,
                      1e3 * decision.cpu_seconds);
    // One call, so that threads' lines do not mix.
    std::fprintf(stderr, "clgemm: sgemm %c%c %lld x %lld x %lld by %s (%s%s)\n", x.trans_a, x.trans_b,
                 static_cast<long long>(x.m), static_cast<long long>(x.n), static_cast<long long>(x.k), outcome,
                 decision.why, estimate);
}

} // namespace

void multiply(const Product& product, const std::function<void(const Product&)>& on_cpu) noexcept
{
    const Decision decision = decision_on(product, on_cpu);
    const bool done = decision.by_opencl && opencl_sgemm(product);
    if (settings().log && !next_is_computing)
        log(product, decision, done ? "OpenCL" : decision.by_opencl ? "the CPU, since OpenCL failed" : "the CPU");
    if (!done)
        on_cpu(product);
}

bool is_for_opencl(const Product& product, const std::function<void(const Product&)>& on_cpu) noexcept
{
    return decision_on(product, on_cpu).by_opencl;
}

} // namespace clgemm::doors
