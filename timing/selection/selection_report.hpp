// What was found out about the library's choices, for people and as JSON.
#pragma once

#include "timing/selection/contest.hpp"
#include "timing/selection/drawn_calls.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <vector>

namespace timing {

using Json = nlohmann::ordered_json;

struct JudgedCall {
    DrawnCall call;
    Verdict verdict;
    std::optional<double> share_before = {}; // where it was judged twice: of the first verdict
};

// What many shares (Verdict::share) amount to.
struct Shares {
    std::size_t count = 0;
    double mean = 0; // geometric
    double fifth_percentile = 0;
    double least = 0;
};
Shares shares_of(const std::vector<double>& shares); // of at least one call

// The timed calls whose choice lost most, the worst first: at most so many, and none whose choice was the best.
std::vector<const JudgedCall*> worst_of(const std::vector<JudgedCall>& calls, std::size_t most);

// Markdown: a table of shares by kind of call, and the worst ten calls.
void print(const std::vector<JudgedCall>& calls);

// The same, and all calls with all that was timed for them.
Json to_json(const std::vector<JudgedCall>& calls);

} // namespace timing
