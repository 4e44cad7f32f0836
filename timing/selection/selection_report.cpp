#include "timing/selection/selection_report.hpp"

#include "timing/statistics.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace timing {
namespace {

constexpr std::size_t most_shown = 10; // of the worst

template <typename Value>
std::vector<double> collected(const std::vector<JudgedCall>& calls, const Value& value_if_it_counts)
{
    std::vector<double> values;
    for (const JudgedCall& call : calls)
        if (call.verdict.is_timed)
            if (const std::optional<double> value = value_if_it_counts(call))
                values.push_back(*value);
    return values;
}

std::vector<double> shares_in(const std::vector<JudgedCall>& calls, std::string_view kind)
{
    return collected(calls, [&](const JudgedCall& call) {
        return kind.empty() || kind == call.call.kind ? std::optional(call.verdict.share) : std::nullopt;
    });
}

// For the calls for which strict accuracy chooses something else: by how much that is faster.
std::vector<double> strict_shares_in(const std::vector<JudgedCall>& calls)
{
    return collected(calls, [](const JudgedCall& call) {
        return call.verdict.strict ? std::optional(call.verdict.strict_share) : std::nullopt;
    });
}

void print_row(const char* name, const std::vector<double>& values)
{
    if (values.empty())
        return;
    const Shares shares = shares_of(values);
    std::printf("| %-24s | %5zu | %14.3f | %14.3f | %5.3f |\n", name, shares.count, shares.mean, shares.fifth_percentile,
                shares.least);
}

const char* name_of(Columns columns)
{
    switch (columns) {
    case Columns::without_gaps: break;
    case Columns::aligned: return "aligned";
    case Columns::unaligned: return "unaligned";
    }
    return "without gaps";
}

void print_timed(const char* role, const Timed& timed)
{
    std::printf("   - %s: %.4g us", role, timed.seconds * 1e6);
    if (timed.estimate_ns > 0)
        std::printf(" (estimated %.4g)", timed.estimate_ns * 1e-3);
    std::printf(", %s\n", timed.what.c_str());
}

Json to_json(const Timed& timed)
{
    return {{"what", timed.what}, {"us", timed.seconds * 1e6}, {"estimated_us", timed.estimate_ns * 1e-3}};
}

Json to_json(const Shares& shares)
{
    return {{"calls", shares.count},
            {"mean", shares.mean},
            {"fifth_percentile", shares.fifth_percentile},
            {"least", shares.least}};
}

Json in_short(const JudgedCall& judged)
{
    const auto& [kind, product] = judged.call;
    const Verdict& verdict = judged.verdict;
    Json about{{"kind", kind},
               {"m", product.shape.m},
               {"n", product.shape.n},
               {"k", product.shape.k},
               {"count", product.count},
               {"transposes", to_string(product.transposes)},
               {"columns", name_of(product.columns)},
               {"weighed", verdict.weighed},
               {"hopeless_kernels", verdict.hopeless_kernels}};
    if (verdict.is_timed) {
        about["share"] = verdict.share;
        if (judged.share_before)
            about["share_before"] = *judged.share_before;
        about["chosen"] = to_json(verdict.chosen);
        about["best"] = to_json(verdict.best);
    }
    if (verdict.is_timed && verdict.strict) {
        about["strict_share"] = verdict.strict_share;
        about["strict"] = to_json(*verdict.strict);
    }
    return about;
}

Json to_json(const JudgedCall& judged)
{
    const Verdict& verdict = judged.verdict;
    Json about = in_short(judged);
    about["timed"] = Json::array();
    for (const Timed& timed : verdict.timed)
        about["timed"].push_back(to_json(timed));
    about["not_had"] = verdict.not_had;
    about["failures"] = verdict.failures;
    return about;
}

} // namespace

Shares shares_of(const std::vector<double>& shares)
{
    constexpr double five_percent = 0.05;
    return {shares.size(), geometric_mean(shares), quantile(shares, five_percent), quantile(shares, 0)};
}

std::vector<const JudgedCall*> worst_of(const std::vector<JudgedCall>& calls, std::size_t most)
{
    std::vector<const JudgedCall*> result;
    for (const JudgedCall& call : calls)
        if (call.verdict.is_timed && call.verdict.share < 1)
            result.push_back(&call);
    std::stable_sort(result.begin(), result.end(),
                     [](const JudgedCall* a, const JudgedCall* b) { return a->verdict.share < b->verdict.share; });
    result.resize(std::min(result.size(), most));
    return result;
}

void print(const std::vector<JudgedCall>& calls)
{
    std::printf("| %-24s | calls | geometric mean | 5th percentile | least |\n|---|--:|--:|--:|--:|\n", "chosen / best");
    print_row("all", shares_in(calls, ""));
    for (const Kind& kind : kinds_of_calls)
        print_row(std::string(kind.name).c_str(), shares_in(calls, kind.name));
    print_row("chosen / strict's choice", strict_shares_in(calls));

    std::size_t weighed = 0, timed = 0, hopeless_kernels = 0;
    for (const JudgedCall& call : calls) {
        weighed += call.verdict.weighed;
        timed += call.verdict.timed.size();
        hopeless_kernels += call.verdict.hopeless_kernels;
    }
    std::printf(
        "\nOf %zu kernels, sizes and ways that were weighed %zu were timed; %zu times a kernel was left out with all that "
        "was weighed of it.\n",
        weighed, timed, hopeless_kernels);
    const auto twice =
        std::count_if(calls.begin(), calls.end(), [](const JudgedCall& call) { return call.share_before.has_value(); });
    if (twice > 0)
        std::printf("%td calls were judged twice, since their choice had lost much at first; the second verdict counts.\n",
                    twice);

    const auto worst = worst_of(calls, most_shown);
    if (worst.empty())
        return;
    std::printf("\nThe worst:\n\n");
    for (std::size_t i = 0; i < worst.size(); i++) {
        const auto& [call, verdict, share_before] = *worst[i];
        std::printf("%zu. %.3f: %s %s, %s (%s)\n", i + 1, verdict.share, to_string(call.product).c_str(),
                    to_string(call.product.transposes).c_str(), name_of(call.product.columns),
                    std::string(call.kind).c_str());
        print_timed("chosen", verdict.chosen);
        print_timed("best", verdict.best);
    }
}

Json to_json(const std::vector<JudgedCall>& calls)
{
    Json result;
    if (const auto shares = shares_in(calls, ""); !shares.empty())
        result["chosen_by_best"] = to_json(shares_of(shares));
    for (const Kind& kind : kinds_of_calls)
        if (const auto shares = shares_in(calls, kind.name); !shares.empty())
            result["chosen_by_best"][std::string(kind.name)] = to_json(shares_of(shares));
    if (const auto shares = strict_shares_in(calls); !shares.empty())
        result["chosen_by_strict"] = to_json(shares_of(shares));
    result["worst"] = Json::array();
    for (const JudgedCall* call : worst_of(calls, most_shown))
        result["worst"].push_back(in_short(*call));
    result["calls"] = Json::array();
    for (const JudgedCall& call : calls)
        result["calls"].push_back(to_json(call));
    return result;
}

} // namespace timing
