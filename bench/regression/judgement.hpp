// Whether a library has become slower, by the times of products with an older one and with a newer one.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace bench {

// What calls of a product took in each turn. The two libraries were measured in turns with each other.
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

// `products`: at least one.
Judgement judge(const std::vector<OldAndNew>& products, const RegressionLimits& limits);

struct Judged {
    std::vector<OldAndNew> products;
    Judgement judgement;
};

// Measures all `count` products by their index. A machine is never quiet, so nothing fails by one measurement. Products that
// are too slow are measured again, or all of them where their mean is too slow, and their new turns are added to those
// before, until none is too slow any more, or `repeats` repeats have not changed that.
Judged judge_repeatedly(std::size_t count, const std::function<OldAndNew(std::size_t)>& measure,
                        const RegressionLimits& limits, int repeats);

} // namespace bench
