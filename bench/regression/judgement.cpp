#include "judgement.hpp"

#include "timing/statistics.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace bench {
namespace {

void append(std::vector<double>& to, const std::vector<double>& more)
{
    to.insert(to.end(), more.begin(), more.end());
}

} // namespace

double OldAndNew::ratio() const
{
    return timing::quantile(new_seconds, 0.5) / timing::quantile(old_seconds, 0.5);
}

bool OldAndNew::is_beyond_chance() const
{
    return timing::is_faster(old_seconds, new_seconds);
}

Judgement judge(const std::vector<OldAndNew>& products, const RegressionLimits& limits)
{
    std::vector<double> ratios;
    std::transform(products.begin(), products.end(), std::back_inserter(ratios),
                   [](const OldAndNew& product) { return product.ratio(); });
    Judgement judgement;
    judgement.mean = timing::geometric_mean(ratios);
    judgement.mean_is_too_slow = judgement.mean > limits.mean;
    for (std::size_t i = 0; i < products.size(); i++)
        if (ratios[i] > limits.single && products[i].is_beyond_chance())
            judgement.too_slow.push_back(i);
    return judgement;
}

Judged judge_repeatedly(std::size_t count, const std::function<OldAndNew(std::size_t)>& measure,
                        const RegressionLimits& limits, int repeats)
{
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<std::size_t> doubtful = all;
    Judged judged{std::vector<OldAndNew>(count), {}};
    for (int repeat = 0;; repeat++) {
        for (const std::size_t index : doubtful) {
            const OldAndNew more = measure(index);
            append(judged.products[index].old_seconds, more.old_seconds);
            append(judged.products[index].new_seconds, more.new_seconds);
        }
        judged.judgement = judge(judged.products, limits);
        if (judged.judgement.passed() || repeat == repeats)
            return judged;
        doubtful = judged.judgement.mean_is_too_slow ? all : judged.judgement.too_slow;
    }
}

} // namespace bench
