#include "tune/report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clgemm::tune {
namespace {

std::string in_words(const core::Selection& selection)
{
    std::string result = std::string(selection.variant.kernel->name) + " (" + selection.variant.parameters.text() + ")";
    if (selection.way.split_k > 1)
        result += ", " + std::to_string(selection.way.split_k) + " parts of K";
    return result;
}

} // namespace

void print(std::FILE* out, const std::vector<Comparison>& comparisons)
{
    std::fprintf(out, "%-29s %12s %12s %9s  %s\n", "m x n x k", "before us", "now us", "speed-up", "now by");
    double logarithms = 0, least = std::numeric_limits<double>::infinity();
    std::size_t known = 0, same = 0;
    for (const auto& comparison : comparisons) {
        if (!comparison.times)
            continue;
        known++;
        logarithms += std::log(comparison.times->speed_up);
        least = std::min(least, comparison.times->speed_up);
        if (comparison.chooses_the_same) {
            same++;
            continue;
        }
        const auto& [problem, letters] = comparison.target;
        const clgemm_math accuracy = problem.arithmetic.accuracy;
        const std::string mode(accuracy == CLGEMM_MATH_DEFAULT ? "" : core::accuracy_of(accuracy).name);
        const std::string products = problem.batch.count > 1 ? std::to_string(problem.batch.count) + " products, " : "";
        std::fprintf(out, "%5zu x %5zu x %5zu %s%-7s %12.1f %12.1f %9.3f  %s%s\n", problem.m, problem.n, problem.k,
                     letters.c_str(), mode.c_str(), comparison.times->before_ns / 1000, comparison.times->now_ns / 1000,
                     comparison.times->speed_up, products.c_str(), in_words(comparison.now).c_str());
    }
    if (known > 0)
        std::fprintf(out, "%zu %s: %.3f times as fast as before in the mean, %.3f at least; %zu of them made as before\n",
                     known, known == 1 ? "call" : "calls", std::exp(logarithms / static_cast<double>(known)), least, same);
    if (known < comparisons.size())
        std::fprintf(out, "there was no time to compare %zu more\n", comparisons.size() - known);
    std::fflush(out);
}

} // namespace clgemm::tune
