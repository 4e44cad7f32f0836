// clgemm-tune: finds the fastest kernels for a device and writes them to a file that the library picks up by itself.
//
//   clgemm-tune [--device NAME] [--budget SECONDS] [--only KERNEL] [--output FILE] [--dry-run]
//   clgemm-tune [--device NAME] --compare FILE [--size M N K]...
//   clgemm-tune [--device NAME] --calls FILE [--budget SECONDS] [--output FILE] [--dry-run]
//
// Every candidate's result is checked before it is timed, and what was found is compared with what the library chose before.
// Ctrl-C ends the work and keeps what was found; another one ends the program at once.
#include "tune/budget.hpp"
#include "tune/call_search.hpp"
#include "tune/chosen.hpp"
#include "tune/probe.hpp"
#include "tune/program_calls.hpp"
#include "tune/report.hpp"
#include "tune/search.hpp"
#include "tune/trial.hpp"

#include "tools/program/interrupt.hpp"
#include "tools/program/machine.hpp"
#include "tools/program/program.hpp"
#include "tools/program/progress.hpp"

#include "device/query_profile.hpp"
#include "families/registry.hpp"
#include "support/error.hpp"
#include "support/replace_file.hpp"
#include "tuning/derived_tuning.hpp"
#include "tuning/tuning_file.hpp"
#include "tuning/tuning_sources.hpp"

#include <clgemm/clgemm.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <optional>
#include <thread>

namespace {

using namespace clgemm;

struct Asked {
    std::string output; // empty: the user's own file
    double budget = 60;
    const clgemm::core::KernelInfo* only = nullptr; // of all kernels
    bool dry_run = false;
    std::string compared;           // this file with what the library chooses without it; empty: the device is tuned
    std::vector<std::size_t> sizes; // for that: M, N, K, M, N, K, ...; empty: those that tuning compares
    std::string calls;              // those of this record are tuned one by one; empty: the device is tuned
    bool budget_is_given = false;
};

using Clock = std::chrono::steady_clock;

// A compiler or kernel that hangs cannot be stopped from inside: after this long in one compilation or call the process
// writes what it has and goes. (A candidate of many of them that takes too long is left by the probe, and the next one is
// tried.)
constexpr double patience_seconds = 180;

// The search has the budget, and with what follows all takes two and a half times as long, however much there is to do: the
// rest is for the trial, but for a share in which what was found is measured again, and one in which the file is made.
struct Schedule {
    explicit Schedule(double budget) : all_(2.5 * budget), budget_(budget) {}

