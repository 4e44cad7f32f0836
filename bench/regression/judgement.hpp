// Whether a library has become slower, by what products took with an older one and with a newer one.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace bench {

// Of a product: what calls took in each turn, measured in turns with each other.
struct OldAndNew {
    std::vector<double> old_seconds, new_seconds;

    double ratio() const;          // of the medians: new to old
    bool is_beyond_chance() const; // the newer one is slower by more than chance explains
};

// What is too slow: so many times the older library's time, in the geometric mean or for one product.
struct RegressionLimits {
    double mean = 1.03, single = 1.10;
};

struct Judgement {
    double mean = 1;
    std::vector<std::size_t> too_slow; // indices of products
    bool mean_is_too_slow = false;

    bool passed() const { return too_slow.empty() && !mean_is_too_slow; }
};

// Of at least one product.
Judgement judge(const std::vector<OldAndNew>& products, const RegressionLimits& limits);

struct Judged {
    std::vector<OldAndNew> products;
    Judgement judgement;
};

// Measures all `count` products by their index. A machine is never quiet, so that nothing fails by one measurement: what is
// too slow is measured again, all products where their mean is, and its turns are added to those before; until it is no
// longer too slow, or so many `repeats` have not changed that.
Judged judge_repeatedly(std::size_t count, const std::function<OldAndNew(std::size_t)>& measure,
                        const RegressionLimits& limits, int repeats);

} // namespace bench
