#include "accuracy_report.hpp"

#include <algorithm>
#include <cstdio>

namespace bench {
namespace {

constexpr const char* rival = "cublas";

// Columns stay aligned on a terminal, too.
constexpr int name_width = 13, k_width = 6, errors_width = 21;

std::string three_digits(double mean, double max)
{
    char text[64];
    std::snprintf(text, sizeof(text), "%.3g / %.3g", mean, max);
    return text;
}

// `unit`: so many of the units that Errors count in make one of the table's.
std::string in_units(const std::optional<Errors>& errors, double unit)
{
    if (!errors)
        return "failed";
    if (errors->misclassified > 0)
        return std::to_string(errors->misclassified) + " misclassified";
    return three_digits(errors->mean / unit, errors->max / unit);
}

using OfEachK = std::vector<std::optional<Errors>>;

// The worst of each figure; none where a call failed.
std::optional<Errors> worst(const OfEachK& all)
{
    Errors worst;
    for (const auto& errors : all) {
        if (!errors)
            return std::nullopt;
        worst.mean = std::max(worst.mean, errors->mean);
        worst.max = std::max(worst.max, errors->max);
        worst.misclassified += errors->misclassified;
    }
    return worst;
}

double ratio(double ours, double theirs)
{
    return ours == theirs ? 1 : ours / theirs; // also where both are 0
}

// Whether mean and max are at most theirs for every K, and the largest ratios to theirs.
std::string verdict(const OfEachK& ours, const OfEachK& theirs)
{
    const auto our_worst = worst(ours), their_worst = worst(theirs);
    if (!our_worst || !their_worst)
        return "";
    if (our_worst->misclassified > 0)
        return "**no**";
    if (their_worst->misclassified > 0)
        return "yes";
    double mean = 0, max = 0;
    for (std::size_t i = 0; i < ours.size(); i++) {
        mean = std::max(mean, ratio(ours[i]->mean, theirs[i]->mean));
        max = std::max(max, ratio(ours[i]->max, theirs[i]->max));
    }
    return (mean <= 1 && max <= 1 ? "yes " : "**no** ") + three_digits(mean, max);
}

} // namespace

AccuracyReport::AccuracyReport(std::vector<std::string> contenders) : contenders_(std::move(contenders)) {}

void AccuracyReport::begin()
{
    std::printf("\nErrors, mean / max: in units of u sum |a||b|, and of the bound K u sum |a||b|.\n\n| %-*s | %*s |",
                name_width, "input", k_width, "K");
    for (const auto& name : contenders_)
        std::printf(" %*s | %*s |", errors_width, name.c_str(), errors_width, "of the bound");
    std::printf("\n|---|--:|");
    for (std::size_t i = 0; i < contenders_.size(); i++)
        std::printf("--:|--:|");
    std::printf("\n");
}

void AccuracyReport::add(const Input& input, std::size_t k, const std::vector<std::optional<Errors>>& errors)
{
    if (inputs_.empty() || inputs_.back().input.name != input.name)
        inputs_.push_back({input, std::vector<OfEachK>(contenders_.size())});
    for (std::size_t i = 0; i < errors.size(); i++)
        inputs_.back().errors[i].push_back(errors[i]);

    std::printf("| %-*s | %*zu |", name_width, input.name.c_str(), k_width, k);
    for (const auto& one : errors)
        std::printf(" %*s | %*s |", errors_width, in_units(one, 1).c_str(), errors_width,
                    in_units(one, static_cast<double>(k)).c_str());
    std::printf("\n");
    std::fflush(stdout);
}

void AccuracyReport::summarize() const
{
    const auto place = std::find(contenders_.begin(), contenders_.end(), rival);
    const auto rivals_column = static_cast<std::size_t>(place - contenders_.begin());
    const bool has_rival = place != contenders_.end();

    std::printf("\nThe largest mean / the largest max of all K, in units of u sum |a||b|");
    if (has_rival)
        std::printf("; whether both are at most cuBLAS's at every K, and their largest ratios to cuBLAS's");
    std::printf(".\n\n| input |");
    std::string line = "|---|";
    for (const auto& name : contenders_) {
        std::printf(" %s |", name.c_str());
        line += "--:|";
    }
    for (const auto& name : contenders_)
        if (has_rival && name != rival) {
            std::printf(" %s <= %s |", name.c_str(), rival);
            line += "--:|";
        }
    std::printf("\n%s\n", line.c_str());

    for (const auto& of : inputs_) {
        std::printf("| %s: %s |", of.input.name.c_str(), of.input.says.c_str());
        for (const auto& errors : of.errors)
            std::printf(" %s |", in_units(worst(errors), 1).c_str());
        for (std::size_t i = 0; i < contenders_.size(); i++)
            if (has_rival && i != rivals_column)
                std::printf(" %s |", verdict(of.errors[i], of.errors[rivals_column]).c_str());
        std::printf("\n");
    }
}

} // namespace bench
