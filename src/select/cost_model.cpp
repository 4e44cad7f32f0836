#include "select/cost_model.hpp"

#include "support/arithmetic.hpp"

#include <algorithm>

namespace clgemm::core {
namespace {

double bytes(std::size_t rows, std::size_t cols)
{
    return static_cast<double>(rows) * static_cast<double>(cols) * sizeof(float);
}

// The measured curve between its points by straight lines; before the first point as there, after the last in proportion.
double step_ns(const Measurement& measurement, double groups_per_unit)
{
    const auto& curve = measurement.step_ns;
    const auto next =
        std::find_if(curve.begin(), curve.end(), [&](const auto& point) { return point.first >= groups_per_unit; });
    if (next == curve.begin())
        return next->second;
    const auto [x0, y0] = *std::prev(next);
    if (next == curve.end())
        return y0 * groups_per_unit / x0;
    return y0 + (next->second - y0) * (groups_per_unit - x0) / (next->first - x0);
}

} // namespace

double estimate(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const Measurement& measurement,
                const Tiling& tiling, const Way& way)
{
    const double a = bytes(problem.m, problem.k), b = bytes(problem.k, problem.n), c = bytes(problem.m, problem.n);
    const std::size_t m = way.exchanged ? problem.n : problem.m;
    const std::size_t n = way.exchanged ? problem.m : problem.n;

    const std::size_t groups = divide_up(m, tiling.m) * divide_up(n, tiling.n) * way.splits;
    const std::size_t steps = divide_up(divide_up(problem.k, way.splits), tiling.k);
    const auto groups_per_unit = static_cast<double>(divide_up(groups, device.compute_units));
    const double compute = static_cast<double>(steps) * step_ns(measurement, groups_per_unit);
    const double sums = way.splits > 1 ? static_cast<double>(way.splits) * c : 0;
    const double traffic = (a + b + (way.splits > 1 ? sums : c)) / tuning.bytes_per_ns;

    double result = measurement.start_ns + std::max(compute, traffic);
    if (way.splits > 1)
        result += tuning.launch_ns + (sums + c) / tuning.bytes_per_ns;
    if (way.copy_a)
        result += tuning.launch_ns + 2 * a / tuning.bytes_per_ns;
    if (way.copy_b)
        result += tuning.launch_ns + 2 * b / tuning.bytes_per_ns;
    return result;
}

} // namespace clgemm::core
