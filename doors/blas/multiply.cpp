#include "multiply.hpp"

#include "interfaces.hpp"
#include "opencl_sgemm.hpp"
#include "policy.hpp"
#include "settings.hpp"

#include <atomic>
#include <cstdio>
#include <exception>
#include <pthread.h>

namespace clgemm::doors {
namespace {

// SGEMM is no cancellation point, but clgemm's calls are. A thread that is cancelled meanwhile ends at its next cancellation
// point.
class WithoutCancellation {
public:
    WithoutCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    WithoutCancellation(const WithoutCancellation&) = delete;
    WithoutCancellation& operator=(const WithoutCancellation&) = delete;
    ~WithoutCancellation()
    {
        int ignored = 0;
        pthread_setcancelstate(before_, &ignored);
    }

private:
    int before_ = 0;
};

Decision decision_on(const Batch& batch, const std::function<void(const Product&)>& on_cpu) noexcept
{
    if (next_is_computing)
        return {false, "the next BLAS asks for it"};
    try {
        return decide(batch, on_cpu);
    } catch (const std::exception&) {
        return {false, "there is no memory to measure with"};
    }
}

void log(const Batch& batch, const Decision& decision, const char* outcome)
{
    const Product& x = batch.first;
    char products[32] = "";
    if (batch.count != 1)
        std::snprintf(products, sizeof products, ", %lld products", static_cast<long long>(batch.count));
    char estimate[64] = "";
    if (decision.opencl_seconds > 0)
        std::snprintf(estimate, sizeof estimate, ": OpenCL %.3g ms, CPU %.3g ms", 1e3 * decision.opencl_seconds,
                      1e3 * decision.cpu_seconds);
    // One call, so that threads' lines do not mix.
    std::fprintf(stderr, "clgemm: sgemm %c%c %lld x %lld x %lld%s by %s (%s%s)\n", x.trans_a, x.trans_b,
                 static_cast<long long>(x.m), static_cast<long long>(x.n), static_cast<long long>(x.k), products, outcome,
                 decision.why, estimate);
}

// Only warns, since a call of SGEMM cannot be refused.
void tell_of_other_bits() noexcept
{
    static std::atomic_flag was_told;
    if (!was_told.test_and_set())
        std::fputs(
            "clgemm: warning: CLGEMM_MATH is 'reproducible', but the CPU's BLAS computes, which gives bits of its own\n",
            stderr);
}

void multiply_at_once(const Batch& batch, const std::function<void(const Product&)>& on_cpu) noexcept
{
    const Decision decision = decision_on(batch, on_cpu);
    const bool done = decision.by_opencl && opencl_sgemm(batch);
    if (settings().log && !next_is_computing)
        log(batch, decision, done ? "OpenCL" : decision.by_opencl ? "the CPU, since OpenCL failed" : "the CPU");
    if (settings().reproducible && !done && !next_is_computing)
        tell_of_other_bits();
    for (std::int64_t i = 0; i < batch.count && !done; i++)
        on_cpu(batch.product(i));
}

// All of the batch, or one product after the other.
template <class Handle> void for_each_at_once(const Batch& batch, const Handle& handle)
{
    if (goes_at_once(batch)) {
        handle(batch);
        return;
    }
    for (std::int64_t i = 0; i < batch.count; i++)
        handle(Batch{batch.product(i)});
}

} // namespace

bool goes_at_once(const Batch& batch)
{
    return batch.count == 1 || (batch.count > 1 && batch.first.beta == 0.0f && is_strided_batch(batch));
}

void multiply(const Batch& batch, const std::function<void(const Product&)>& on_cpu) noexcept
{
    const WithoutCancellation from_here;
    for_each_at_once(batch, [&](const Batch& at_once) { multiply_at_once(at_once, on_cpu); });
}

void tell_of_the_next_blas(const Batch& batch, const std::function<void(const Product&)>& on_cpu) noexcept
{
    const WithoutCancellation from_here;
    if (next_is_computing)
        return;
    if (settings().log)
        for_each_at_once(batch, [&](const Batch& at_once) { log(at_once, decision_on(at_once, on_cpu), "the CPU"); });
    if (settings().reproducible)
        tell_of_other_bits();
}

bool is_for_opencl(const Batch& batch, const std::function<void(const Product&)>& on_cpu) noexcept
{
    const WithoutCancellation from_here;
    return decision_on(goes_at_once(batch) ? batch : Batch{batch.first}, on_cpu).by_opencl;
}

} // namespace clgemm::doors
