// Pairwise choice: few combinations that still contain every pair of values of every two factors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <vector>

namespace clgemm::test {

// levels[f] is the number of values of factor f. Each row of the result gives a value to every factor. Greedy: every row
// starts from a pair not yet seen and takes, factor by factor, the value that brings the most new pairs.
inline std::vector<std::vector<std::size_t>> pairwise(const std::vector<std::size_t>& levels)
{
    using Pair = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>; // factor, value, later factor, value
    std::set<Pair> missing;
    for (std::size_t f = 0; f < levels.size(); f++)
        for (std::size_t g = f + 1; g < levels.size(); g++)
            for (std::size_t v = 0; v < levels[f]; v++)
                for (std::size_t w = 0; w < levels[g]; w++)
                    missing.insert({f, v, g, w});

    constexpr auto open = static_cast<std::size_t>(-1);
    const auto pair = [](std::size_t f, std::size_t v, std::size_t g, std::size_t w) {
        return f < g ? Pair{f, v, g, w} : Pair{g, w, f, v};
    };

    std::vector<std::vector<std::size_t>> rows;
    while (!missing.empty()) {
        std::vector<std::size_t> row(levels.size(), open);
        const auto [f0, v0, g0, w0] = *missing.begin();
        row[f0] = v0;
        row[g0] = w0;
        for (std::size_t f = 0; f < levels.size(); f++) {
            if (row[f] != open)
                continue;
            std::size_t best = 0, best_new = 0;
            for (std::size_t i = 0; i < levels[f]; i++) {
                const std::size_t v = (i + rows.size()) % levels[f]; // another first choice in each row, to spread ties
                std::size_t fresh = 0;
                for (std::size_t g = 0; g < levels.size(); g++)
                    if (row[g] != open)
                        fresh += missing.count(pair(f, v, g, row[g]));
                if (i == 0 || fresh > best_new) {
                    best = v;
                    best_new = fresh;
                }
            }
            row[f] = best;
        }
        for (std::size_t f = 0; f < levels.size(); f++)
            for (std::size_t g = f + 1; g < levels.size(); g++)
                missing.erase({f, row[f], g, row[g]});
        rows.push_back(row);
    }
    return rows;
}

} // namespace clgemm::test
