#include "timing/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace timing {

double geometric_mean(const std::vector<double>& values)
{
    const double sum = std::accumulate(values.begin(), values.end(), 0.0,
                                       [](double total, double value) { return total + std::log(value); });
    return std::exp(sum / static_cast<double>(values.size()));
}

double quantile(std::vector<double> values, double share)
{
    std::sort(values.begin(), values.end());
    const double at = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (values[above] - values[below]) * (at - static_cast<double>(below));
}

bool is_faster(const std::vector<double>& first, const std::vector<double>& second)
{
    // In how many pairs the first one is the shorter one; equal ones count half.
    double wins = 0;
    for (const double a : first)
        for (const double b : second)
            wins += a < b ? 1 : a == b ? 0.5 : 0;
    const auto n = static_cast<double>(first.size()), m = static_cast<double>(second.size());
    constexpr double one_in_a_hundred = 2.326; // deviations of the normal distribution, which wins are close to
    return wins - n * m / 2 > one_in_a_hundred * std::sqrt(n * m * (n + m + 1) / 12);
}

} // namespace timing
