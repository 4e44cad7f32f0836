#include "timing/turns.hpp"

#include "timing/statistics.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <numeric>
#include <random>
#include <utility>

namespace timing {
namespace {

constexpr double seconds_of_a_turn = 5e-4;
constexpr double long_call = 1e-3; // what the contender before left in the caches matters little to it
constexpr int most_calls = 16;     // of a turn

double take_turn(Contender& contender, const Product& product, double seconds_of_one)
{
    if (seconds_of_one < long_call)
        contender.multiply(product);
    std::vector<double> seconds(
        static_cast<std::size_t>(std::clamp(seconds_of_a_turn / seconds_of_one, 1.0, static_cast<double>(most_calls))));
    for (double& call : seconds)
        call = seconds_of_a_call(contender, product);
    return quantile(std::move(seconds), 0.5);
}

} // namespace

double seconds_of_a_call(Contender& contender, const Product& product)
{
    const auto start = std::chrono::steady_clock::now();
    contender.multiply(product);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<std::vector<double>> take_turns(const std::vector<Contender*>& contenders, const Product& product, int rounds)
{
    std::vector<double> seconds_of_one;
    std::transform(contenders.begin(), contenders.end(), std::back_inserter(seconds_of_one),
                   [&](Contender* contender) { return seconds_of_a_call(*contender, product); });
    std::vector<std::vector<double>> turns(contenders.size());
    std::vector<std::size_t> order(contenders.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(1);
    for (int round = 0; round < rounds; round++) {
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t i : order)
            turns[i].push_back(take_turn(*contenders[i], product, seconds_of_one[i]));
    }
    return turns;
}

} // namespace timing
