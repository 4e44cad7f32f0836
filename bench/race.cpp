#include "race.hpp"

#include "timing/turns.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

namespace bench {

using namespace timing;

namespace {

// Each contender's share of the time, divided into turns.
struct Turns {
    int count = 0;
    int timed_calls = 0; // in a turn
    bool warm_up = true; // one more call before them
};

Turns plan_turns(Contender& contender, const Product& product, double seconds, int rounds)
{
    constexpr double long_call = 0.05; // to which a warm-up matters less than 1 %
    double call = seconds_of_a_call(contender, product);
    for (int i = 0; i < 2 && call < long_call; i++)
        call = std::min(call, seconds_of_a_call(contender, product));

    Turns turns;
    turns.warm_up = call < long_call;
    turns.timed_calls = static_cast<int>(std::clamp(2e-3 / call, turns.warm_up ? 2.0 : 1.0, 16.0));
    constexpr double change = 1e-4; // between contenders
    const double turn = change + call * (turns.timed_calls + (turns.warm_up ? 1 : 0));
    turns.count = rounds > 0 ? rounds : static_cast<int>(std::clamp(seconds / turn, turns.warm_up ? 5.0 : 3.0, 200.0));
    return turns;
}

// What the calls of each turn took.
using SecondsOfTurns = std::vector<std::vector<double>>;

void take_turn(benchmark::State& state, Contender& contender, const Product& product, bool warm_up, SecondsOfTurns& seconds)
{
    if (warm_up)
        contender.multiply(product);
    seconds.emplace_back();
    for ([[maybe_unused]] auto _ : state) {
        seconds.back().push_back(seconds_of_a_call(contender, product));
        state.SetIterationTime(seconds.back().back());
    }
}

// The report is made elsewhere, of medians over all turns.
class Silent : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>&) override {}
};

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace

void prepare_races()
{
    char program[] = "sgemm_bench", interleaving[] = "--benchmark_enable_random_interleaving=true";
    char* arguments[] = {program, interleaving, nullptr};
    int count = 2;
    benchmark::Initialize(&count, arguments);
}

std::vector<CallTimes> race(const std::vector<Contender*>& contenders, const Product& product, const Effort& effort)
{
    if (contenders.empty())
        return {};
    std::vector<SecondsOfTurns> seconds(contenders.size());
    benchmark::ClearRegisteredBenchmarks();
    for (std::size_t i = 0; i < contenders.size(); i++) {
        Contender& contender = *contenders[i];
        const double share = effort.seconds / static_cast<double>(contenders.size());
        const Turns turns = plan_turns(contender, product, share, effort.rounds);
        const auto turn = [&contender, &product, warm_up = turns.warm_up, &mine = seconds[i]](benchmark::State& state) {
            take_turn(state, contender, product, warm_up, mine);
        };
        benchmark::RegisterBenchmark(std::to_string(i).c_str(), turn)
            ->Iterations(turns.timed_calls)
            ->Repetitions(turns.count)
            ->UseManualTime();
    }
    Silent silent;
    benchmark::RunSpecifiedBenchmarks(&silent);

    std::vector<CallTimes> times;
    for (const SecondsOfTurns& mine : seconds) {
        CallTimes of_calls;
        std::vector<double> all;
        for (const auto& turn : mine) {
            of_calls.turns.push_back(median(turn));
            all.insert(all.end(), turn.begin(), turn.end());
        }
        of_calls.best = *std::min_element(all.begin(), all.end());
        of_calls.median = median(std::move(all));
        times.push_back(std::move(of_calls));
    }
    return times;
}

} // namespace bench
