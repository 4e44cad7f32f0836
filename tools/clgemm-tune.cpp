// clgemm-tune: finds the fastest kernels for a device and writes them to a file that the library picks up by itself.
//
//   clgemm-tune [--device NAME] [--budget SECONDS] [--only KERNEL] [--output FILE] [--dry-run]
//
// Every candidate's result is checked before it is timed. Ctrl-C ends the search and keeps what was found; another one ends
// the program at once.
#include "tune/probe.hpp"
#include "tune/search.hpp"

#include "tools/program/interrupt.hpp"
#include "tools/program/machine.hpp"
#include "tools/program/program.hpp"
#include "tools/program/progress.hpp"

#include "device/query_profile.hpp"
#include "families/registry.hpp"
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
#include <thread>

namespace {

using namespace clgemm;

struct Asked {
    std::string output; // empty: the user's own file
    double budget = 180;
    const clgemm::core::KernelInfo* only = nullptr; // of all kernels
    bool dry_run = false;
};

// A compiler or kernel that hangs cannot be stopped from inside: after this long without a candidate's end the process
// writes what it has and goes.
constexpr double patience_seconds = 60;

// The seconds that a search or a table may take, as they pass.
class Budget {
public:
    explicit Budget(double seconds) : seconds_(seconds) {}

