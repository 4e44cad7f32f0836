#include "report.hpp"

#include "timing/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bench {

using namespace timing;

namespace {

std::string with_digits(double value, int decimals)
{
    char text[64];
    std::snprintf(text, sizeof(text), "%.*f", decimals, value);
    return text;
}

// Three significant digits, without an exponent: 0.0312, 3.12, 312, 31200.
std::string three_digits(double value)
{
    const int before_point = static_cast<int>(std::floor(std::log10(value))) + 1;
    const double unit = std::pow(10.0, before_point - 3);
    return with_digits(std::round(value / unit) * unit, std::max(0, 3 - before_point));
}

// Columns stay aligned on a terminal, too.
void print_cell(const std::string& text, std::size_t width)
{
    std::printf(" %*s |", static_cast<int>(width), text.c_str());
}

constexpr std::size_t shape_width = 17, speed_width = 8;

std::size_t width_of(const std::string& title)
{
    return std::max(title.size(), speed_width);
}

} // namespace

Report::Report(std::vector<std::string> contenders) : contenders_(std::move(contenders))
{
    const auto column = [&](const char* name) {
        return static_cast<std::size_t>(std::find(contenders_.begin(), contenders_.end(), name) - contenders_.begin());
    };
    clgemm_ = column("clgemm");
    if (clgemm_ == contenders_.size())
        clgemm_ = column("clgemm-host");
    if (clgemm_ == contenders_.size())
        return; // no ratios
    for (std::size_t i = 0; i < contenders_.size(); i++)
        if (i != clgemm_)
            rivals_.push_back({"/ " + contenders_[i], {i}, {}, 0, ""});
    const std::size_t openblas = column("openblas"), blis = column("blis");
    if (openblas < contenders_.size() && blis < contenders_.size())
        rivals_.push_back({"/ better CPU BLAS", {openblas, blis}, {}, 0, ""});
}

void Report::begin(const std::string& suite)
{
    suite_ = suite;
    for (auto& rival : rivals_)
        rival.ratios.clear();

    std::printf("\n### %s\nGFLOP/s%s.\n\n|", suite.c_str(), rivals_.empty() ? "" : ", and clgemm's divided by each other's");
    print_cell("M x N x K", shape_width);
    print_cell("op", 2);
    for (const auto& name : contenders_)
        print_cell(name, width_of(name));
    for (const auto& rival : rivals_)
        print_cell(rival.name, width_of(rival.name));
    std::printf("\n|---|---|");
    for (std::size_t i = 0; i < contenders_.size() + rivals_.size(); i++)
        std::printf("--:|");
    std::printf("\n");
}

void Report::add(const Product& product, const std::vector<Outcome>& outcomes)
{
    std::printf("|");
    print_cell(to_string(product), shape_width);
    print_cell(to_string(product.transposes), 2);
    for (std::size_t i = 0; i < outcomes.size(); i++)
        print_cell(outcomes[i].gflops > 0 ? three_digits(outcomes[i].gflops) : outcomes[i].problem,
                   width_of(contenders_[i]));
    for (auto& rival : rivals_) {
        double best = 0;
        for (const std::size_t column : rival.columns)
            best = std::max(best, outcomes[column].gflops);
        const double ratio = best > 0 ? outcomes[clgemm_].gflops / best : 0;
        print_cell(ratio > 0 ? with_digits(ratio, 2) : "", width_of(rival.name));
        if (ratio <= 0)
            continue;
        if (rival.ratios.empty() || ratio < rival.lowest) {
            rival.lowest = ratio;
            rival.where = to_string(product) + " " + to_string(product.transposes);
        }
        rival.ratios.push_back(ratio);
    }
    std::printf("\n");
    std::fflush(stdout);
}

void Report::end()
{
    if (rivals_.empty())
        return;
    std::printf("\n| %s: clgemm | geometric mean | lowest | where | ratios |\n|---|--:|--:|---|--:|\n", suite_.c_str());
    for (const auto& rival : rivals_)
        if (!rival.ratios.empty())
            std::printf("| %s | %.3f | %.3f | %s | %zu |\n", rival.name.c_str(), timing::geometric_mean(rival.ratios),
                        rival.lowest, rival.where.c_str(), rival.ratios.size());
    std::fflush(stdout);
}

} // namespace bench
