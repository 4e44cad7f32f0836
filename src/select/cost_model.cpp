#include "select/cost_model.hpp"

#include "select/cpu_blocks.hpp"
#include "support/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace clgemm::core {
namespace {

double bytes(std::size_t rows, std::size_t cols)
{
    return static_cast<double>(rows) * static_cast<double>(cols) * sizeof(float);
}

// A measured curve between its points by straight lines; before the first point as there. After the last one, what it has
// risen above `rest` rises on in proportion.
double at(const Curve& curve, double x, double rest)
{
    const auto next = std::find_if(curve.begin(), curve.end(), [&](const auto& point) { return point.first >= x; });
    if (next == curve.begin())
        return next->second;
    const auto [x0, y0] = *std::prev(next);
    if (next == curve.end())
        return rest + std::max(y0 - rest, 0.0) * x / x0;
    return y0 + (next->second - y0) * (x - x0) / (next->first - x0);
}

// Two rounds of work-groups from the measured curve; then whole rounds, and what is left over.
double step_ns(const Measurement& measurement, double groups_per_unit)
{
    if (groups_per_unit <= 2 * measurement.resident || measurement.step_ns.size() == 1)
        return at(measurement.step_ns, groups_per_unit, 0);
    const double rounds = std::floor(groups_per_unit / measurement.resident);
    const double left = groups_per_unit - rounds * measurement.resident;
    return rounds * at(measurement.step_ns, measurement.resident, 0) + (left > 0 ? at(measurement.step_ns, left, 0) : 0);
}

// The launches of a plan, one after the other: the device begins one when the one before has ended and the host has
// enqueued it.
class Timeline {
public:
    explicit Timeline(const Tuning& tuning) : tuning_(tuning) {}
    void add(double ns)
    {
        const double ready = launches_ == 0 ? 0 : end_ + tuning_.launch_ns;
        end_ = std::max(ready, launches_ * tuning_.enqueue_ns) + ns;
        launches_++;
    }
    double end() const { return end_; }

private:
    const Tuning& tuning_;
    double end_ = 0, launches_ = 0;
};

} // namespace

Load load_of(const Problem& problem, const DeviceProfile& device, const KernelInfo& kernel, const Parameters& parameters,
             const Tiling& tiling, const Way& way)
{
    const Problem computed = way.exchanged ? exchanged(problem) : problem;
    if (is_for_cpus(kernel.scheme)) {
        const CpuBlocks blocks = cpu_blocks(kernel, parameters, computed, way.splits, device.compute_units);
        return {blocks.tiles_per_unit, divide_up(blocks.k, tiling.k)};
    }
    const std::size_t groups = divide_up(computed.m, tiling.m) * divide_up(computed.n, tiling.n) * way.splits;
    return {static_cast<double>(divide_up(groups, device.compute_units)),
            divide_up(divide_up(problem.k, way.splits), tiling.k)};
}

double estimate(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const Measurement& measurement,
                const Tiling& tiling, const Way& way)
{
    if (way.block_m > 0) {
        Problem block = problem;
        Way whole = way;
        block.m = std::exchange(whole.block_m, 0);
        block.n = std::exchange(whole.block_n, 0);
        return static_cast<double>(divide_up(problem.m, block.m) * divide_up(problem.n, block.n)) *
               estimate(block, device, tuning, measurement, tiling, whole);
    }
    const double a = bytes(problem.m, problem.k), b = bytes(problem.k, problem.n), c = bytes(problem.m, problem.n);
    const Load load = load_of(problem, device, *measurement.kernel, measurement.parameters, tiling, way);
    const double compute = static_cast<double>(load.steps) * step_ns(measurement, load.per_unit);
    const double start = at(measurement.start_ns, load.per_unit, measurement.start_ns.front().second);
    const double sums = way.splits > 1 ? static_cast<double>(way.splits) * c : 0;
    // What is packed is fetched first and multiplied then (kernel 17 does both at a time, but not with few columns); the
    // rest comes while the arithmetic goes on.
    const Scheme scheme = measurement.kernel->scheme;
    const double packed = (scheme == Scheme::cpu_packed ? a + b : scheme == Scheme::cpu_fused ? a : 0) / tuning.bytes_per_ns;
    const double traffic = (a + b + (way.splits > 1 ? sums : c)) / tuning.bytes_per_ns - packed;

    // What every call takes counts once, before the first launch.
    const double base = measurement.start_ns.front().second;
    Timeline timeline(tuning);
    if (way.copy_a)
        timeline.add(2 * a / tuning.bytes_per_ns);
    if (way.copy_b)
        timeline.add(2 * b / tuning.bytes_per_ns);
    if (scheme == Scheme::tensor) // three pieces of half the length
        timeline.add(2.5 * (a + b) / tuning.bytes_per_ns);
    timeline.add(start - base + packed + std::max(compute, traffic));
    if (way.splits > 1)
        timeline.add((sums + c) / tuning.bytes_per_ns);
    return base + timeline.end();
}

} // namespace clgemm::core
