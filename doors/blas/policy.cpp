#include "policy.hpp"

#include "opencl_sgemm.hpp"
#include "settings.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

namespace clgemm::doors {
namespace {

using Multiply = std::function<void(const Product&)>;

constexpr double small_flops = 2e7;      // 215 cubed: no device that we know is faster there than any CPU
constexpr double seconds_to_start = 0.5; // what the CPU spends before OpenCL is looked at
constexpr double advantage = 1.2;        // how much faster OpenCL must be by estimate

// A product of its own, to be timed.
class Sample {
public:
    Sample(std::int64_t m, std::int64_t n, std::int64_t k)
        : a_(static_cast<std::size_t>(m * k), 1.0f), b_(static_cast<std::size_t>(k * n), 1.0f),
          c_(static_cast<std::size_t>(m * n)), product{'N', 'N',       m, n,    k,         1.0f, a_.data(),
                                                       m,   b_.data(), k, 0.0f, c_.data(), m}
    {
    }

private:
    std::vector<float> a_, b_, c_;

public:
    const Product product;
};

// The fastest of some runs after one that does not count, in which programs are built and threads are started.
double seconds_of(const Product& product, const Multiply& multiply)
{
    using Clock = std::chrono::steady_clock;
    constexpr double enough = 0.1; // seconds
    multiply(product);
    double best = 1e30, all = 0;
    for (int run = 0; run < 3 && all < enough; run++) {
        const auto start = Clock::now();
        multiply(product);
        const double seconds = std::max(1e-9, std::chrono::duration<double>(Clock::now() - start).count());
        best = std::min(best, seconds);
        all += seconds;
    }
    return best;
}

struct OpenclSpeed {
    double start, seconds_per_byte, seconds_per_flop;

    double seconds(const Batch& batch) const
    {
        return start + batch.bytes() * seconds_per_byte + batch.flops() * seconds_per_flop;
    }
};

// Nothing if OpenCL fails.
std::optional<OpenclSpeed> measure_opencl()
{
    bool works = true;
    const auto seconds = [&](const Sample& sample) {
        return works ? seconds_of(sample.product, [&](const Product& product) { works = works && opencl_sgemm({product}); })
                     : 0;
    };
    OpenclSpeed speed{0, 0, 0};
    const Sample tiny(8, 8, 8), transfer(1024, 1024, 1), large(1024, 1024, 1024);
    speed.start = seconds(tiny);
    speed.seconds_per_byte = std::max(0.0, seconds(transfer) - speed.start) / transfer.product.bytes();
    speed.seconds_per_flop = std::max(0.0, seconds(large) - speed.seconds({large.product})) / large.product.flops();
    return works ? std::optional(speed) : std::nullopt;
}

// What was measured so far.
struct Measured {
    std::mutex lock;
    bool is_measuring = false; // a thread does, without the lock
    std::optional<double> cpu_seconds_per_flop;
    double cpu_seconds_spent = 0;
    std::optional<OpenclSpeed> opencl;
};

// Other threads may take the lock meanwhile, and see that this one measures.
class WithoutLock {
public:
    WithoutLock(std::unique_lock<std::mutex>& lock, bool& is_measuring) : lock_(lock), is_measuring_(is_measuring)
    {
        is_measuring_ = true;
        lock_.unlock();
    }
    WithoutLock(const WithoutLock&) = delete;
    WithoutLock& operator=(const WithoutLock&) = delete;
    ~WithoutLock()
    {
        lock_.lock();
        is_measuring_ = false;
    }

private:
    std::unique_lock<std::mutex>& lock_;
    bool& is_measuring_;
};

Decision decide_by_estimate(const Batch& batch, const Multiply& on_cpu)
{
    static auto* const measured = new Measured; // never destroyed: calls may come from other libraries' destructors at exit
    std::unique_lock guard(measured->lock);
    if (measured->is_measuring) // maybe for this very call: the next BLAS may call SGEMM from threads of its own
        return {false, "speeds are being measured"};
    const auto without_the_lock = [&](const auto& measure) {
        const WithoutLock from_here(guard, measured->is_measuring);
        return measure();
    };
    if (!measured->cpu_seconds_per_flop)
        measured->cpu_seconds_per_flop = without_the_lock([&] {
            const Sample sample(512, 512, 512);
            return seconds_of(sample.product, on_cpu) / sample.product.flops();
        });
    const double cpu_seconds = batch.flops() * *measured->cpu_seconds_per_flop;
    if (!measured->opencl) {
        measured->cpu_seconds_spent += cpu_seconds;
        if (measured->cpu_seconds_spent < seconds_to_start)
            return {false, "not enough work yet to start OpenCL", 0, cpu_seconds};
        measured->opencl = without_the_lock(measure_opencl);
        if (!measured->opencl)
            return {false, "OpenCL fails", 0, cpu_seconds};
    }
    const double opencl_seconds = measured->opencl->seconds(batch);
    if (opencl_seconds * advantage < cpu_seconds)
        return {true, "faster by estimate", opencl_seconds, cpu_seconds};
    return {false, "OpenCL is not faster by estimate", opencl_seconds, cpu_seconds};
}

} // namespace

Decision decide(const Batch& batch, const Multiply& on_cpu)
{
    const Settings& wanted = settings();
    if (wanted.offload == Offload::never)
        return {false, wanted.why_never};
    if (const char* const because = why_no_opencl())
        return {false, because};
    if (wanted.offload == Offload::always)
        return {true, "CLGEMM_OFFLOAD is always"};
    if (wanted.reproducible)
        return {true, "CLGEMM_MATH is reproducible"};
    if (wanted.min_flops)
        return batch.flops() >= *wanted.min_flops ? Decision{true, "CLGEMM_OFFLOAD_MIN_FLOPS is reached"}
                                                  : Decision{false, "CLGEMM_OFFLOAD_MIN_FLOPS is not reached"};
    if (batch.flops() < small_flops)
        return {false, "small"};
    return decide_by_estimate(batch, on_cpu);
}

} // namespace clgemm::doors
