// The tables: speeds and ratios as Markdown, row by row as they come, and per suite what the ratios amount to.
#pragma once

#include "shapes.hpp"

#include <string>
#include <vector>

namespace bench {

struct Outcome {
    double gflops = 0;   // by the median of all calls; 0: none
    double best = 0;     // by the fastest call
    std::string problem; // "wrong" or "failed" where there is none
};

class Report {
public:
    // What each column of outcomes is called.
    explicit Report(std::vector<std::string> contenders);

    void begin(const std::string& suite);
    void add(const timing::Product& product, const std::vector<Outcome>& outcomes);
    void end();

private:
    // What clgemm is compared with: a contender, or the best of several.
    struct Rival {
        std::string name;
        std::vector<std::size_t> columns;
        std::vector<double> ratios;
        double lowest = 0;
        std::string where;
    };

    std::vector<std::string> contenders_;
    std::size_t clgemm_ = 0;
    std::vector<Rival> rivals_;
    std::string suite_;
};

} // namespace bench
