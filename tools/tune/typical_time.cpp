#include "tune/typical_time.hpp"

#include "tune/budget.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <random>

namespace clgemm::tune {
namespace {

using namespace core;

// For how long calls are repeated whose times are compared.
struct Patience {
    std::size_t few, many; // calls
    double long_enough_ns; // of the first one's calls together: then few are enough
};

constexpr Patience patience_on_gpu{5, 31, 500e3}, patience_on_cpu{5, 40, 150e6};
// Where a difference of a few percent counts.
constexpr Patience long_patience_on_gpu{7, 51, 15e6}, long_patience_on_cpu{4, 40, 120e6};

constexpr double endless = std::numeric_limits<double>::infinity();

double timed_ns(const Call& call)
{
    const double begin = now_ns();
    call();
    return now_ns() - begin;
}

// On a GPU the median; on a CPU, whose time other processes take, the least.
double typical_of(DeviceType type, std::vector<double>& times)
{
    std::sort(times.begin(), times.end());
    return times[type == DeviceType::cpu ? 0 : times.size() / 2];
}

// What each of some calls takes that are made in turn. One that takes longer than `longest_ns` is not repeated, and none
// after `most_seconds`.
std::vector<double> typical_ns(DeviceType type, const std::vector<Call>& calls, const Patience& patience, double longest_ns,
                               double most_seconds)
{
    const Budget budget(most_seconds);
    for (const Call& call : calls)
        call();
    std::vector<std::vector<double>> times(calls.size());
    double sum = 0, longest = 0;
    const auto wants_more = [&](std::size_t round) {
        return longest <= longest_ns && (round == 0 || budget.left() > 0) &&
               (round < patience.few || (round < patience.many && sum < patience.long_enough_ns));
    };
    for (std::size_t round = 0; wants_more(round); round++) {
        for (std::size_t i = 0; i < calls.size(); i++) {
            times[i].push_back(timed_ns(calls[i]));
            longest = std::max(longest, times[i].back());
        }
        sum += times.front().back();
    }
    std::vector<double> result;
    for (auto& of_call : times)
        result.push_back(typical_of(type, of_call));
    return result;
}

} // namespace

double now_ns()
{
    using namespace std::chrono;
    return static_cast<double>(duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

std::vector<double> typical_ns_in_turn(DeviceType type, const std::vector<Call>& calls)
{
    constexpr std::size_t fewest_turns = 3, most_turns = 21, calls_in_a_turn = 3;
    constexpr double most_seconds = 3;
    std::vector<std::vector<double>> times(calls.size());
    std::vector<std::size_t> order(calls.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(1);
    const Budget budget(most_seconds);
    for (std::size_t turn = 0; turn < fewest_turns || (turn < most_turns && budget.left() > 0); turn++) {
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t i : order) {
            calls[i]();
            for (std::size_t call = 0; call < calls_in_a_turn; call++)
                times[i].push_back(timed_ns(calls[i]));
        }
    }
    std::vector<double> result;
    for (auto& of_call : times)
        result.push_back(typical_of(type, of_call));
    return result;
}

double typical_ns(DeviceType type, const Call& call)
{
    const Patience& patience = type == DeviceType::cpu ? patience_on_cpu : patience_on_gpu;
    return typical_ns(type, {call}, patience, type == DeviceType::cpu ? patience.long_enough_ns : longest_call_ns, endless)
        .front();
}

std::pair<double, double> typical_ns_of_two(DeviceType type, const Call& first, const Call& second, double most_seconds)
{
    const Patience& patience = type == DeviceType::cpu ? long_patience_on_cpu : long_patience_on_gpu;
    const auto ns = typical_ns(type, {first, second}, patience, endless, most_seconds);
    return {ns[0], ns[1]};
}

} // namespace clgemm::tune