    double left_to_search() const { return all_.left() - 1.5 * budget_; }
    double left_to_confirm() const { return all_.left() - 1.25 * budget_; }
    double left_to_compare() const { return all_.left() - 0.1 * budget_; }

private:
    tune::Budget all_;
    double budget_;
};

std::string time_left(double seconds)
{
    const auto left = static_cast<int>(std::max(seconds, 0.0));
    char text[40];
    std::snprintf(text, sizeof text, "%d:%02d left, ", left / 60, left % 60);
    return text;
}

std::string of_them(std::size_t number, std::size_t count)
{
    return std::to_string(number) + " of " + std::to_string(count);
}

double share(std::size_t number, std::size_t count)
{
    return static_cast<double>(number) / static_cast<double>(std::max<std::size_t>(count, 1));
}

void show(program::Progress& progress, const Schedule& schedule, double budget, const tune::News& news)
{
    if (news.to_do_again > 0)
        progress.show(share(news.again, news.to_do_again),
                      time_left(schedule.left_to_confirm()) + "measured again: " + of_them(news.again, news.to_do_again),
                      news.text);
    else
        progress.show(1 - schedule.left_to_search() / budget,
                      time_left(schedule.left_to_search()) + std::to_string(news.tried) + " tried, " +
                          std::to_string(news.unusable) + " unusable",
                      news.text);
}

void show(program::Progress& progress, const Schedule& schedule, const tune::TrialNews& news)
{
    progress.show(share(news.number, news.count),
                  time_left(schedule.left_to_compare()) + (news.is_again ? "compared again: " : "compared: ") +
                      of_them(news.number, news.count),
                  news.text);
}

// The file to replace, for which a link may stand. Nobody should learn after minutes that there is nowhere to write to. The
// folder of the user's own file is made; one that was named may have been named by mistake.
std::filesystem::path writable_file(const std::filesystem::path& path, bool is_named)
{
    const std::filesystem::path folder = path.parent_path();
    std::error_code failed;
    if (is_named && !folder.empty() && !std::filesystem::is_directory(folder, failed))
        throw std::runtime_error("cannot write " + path.string() + ": there is no folder " + folder.string());
    if (!is_named)
        std::filesystem::create_directories(folder, failed);
    if (failed)
        throw std::runtime_error("cannot make the folder " + folder.string() + ": " + failed.message());
    std::filesystem::path file = core::regular_file(path);
    core::check_replaceable(file);
    return file;
}

// The search begins with what is guessed to be worth measuring. Without such a guess it would find nothing.
void refuse_in_vain(const core::KernelInfo& only, const core::DeviceProfile& device)
{
    const auto guesses = core::guesses_for(device);
    if (std::any_of(guesses.begin(), guesses.end(), [&](const auto& guess) { return guess.variant.kernel == &only; }))
        return;
    const core::Problem any = core::one_tile(core::variant_of(only, only.variants.front()));
    const core::Answer answer = core::takes(any, only, device);
    throw std::runtime_error(
        "--only " + std::string(only.name) + " would find nothing: this kernel " +
        (answer ? "is not expected to be the fastest for anything on " : answer.reason() + ", and so does not run on ") +
        device.name);
}

// Of work that has done what there was time for.
int exit_status()
{
    if (!program::is_interrupted())
        return program::success;
    std::fprintf(stderr, "clgemm-tune: interrupted\n");
    return program::interrupted;
}

// What FILE would change, on the calls of the user's choice.
int compare_file(const Asked& asked)
{
    const cl::Device device = default_device();
    core::Tuning tuning;
    try {
        tuning = core::tuning_in(asked.compared, core::query_profile(device));
    } catch (const core::TuningFileError& error) {
        throw std::runtime_error("--compare " + asked.compared + " cannot be used: " + error.what());
    }
    if (!tuning.left_out.empty())
        std::fprintf(stderr, "clgemm-tune: left out of %s: %s\n", asked.compared.c_str(),
                     core::left_out_in_short(tuning).c_str());
    tune::Probe probe(device);
    program::warn_if_loaded("clgemm-tune");
    std::vector<tune::Shape> shapes;
    for (std::size_t i = 0; i + 2 < asked.sizes.size(); i += 3)
        shapes.push_back({asked.sizes[i], asked.sizes[i + 1], asked.sizes[i + 2]});
    const std::vector<tune::Target> targets = probe.of_these_it_can_time(
        shapes.empty() ? tune::targets_to_compare(probe.profile()) : tune::targets_to_compare(probe.profile(), shapes));
    program::Progress progress;
    tune::Trial trial(
        probe.profile(), probe.tuning(), targets, probe.side_by_side(),
        [&](const tune::TrialNews& news) {
            progress.show(share(news.number, news.count), "compared: " + of_them(news.number, news.count), news.text);
        },
        program::is_interrupted);
    const auto comparisons = trial.compare(tuning, tune::Budget(std::numeric_limits<double>::infinity()));
    progress.clear();
    tune::print(stdout, comparisons);
    return exit_status();
}

// How work in a thread of its own has ended.
struct Ended {
    bool hangs = false;
    std::string failure; // empty: well
};

// `seconds_without_news`: since when the work has not been heard of. If it hangs, its thread goes on.
Ended run_watched(const std::function<void()>& work, const std::function<double()>& seconds_without_news)
{
    struct State {
        std::mutex mutex;
        std::condition_variable ended;
        bool done = false;
        std::string failure;
    };
    const auto state = std::make_shared<State>(); // outlives this function where the work hangs
    std::thread worker([state, work] {
        std::string failure;
        try {
            work();
        } catch (const std::exception& error) {
            failure = error.what();
        }
        const std::lock_guard lock(state->mutex);
        state->done = true;
        state->failure = failure;
        state->ended.notify_one();
    });
    std::unique_lock lock(state->mutex);
    while (!state->done && seconds_without_news() <= patience_seconds)
        state->ended.wait_for(lock, std::chrono::seconds(1));
    if (!state->done) {
        worker.detach();
        return {true, "a compilation or a call did not end within " + std::to_string(static_cast<int>(patience_seconds)) +
                          " seconds"};
    }
    lock.unlock();
    worker.join();
    return {false, state->failure};
}

constexpr const char* nothing_changes = "all calls are decided as before, so nothing is written";

// To the file, or to standard output.
void write(const Asked& asked, const std::filesystem::path& output, const core::Tuning& tuning,
           const core::DeviceProfile& device)
{
    if (tuning.measurements.empty() && tuning.calls.empty())
        throw std::runtime_error("nothing that runs was found");
    const std::string text = core::to_text(tuning, device);
    if (asked.dry_run) {
        if (!(std::cout << text << std::flush))
            throw std::runtime_error("cannot write to standard output");
        return;
    }
    core::replace_file(output, text, core::Readers::everybody);
    const std::string calls = tuning.calls.empty() ? "" : ", " + std::to_string(tuning.calls.size()) + " single calls";
    std::printf("wrote %s: %zu kernels%s\n", output.string().c_str(), tuning.measurements.size(), calls.c_str());
}

// Which file is to be written.
std::filesystem::path output_of(const Asked& asked, const core::DeviceProfile& device)
{
    const auto own = core::user_tuning_file(device);
    if (asked.output.empty() && !own && !asked.dry_run)
        throw std::runtime_error("there is no home directory to write to: give --output");
    const std::filesystem::path named = asked.output.empty() && own ? *own : std::filesystem::path(asked.output);
    return asked.dry_run ? named : writable_file(named, !asked.output.empty());
}

// What the search has found, without a trial.
void write_uncompared(const Asked& asked, const std::filesystem::path& output, const tune::Search& search,
                      tune::Trial& trial, const core::DeviceProfile& device)
{
    if (!search.has_measured_anything()) {
        std::fprintf(stderr, "clgemm-tune: nothing was measured until then, so nothing is written\n");
        return;
    }
    const core::Tuning tuning = tune::only_chosen(search.found(), device, {});
    if (tune::choose_as_before(trial.compare(tuning, tune::Budget(0)))) {
        std::fprintf(stderr, "clgemm-tune: %s\n", nothing_changes);
        return;
    }
    std::fprintf(stderr, "clgemm-tune: what was found until then is kept, not compared with what was chosen before\n");
    write(asked, output, tuning, device);
}

int tune_device(const Asked& asked)
{
    const Schedule schedule(asked.budget);
    const cl::Device device = default_device();
    const std::filesystem::path output = output_of(asked, core::query_profile(device));
    std::atomic<Clock::time_point> last_news{Clock::now()};
    const auto note_news = [&] { last_news = Clock::now(); };
    tune::Probe probe(device, note_news, std::min(tune::Probe::usual_patience_seconds, 10 + asked.budget / 4));
    if (asked.only)
        refuse_in_vain(*asked.only, probe.profile());
    program::warn_if_loaded("clgemm-tune");
    std::FILE* const report = asked.dry_run ? stderr : stdout; // standard output is the file's then
    std::fprintf(report, "tuning %s (%s) for %.0f seconds, at most %.0f with the trial\n", probe.profile().name.c_str(),
                 probe.profile().platform_name.c_str(), asked.budget, 2.5 * asked.budget);
    std::fflush(report);

    const core::Tuning before = probe.tuning();
    program::Progress progress;
    tune::Search search(
        probe, before,
        [&](const tune::News& news) {
            note_news();
            show(progress, schedule, asked.budget, news);
        },
        [&] { return program::is_interrupted() ? 0 : schedule.left_to_search(); }, asked.only);
    tune::Trial trial(
        probe.profile(), before, probe.of_these_it_can_time(tune::targets_to_compare(probe.profile())), probe.side_by_side(),
        [&](const tune::TrialNews& news) {
            note_news();
            show(progress, schedule, news);
        },
        program::is_interrupted);
    std::optional<tune::Verdict> verdict; // none where the search was interrupted or has found nothing
    const Ended ended = run_watched(
        [&] {
            search.run([&] { return schedule.left_to_confirm() <= 0; });
            search.confirm([&] { return program::is_interrupted() || schedule.left_to_confirm() <= 0; });
            if (!program::is_interrupted() && search.has_measured_anything())
                verdict = trial.judge(search.found(), schedule.left_to_compare());
        },
        [&] { return std::chrono::duration<double>(Clock::now() - last_news.load()).count(); });
    progress.clear();
    if (!ended.failure.empty()) { // what the search has found still holds
        std::fprintf(stderr, "clgemm-tune: stopped: %s\n", ended.failure.c_str());
        try {
            write_uncompared(asked, output, search, trial, probe.profile());
        } catch (const std::exception& error) {
            std::fprintf(stderr, "clgemm-tune: %s\n", error.what());
        }
        std::fflush(nullptr);
        std::_Exit(program::failure); // where a thread hangs, nothing can be taken down in order
    }
    const int status = exit_status();
    if (!verdict && status == program::success)
        throw std::runtime_error("nothing could be measured, so nothing is written");
    if (!verdict) {
        write_uncompared(asked, output, search, trial, probe.profile());
        return status;
    }
    if (!search.has_measured_what_is_chosen())
        std::fprintf(report,
                     "the time was too short to measure all that would be chosen: a larger --budget may find more\n");
    tune::print(report, verdict->comparisons);
    if (tune::choose_as_before(verdict->comparisons))
        std::fprintf(report, "%s\n", nothing_changes);
    else
        write(asked, output, verdict->tuning, probe.profile());
    return status;
}

std::vector<core::SingleCall> recorded_calls(const Asked& asked, const core::DeviceProfile& device)
{
    try {
        return tune::calls_to_tune(core::read_record(asked.calls), device);
    } catch (const core::RecordError& error) { // which names the file
        throw std::runtime_error(std::string("--calls ") + error.what());
    } catch (const tune::NoCalls& error) {
        throw std::runtime_error("--calls " + asked.calls + " " + error.what());
    }
}

// Entries for the calls that a program makes.
int tune_calls(const Asked& asked)
{
    const cl::Device device = default_device();
    const core::DeviceProfile profile = core::query_profile(device);
    const std::vector<core::SingleCall> calls = recorded_calls(asked, profile);
    const std::filesystem::path output = output_of(asked, profile);
    const core::Tuning file = tune::tuning_to_add_to(output, profile);
    if (!file.left_out.empty())
        std::fprintf(stderr, "clgemm-tune: left out of %s, and not kept: %s\n", output.string().c_str(),
                     core::left_out_in_short(file).c_str());
    std::atomic<Clock::time_point> last_news{Clock::now()};
    const auto note_news = [&] { last_news = Clock::now(); };
    tune::Probe probe(device, note_news);
    core::Tuning tuning = probe.tuning();
    tuning.calls.clear(); // entries are to be faster than what is chosen without any
    program::warn_if_loaded("clgemm-tune");
    const double seconds = asked.budget_is_given ? asked.budget : tune::usual_budget(calls.size());
    std::FILE* const report = asked.dry_run ? stderr : stdout; // standard output is the file's then
    std::fprintf(report, "tuning %zu recorded calls on %s (%s) for %.0f seconds\n", calls.size(), profile.name.c_str(),
                 profile.platform_name.c_str(), seconds);
    std::fflush(report);

    const tune::Budget budget(seconds);
    program::Progress progress;
    std::string now;
    tune::CallSearch search(
        profile, tuning, probe.side_by_side(),
        [&](const core::Problem& problem, const core::Selection& selection) {
            try {
                probe.check_call(problem, selection);
                return true;
            } catch (const tune::Unusable&) {
                return false;
            } catch (const core::Error&) { // it does not build, or memory does not hold it
                return false;
            }
        },
        [&](const std::string& candidate) {
            note_news();
            progress.show(budget.share_used(), now, candidate);
        },
        program::is_interrupted);
    tune::ProgramTuned done;
    const Ended ended = run_watched(
        [&] {
            tune_each(
                done, calls, file, search,
                [&](const core::SingleCall& call) {
                    return !probe.of_these_it_can_time({{core::problem_of(call), ""}}).empty();
                },
                [&](std::size_t number) { now = "call " + std::to_string(number) + " of " + std::to_string(calls.size()); },
                [&] { return program::is_interrupted() ? 0 : budget.left(); });
        },
        [&] { return std::chrono::duration<double>(Clock::now() - last_news.load()).count(); });
    progress.clear();
    tune::print(report, done.comparisons);
    if (!done.too_large.empty())
        std::fprintf(report, "%zu calls are too large for the tuner's matrices, the first of them %s\n",
                     done.too_large.size(), core::describe(done.too_large.front()).c_str());
    if (const std::size_t others = calls.size() - done.tuned.size() - done.too_large.size(); others > 0)
        std::fprintf(report, "there was no time for %zu calls that take less time in all: --budget gives more\n", others);
    const core::Tuning result = tune::with_entries(file, done.tuned, done.entries);
    if (done.entries.empty() && (result.calls.size() == file.calls.size() || result.measurements.empty()))
        std::fprintf(report, "no call is faster by 2 %% than what is chosen without an entry for it: nothing is written\n");
    else
        write(asked, output, result, profile);
    if (ended.failure.empty())
        return program::is_interrupted() ? program::interrupted : program::success;
    std::fprintf(stderr, "clgemm-tune: stopped: %s; what was found before it is kept\n", ended.failure.c_str());
    std::fflush(nullptr);
    std::_Exit(program::failure); // where a thread hangs, nothing can be taken down in order
}

} // namespace

