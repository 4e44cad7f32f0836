// How fast each kernel multiplies n x n matrices, stored the way it wants them, so that no helper step runs: the multiply
// kernel alone. Whole calls on the wall clock, from the call to the finished queue; random data; the kernels take turns.
//
//   kernels_bench [--benchmark_filter=...]; CLGEMM_BENCH_SIZES="1024 4096" chooses other sizes.
#include "device/default_device.hpp"
#include "device/query_profile.hpp"
#include "families/registry.hpp"
#include "support/environment.hpp"
#include "support/opencl.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <limits>
#include <random>
#include <sstream>

namespace {

using namespace clgemm::core;

struct Matrices {
    cl::CommandQueue queue;
    cl::Buffer a, b, c;
};

// One set for all benchmarks of a size: the contents do not depend on how they are read.
Matrices random_matrices(const cl::CommandQueue& queue, std::size_t n)
{
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    std::vector<float> values(n * n);
    const auto context = queue.getInfo<CL_QUEUE_CONTEXT>();
    const auto buffer = [&] {
        for (auto& value : values)
            value = uniform(random);
        return cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(float), values.data());
    };
    return {queue, buffer(), buffer(), buffer()};
}

// How the kernel likes its operands best: as it takes them with the fewest launches.
struct Transposes {
    clgemm_transpose a, b;
};

Transposes best_transposes(const KernelInfo& kernel, const DeviceProfile& device)
{
    constexpr std::size_t n = 1024; // of whole tiles
    Transposes best{CLGEMM_NO_TRANS, CLGEMM_NO_TRANS};
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (const auto a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
        for (const auto b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
            const Problem problem = make_problem({CLGEMM_COLUMN_MAJOR, a, b, n, n, n, 1, 0, n, 0, n, 0, 0, n});
            const Outline outline = kernel.family->outline(problem, device, variant_of(kernel, kernel.variants.front()), {});
            if (outline.launch_count < fewest) {
                fewest = outline.launch_count;
                best = {a, b};
            }
        }
    return best;
}

void multiply(benchmark::State& state, const KernelInfo& kernel, const Transposes& transposes, const Matrices& matrices,
              std::size_t n)
{
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = kernel.name.data();
    const auto call = [&] {
        return clgemm_sgemm_ex(CLGEMM_COLUMN_MAJOR, transposes.a, transposes.b, n, n, n, 1.0f, matrices.a(), 0, n,
                               matrices.b(), 0, n, 0.0f, matrices.c(), 0, n, matrices.queue(), 0, nullptr, nullptr,
                               &options);
    };
    if (call() != CLGEMM_SUCCESS) { // also compiles
        state.SkipWithError(clgemm_last_error());
        return;
    }
    matrices.queue.finish();
    for (auto _ : state) {
        call();
        matrices.queue.finish();
    }
    const double flops = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    state.counters["GFLOP/s"] = benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

} // namespace

int main(int argc, char** argv)
{
    benchmark::Initialize(&argc, argv);
    const cl::Device device = choose_device(environment().device);
    const cl::CommandQueue queue(cl::Context(device), device);
    const auto profile = query_profile(device);
    benchmark::AddCustomContext("device", profile.platform_name + "/" + profile.name);

    const char* wanted = std::getenv("CLGEMM_BENCH_SIZES");
    std::istringstream sizes(wanted ? wanted : profile.type == DeviceType::cpu ? "512 1024" : "1024 4096");
    std::vector<Matrices> kept;
    for (std::size_t n = 0; sizes >> n;) {
        kept.push_back(random_matrices(queue, n));
        for (const auto& kernel : kernels())
            benchmark::RegisterBenchmark((std::string(kernel.name) + "/" + std::to_string(n)).c_str(), multiply, kernel,
                                         best_transposes(kernel, profile), kept.back(), n)
                ->Unit(benchmark::kMillisecond)
                ->UseRealTime()
                ->Repetitions(3)
                ->ReportAggregatesOnly();
    }
    benchmark::RunSpecifiedBenchmarks();
}
