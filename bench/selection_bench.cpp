// How good the library's choices are: for calls drawn at random it times what is chosen, next to the other kernels, sizes
// and ways that could have been. docs/benchmarks.md says how.
//
//   selection_bench --calls 1000 --json selection.json
#include "command_line.hpp"
#include "setting.hpp"
#include "shapes.hpp"
#include "timing/selection/contest.hpp"
#include "timing/selection/drawn_calls.hpp"
#include "timing/selection/selection_report.hpp"

#include "engine/request.hpp"

#include "tools/program/interrupt.hpp"
#include "tools/program/machine.hpp"
#include "tools/program/program.hpp"
#include "tools/program/progress.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

namespace {

using namespace bench;
using namespace timing;
using clgemm::program::is_interrupted;

// What the command line asks.
struct Asked {
    std::vector<std::string> shapes, transposes{"NN", "NT", "TN", "TT"}; // instead of drawn calls
    std::uint64_t seed = 1;
    std::size_t calls = 100;
    double seconds = std::numeric_limits<double>::infinity();
    double most_gflop = 0; // 0: what suits the device
    std::string math;      // empty: as CLGEMM_MATH says
    std::string json;      // a file
    std::optional<double> within, hopeless;
    bool all = false;
    ContestRules rules;
    bool pins_pocl = false;
};

std::vector<std::string> names_of_accuracies()
{
    std::vector<std::string> names;
    for (const auto& accuracy : clgemm::core::accuracies)
        names.emplace_back(accuracy.name);
    return names;
}

void add_options(clgemm::program::Program& app, Asked& asked)
{
    auto* const shapes = app.add_option(
        "--shapes", asked.shapes,
        "These calls, MxNxK or one number for a square, without gaps, instead of drawn ones; 100*MxNxK is a batch of 100");
    shapes->delimiter(',')->check(readable_by(parse_product));
    app.add_option("--transposes", asked.transposes, "Of these calls; default: all")
        ->delimiter(',')
        ->check(CLI::IsMember({"NN", "NT", "TN", "TT"}))
        ->needs(shapes);
    app.add_option("--seed", asked.seed, "Draws other calls")->capture_default_str()->check(clgemm::program::whole_number());
    app.add_option("--calls", asked.calls, "How many calls are drawn")->capture_default_str()->check(CLI::Range(1, 1000000));
    app.add_option("--seconds", asked.seconds, "Ends after the call at hand once so many have passed; default: never")
        ->check(clgemm::program::positive_number());
    app.add_option(
           "--most-gflop", asked.most_gflop,
           "Draws no call of more floating-point operations, in 10^9; default: 2 for each compute unit of a CPU, 8 for "
           "each one of a GPU")
        ->check(clgemm::program::positive_number());
    shapes->excludes("--seed", "--calls", "--most-gflop");
    app.add_option("--math", asked.math, "The accuracy of the calls; default: as CLGEMM_MATH says")
        ->check(CLI::IsMember(names_of_accuracies()));
    app.add_option(
           "--within", asked.within,
           "Times only what is estimated to take at most so many times the least estimate, and the best of each kernel "
           "by estimate; default: 1.25")
        ->check(CLI::Range(1.0, 1e6));
    app.add_option(
           "--hopeless", asked.hopeless,
           "Leaves out the best of a kernel, too, if it is estimated to take more than so many times the least estimate; "
           "default: 3 on a device that was measured, else none is left out")
        ->check(CLI::Range(1.0, 1e6));
    app.add_flag("--all", asked.all, "Times everything that the library weighs");
    app.add_option("--rounds", asked.rules.rounds, "Turns of each of the last four for a call")
        ->capture_default_str()
        ->check(CLI::Range(5, 1000));
    app.add_option("--json", asked.json, "Writes all results to this file besides")->type_name("FILE");
    app.add_device_option();
}

CallLimits limits_for(const clgemm::core::DeviceProfile& device, const Asked& asked)
{
    CallLimits limits = usual_limits(device);
    if (asked.most_gflop > 0)
        limits.most_flops = asked.most_gflop * 1e9;
    return limits;
}

Pruning pruning_for(const Asked& asked, const clgemm::core::Tuning& tuning)
{
    Pruning pruning = usual_pruning(tuning);
    pruning.within = asked.within.value_or(pruning.within);
    pruning.hopeless = asked.hopeless.value_or(pruning.hopeless);
    pruning.all = asked.all;
    return pruning;
}

std::vector<DrawnCall> calls_asked(const Asked& asked, const CallLimits& limits)
{
    if (asked.shapes.empty())
        return draw_calls(asked.seed, asked.calls, limits);
    std::vector<DrawnCall> calls;
    for (const auto& shape : asked.shapes)
        for (const auto& transposes : asked.transposes) {
            Product product = parse_product(shape);
            product.transposes = parse_transposes(transposes);
            calls.push_back({"asked for", product});
        }
    return calls;
}

std::string but_hopeless_ones(const Pruning& pruning)
{
    std::ostringstream text;
    if (std::isfinite(pruning.hopeless))
        text << ", unless that is estimated to take more than " << pruning.hopeless << " times";
    return text.str();
}

void print_head(const Setting& setting, const Asked& asked, const CallLimits& limits, const clgemm::core::Tuning& tuning)
{
    print(setting);
    std::printf("%s accuracy, column-major, alpha = 1, beta = 0.\n\n", asked.math.c_str());
    if (asked.shapes.empty())
        std::printf("- calls: %zu of seed %llu, of at most %.4g GFLOP, and %zu elements in a matrix\n", asked.calls,
                    static_cast<unsigned long long>(asked.seed), limits.most_flops * 1e-9, limits.most_elements);
    std::printf("- chosen by: %s\n", tuning.origin.c_str());
    if (asked.rules.pruning.all)
        std::printf("- timed: everything that the library weighs\n");
    else
        std::printf(
            "- timed: what is estimated to take at most %g times the least estimate, and the best of each kernel%s\n",
            asked.rules.pruning.within, but_hopeless_ones(asked.rules.pruning).c_str());
    if (setting.on_cpu && asked.pins_pocl)
        std::printf("- POCL_AFFINITY=1 is set, so that each of PoCL's threads keeps to a core\n");
    std::printf("\n");
    std::fflush(stdout);
}

void write_json(const std::string& file, const Json& json)
{
    std::ofstream out(file);
    out << json.dump(1) << "\n";
    if (!out.flush())
        throw std::runtime_error("cannot write " + file);
}

// Tells at once of whatever gave no right result: it is a defect.
bool tell_failures(const DrawnCall& call, const Verdict& verdict)
{
    for (const std::string& failure : verdict.failures)
        std::fprintf(stderr, "selection_bench: %s %s: %s\n", to_string(call.product).c_str(),
                     to_string(call.product.transposes).c_str(), failure.c_str());
    return !verdict.failures.empty();
}

double seconds_since(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Judges one call after the other, and shows how far it is.
class Judging {
public:
    Judging(Contest& contest, const std::vector<DrawnCall>& calls, double seconds)
        : contest_(contest), calls_(calls), most_seconds_(seconds)
    {
    }

    void judge_all()
    {
        while (judged.size() < calls_.size() && !is_interrupted() && (judged.empty() || is_time_left())) {
            const DrawnCall& call = calls_[judged.size()];
            const auto next = std::span(calls_).subspan(judged.size() + 1);
            const auto share_done = static_cast<double>(judged.size()) / static_cast<double>(calls_.size());
            judged.push_back({call, judge(call, share_done, std::to_string(judged.size() + 1), next)});
        }
    }

    // Others that used the device while a call was timed may have made a good choice look bad. So calls that seem to have
    // lost much are timed once more at the end, and the second verdict counts, whatever it is.
    void judge_the_worst_again()
    {
        constexpr double little = 0.9;
        for (JudgedCall& one : judged) {
            if (is_interrupted() || !is_time_left())
                return;
            if (!one.verdict.is_timed || one.verdict.share >= little)
                continue;
            const Verdict verdict = judge(one.call, 1, "once more, one", {});
            if (!verdict.is_timed)
                continue;
            one.share_before = one.verdict.share;
            one.verdict = verdict;
        }
    }

    double seconds() const { return seconds_since(begin_); }

    std::vector<JudgedCall> judged;
    bool all_right = true;
    double seconds_of_building = 0;

private:
    bool is_time_left() const { return seconds() < most_seconds_; }

    Verdict judge(const DrawnCall& call, double share_done, const std::string& which, std::span<const DrawnCall> next)
    {
        progress_.show(share_done, which + " of " + std::to_string(calls_.size()) + ": " + to_string(call.product) + " " +
                                       to_string(call.product.transposes));
        Verdict verdict = contest_.judge(call.product, next);
        progress_.clear();
        seconds_of_building += verdict.seconds_of_building;
        all_right = !tell_failures(call, verdict) && all_right;
        return verdict;
    }

    Contest& contest_;
    const std::vector<DrawnCall>& calls_;
    const double most_seconds_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    clgemm::program::Progress progress_;
};

Json to_json(const Setting& setting, const Asked& asked, const CallLimits& limits, const clgemm::core::Tuning& tuning,
             const std::vector<JudgedCall>& judged)
{
    Json all = to_json(setting);
    all["interrupted"] = is_interrupted();
    all["math"] = asked.math;
    all["tuning"] = tuning.origin;
    if (asked.shapes.empty()) {
        all["seed"] = asked.seed;
        all["most_gflop"] = limits.most_flops * 1e-9;
        all["most_elements"] = limits.most_elements;
    }
    const Pruning& pruning = asked.rules.pruning;
    all["within"] = pruning.all ? Json(nullptr) : Json(pruning.within);
    all["hopeless"] = pruning.all || std::isinf(pruning.hopeless) ? Json(nullptr) : Json(pruning.hopeless);
    all.update(to_json(judged));
    return all;
}

int run(int argc, char** argv, Asked asked)
{
    const cl::Device device = clgemm::default_device();
    const Setting setting = setting_of("selection_bench", argc, argv, device);
    const auto planner = clgemm::core::planner_for(device());
    asked.rules.accuracy = asked.math.empty() ? clgemm::core::environment_request().accuracy
                                              : clgemm::core::find_accuracy(std::string_view(asked.math))->math;
    asked.math = clgemm::core::accuracy_of(asked.rules.accuracy).name;
    // Before hours of measuring, not after them.
    if (!asked.json.empty() && !std::ofstream(asked.json, std::ios::app))
        throw std::runtime_error("--json: cannot write " + asked.json);
    asked.rules.pruning = pruning_for(asked, planner->tuning());
    asked.rules.builders = clgemm::build_ahead::builders_for(planner->device());
    const CallLimits limits = limits_for(planner->device(), asked);
    const std::vector<DrawnCall> calls = calls_asked(asked, limits);

    Sizes sizes;
    for (const DrawnCall& call : calls)
        sizes.make_room_for(call.product);
    const HostMatrices host(sizes);
    const DeviceMatrices on_device(cl::CommandQueue(cl::Context(device), device), host);
    Contest contest(host, on_device, asked.rules);
    print_head(setting, asked, limits, planner->tuning());

    Judging judging(contest, calls, asked.seconds);
    judging.judge_all();
    judging.judge_the_worst_again();
    const auto& judged = judging.judged;
    if (!is_interrupted() &&
        std::none_of(judged.begin(), judged.end(), [](const JudgedCall& one) { return one.verdict.is_timed; }))
        throw std::runtime_error("there is nothing to time: none of the choices for " + std::to_string(judged.size()) +
                                 " calls could be had");

    print(judged);
    std::printf("\n%zu calls in %.1f seconds, %.1f of which went by while programs were built.\n", judged.size(),
                judging.seconds(), judging.seconds_of_building);
    if (!asked.json.empty())
        write_json(asked.json, to_json(setting, asked, limits, planner->tuning(), judged));
    if (is_interrupted()) {
        std::fprintf(stderr, "selection_bench: interrupted after %zu of %zu calls\n", judged.size(), calls.size());
        return clgemm::program::interrupted;
    }
    return judging.all_right ? clgemm::program::success : clgemm::program::failure;
}

} // namespace

int main(int argc, char** argv)
{
    if (clgemm::build_ahead::builds_for_another(argc, argv))
        return clgemm::build_ahead::build_for_another();
    clgemm::program::Program program("selection_bench", "Times what clgemm chooses next to what it could have chosen.");
    Asked asked;
    add_options(program, asked);
    return program.run(argc, argv, [&] {
        clgemm::program::catch_interrupts();
        asked.pins_pocl = clgemm::program::pin_pocl();
        clgemm::program::warn_if_loaded("selection_bench");
        return run(argc, argv, asked);
    });
}