int main(int argc, char** argv)
{
    Asked asked;
    // Not CLI::Range alone, in which NaN lies.
    const CLI::Validator seconds(
        [](std::string& text) {
            const std::string complaint = CLI::Range(1.0, 86400.0)(text);
            return complaint.empty() && std::isnan(std::strtod(text.c_str(), nullptr)) ? "no number: " + text : complaint;
        },
        "FLOAT in [1 - 86400]");
    program::Program program("clgemm-tune",
                             "Finds the fastest clgemm kernels for a device and writes them to a file that the "
                             "library picks up by itself.");
    program.add_device_option();
    const auto* const budget = program
                                   .add_option("--budget", asked.budget,
                                               "Seconds to search; with the trial all takes 2.5 times as long at most. With "
                                               "--calls, by default 5 for each call")
                                   ->capture_default_str()
                                   ->check(seconds);
    program.add_option("--output", asked.output, "File to write; default: the user's own")->type_name("FILE");
    program
        .add_option_function<std::string>(
            "--only", [&](const std::string& kernel) { asked.only = core::find_kernel(kernel); },
            "Search for this kernel alone, and keep what is known of the others")
        ->type_name("KERNEL")
        ->check(program::known_kernel());
    program.add_flag("--dry-run", asked.dry_run, "Print what would be written");
    auto* const compare = program.add_option(
        "--compare", asked.compared, "Tune nothing, but time calls by this tuning file and by what is chosen without it");
    compare->type_name("FILE")->excludes("--budget", "--output", "--only", "--dry-run");
    program.add_option("--size", asked.sizes, "A call to compare; may be given several times")
        ->type_size(3)
        ->expected(1, CLI::detail::expected_max_vector_size)
        ->type_name("M N K")
        ->check(CLI::PositiveNumber)
        ->needs(compare);
    program
        .add_option("--calls", asked.calls,
                    "Tune the calls of this record alone, which CLGEMM_RECORD=FILE writes for a program")
        ->type_name("FILE")
        ->excludes("--compare", "--only");
    return program.run(argc, argv, [&] {
        asked.budget_is_given = budget->count() > 0;
        program::catch_interrupts();
        program::pin_pocl();
        if (!asked.calls.empty())
            return tune_calls(asked);
        return asked.compared.empty() ? tune_device(asked) : compare_file(asked);
    });
}