    double left() const
    {
        return seconds_ - std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }
    double share_used() const { return 1 - left() / seconds_; }

private:
    double seconds_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::string in_short(const Budget& budget, const tune::News& news)
{
    const auto left = static_cast<int>(std::max(budget.left(), 0.0));
    char text[80];
    std::snprintf(text, sizeof text, "%d:%02d left, %zu tried, %zu unusable", left / 60, left % 60, news.tried,
                  news.unusable);
    return text;
}

// The file to replace, for which a link may stand. Nobody should learn after minutes that there is nowhere to write to.
std::filesystem::path writable_file(const std::filesystem::path& path)
{
    std::error_code failed;
    if (path.has_parent_path())
        std::filesystem::create_directories(path.parent_path(), failed);
    if (failed)
        throw std::runtime_error("cannot make the folder " + path.parent_path().string() + ": " + failed.message());
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
    throw std::runtime_error("--only " + std::string(only.name) + " would find nothing: this kernel " +
                             (core::variants_for(only, device).empty()
                                  ? "does not run on "
                                  : "is not expected to be the fastest for anything on ") +
                             device.name);
}

// What the model makes of some calls, beside what they take. A slow device sits over some too long: those are left out, and
// all when it took a while.
void print_comparison(std::FILE* out, tune::Probe& probe, const core::Tuning& tuning)
{
    constexpr double longest_ns = 100e6, longest_seconds = 10;
    const Budget time(longest_seconds);
    std::fprintf(out, "%-20s %-4s %12s %12s %10s  %s\n", "m x n x k", "", "estimate us", "measured us", "GFLOP/s", "kernel");
    const std::size_t shapes[][3] = {{64, 64, 64},       {256, 256, 256},  {512, 512, 512},   {1024, 1024, 1024},
                                     {2048, 2048, 2048}, {1024, 16, 1024}, {128, 128, 16384}, {2048, 2048, 16}};
    for (const auto& [m, n, k] : shapes)
        for (const char* letters : {"NT", "NN", "TN", "TT"}) {
            const core::Problem problem = tune::Probe::problem(m, n, k, letters);
            const core::Selection selection = core::select(problem, probe.profile(), tuning, {});
            if (program::is_interrupted() || time.left() <= 0)
                return;
            if (selection.estimate_ns > longest_ns)
                continue;
            const double ns = probe.whole_call_ns(problem, selection.variant, selection.way);
            const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
            std::fprintf(out, "%5zu x %5zu x %5zu %-4s %12.1f %12.1f %10.1f  %s (%s)%s%s, %zu parts of K\n", m, n, k,
                         letters, selection.estimate_ns / 1000, ns / 1000, flops / ns, selection.variant.kernel->name.data(),
                         selection.variant.parameters.text().c_str(), selection.way.copy_a ? ", copies A" : "",
                         selection.way.copy_b ? ", copies B" : "", selection.way.split_k);
        }
}

int tune_device(const Asked& asked)
{
    const cl::Device device = default_device();
    const auto own = core::user_tuning_file(core::query_profile(device));
    if (asked.output.empty() && !own && !asked.dry_run)
        throw std::runtime_error("there is no home directory to write to: give --output");
    const std::filesystem::path named = asked.output.empty() && own ? *own : std::filesystem::path(asked.output);
    const std::filesystem::path output = asked.dry_run ? named : writable_file(named);
    tune::Probe probe(device);
    if (asked.only)
        refuse_in_vain(*asked.only, probe.profile());
    program::warn_if_loaded("clgemm-tune");
    std::FILE* const report = asked.dry_run ? stderr : stdout; // standard output is the file's then
    std::fprintf(report, "tuning %s (%s) for %.0f seconds\n", probe.profile().name.c_str(),
                 probe.profile().platform_name.c_str(), asked.budget);
    std::fflush(report);

    const Budget budget(asked.budget);
    program::Progress progress;
    std::mutex mutex;
    std::condition_variable ended;
    bool done = false;
    std::string failure;
    std::atomic<double> last_news{asked.budget};
    tune::Search search(
        probe,
        [&](const tune::News& news) {
            last_news = budget.left();
            progress.show(budget.share_used(), in_short(budget, news), news.text);
        },
        [&] { return program::is_interrupted() ? 0 : budget.left(); }, asked.only);

    std::thread worker([&] {
        try {
            search.run();
            search.confirm(program::is_interrupted);
        } catch (const std::exception& error) { // the device itself fails: what was found so far still holds
            const std::lock_guard lock(mutex);
            failure = error.what();
        }
        const std::lock_guard lock(mutex);
        done = true;
        ended.notify_one();
    });
    bool hangs = false;
    {
        std::unique_lock lock(mutex);
        while (!done && !hangs) {
            ended.wait_for(lock, std::chrono::seconds(1));
            hangs = !done && last_news - budget.left() > patience_seconds;
        }
    }
    progress.clear();
    if (hangs)
        std::fprintf(stderr, "clgemm-tune: a candidate did not end within %.0f seconds; keeping what was found before it\n",
                     patience_seconds);
    else
        worker.join();
    if (!failure.empty())
        std::fprintf(stderr, "clgemm-tune: stopped: %s\n", failure.c_str());

    const core::Tuning tuning = search.result();
    if (tuning.measurements.empty())
        throw std::runtime_error("nothing that runs was found");
    const std::string text = core::to_text(tuning, probe.profile());
    if (asked.dry_run) {
        if (!(std::cout << text << std::flush))
            throw std::runtime_error("cannot write to standard output");
    } else {
        core::replace_file(output, text, core::Readers::everybody);
        std::printf("wrote %s: %zu kernels\n", output.c_str(), tuning.measurements.size());
    }
    if (hangs || !failure.empty()) {
        std::fflush(nullptr);
        std::_Exit(program::failure); // its thread cannot be joined
    }
    print_comparison(report, probe, tuning);
    return program::success;
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
    program.add_option("--budget", asked.budget, "Seconds to search")->capture_default_str()->check(seconds);
    program.add_option("--output", asked.output, "File to write; default: the user's own")->type_name("FILE");
    program
        .add_option_function<std::string>(
            "--only", [&](const std::string& kernel) { asked.only = core::find_kernel(kernel); },
            "Search for this kernel alone, and keep what is known of the others")
        ->type_name("KERNEL")
        ->check(program::known_kernel());
    program.add_flag("--dry-run", asked.dry_run, "Print what would be written");
    return program.run(argc, argv, [&] {
        program::catch_interrupts();
        program::pin_pocl();
        return tune_device(asked);
    });
}
