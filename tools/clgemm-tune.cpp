// clgemm-tune: finds the fastest kernels for a device and writes them to a file that the library picks up by itself.
//
//   clgemm-tune [--device NAME] [--budget SECONDS] [--only KERNEL] [--output FILE] [--dry-run]
//
// Every candidate's result is checked before it is timed. Ctrl-C ends the search and keeps what was found; another one ends
// the program at once.
#include "tune/probe.hpp"
#include "tune/progress.hpp"
#include "tune/search.hpp"

#include "device/default_device.hpp"
#include "device/query_profile.hpp"
#include "families/registry.hpp"
#include "support/environment.hpp"
#include "support/error.hpp"
#include "support/replace_file.hpp"
#include "tuning/tuning_file.hpp"
#include "tuning/tuning_sources.hpp"

#include <CLI/CLI.hpp>

#include <atomic>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

namespace {

using namespace clgemm;

std::atomic<bool> interrupted{false};

extern "C" void on_interrupt(int)
{
    interrupted = true;
    std::signal(SIGINT, SIG_DFL);
}

struct Asked {
    std::string device;
    std::string output; // empty: the user's own file
    double budget = 180;
    const clgemm::core::KernelInfo* only = nullptr; // of all kernels
    bool dry_run = false;
};

// A compiler or kernel that hangs cannot be stopped from inside: after this long without a candidate's end the process
// writes what it has and goes.
constexpr double patience_seconds = 60;

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

// What the model makes of some calls, beside what they take. A slow device sits over some too long: those are left out, and
// all when it took a while.
void print_comparison(std::FILE* out, tune::Probe& probe, const core::Tuning& tuning)
{
    constexpr double longest_ns = 100e6, longest_seconds = 10;
    const tune::Progress time(longest_seconds);
    std::fprintf(out, "%-20s %-4s %12s %12s %10s  %s\n", "m x n x k", "", "estimate us", "measured us", "GFLOP/s", "kernel");
    const std::size_t shapes[][3] = {{64, 64, 64},       {256, 256, 256},  {512, 512, 512},   {1024, 1024, 1024},
                                     {2048, 2048, 2048}, {1024, 16, 1024}, {128, 128, 16384}, {2048, 2048, 16}};
    for (const auto& [m, n, k] : shapes)
        for (const char* letters : {"NT", "NN", "TN", "TT"}) {
            const core::Problem problem = tune::Probe::problem(m, n, k, letters);
            const core::Selection selection = core::select(problem, probe.profile(), tuning, {});
            if (interrupted || time.seconds_left() <= 0)
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
    const cl::Device device = core::choose_device(asked.device.empty() ? core::environment().device : asked.device);
    const auto own = core::user_tuning_file(core::query_profile(device));
    if (asked.output.empty() && !own && !asked.dry_run)
        throw std::runtime_error("there is no home directory to write to: give --output");
    const std::filesystem::path named = asked.output.empty() && own ? *own : std::filesystem::path(asked.output);
    const std::filesystem::path output = asked.dry_run ? named : writable_file(named);
    tune::Probe probe(device);
    std::FILE* const report = asked.dry_run ? stderr : stdout; // standard output is the file's then
    std::fprintf(report, "tuning %s (%s) for %.0f seconds\n", probe.profile().name.c_str(),
                 probe.profile().platform_name.c_str(), asked.budget);
    std::fflush(report);

    tune::Progress progress(asked.budget);
    std::mutex mutex;
    std::condition_variable ended;
    bool done = false;
    std::string failure;
    std::atomic<double> last_news{asked.budget};
    tune::Search search(
        probe,
        [&](const tune::News& news) {
            last_news = progress.seconds_left();
            progress.show(news.tried, news.unusable, news.text);
        },
        [&] { return interrupted ? 0 : progress.seconds_left(); }, asked.only);

    std::thread worker([&] {
        try {
            search.run();
            search.confirm([] { return interrupted.load(); });
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
            hangs = !done && last_news - progress.seconds_left() > patience_seconds;
        }
    }
    progress.end();
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
        std::_Exit(hangs ? 3 : 1); // its thread cannot be joined
    }
    print_comparison(report, probe, tuning);
    return 0;
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
    CLI::App app(
        "Finds the fastest clgemm kernels for a device and writes them to a file that the library picks up by itself.");
    app.add_option("--device", asked.device,
                   "part of the platform's or device's name (default: CLGEMM_DEVICE, else the best)");
    app.add_option("--budget", asked.budget, "seconds to search")->capture_default_str()->check(seconds);
    app.add_option("--output", asked.output, "file to write (default: the user's own)");
    app.add_option_function<std::string>(
           "--only", [&](const std::string& kernel) { asked.only = core::find_kernel(kernel); },
           "search for this kernel alone, and keep what is known of the others")
        ->check([](const std::string& kernel) {
            return core::find_kernel(kernel) ? std::string() : "no kernel " + kernel + ": " + core::kernel_names();
        });
    app.add_flag("--dry-run", asked.dry_run, "print what would be written");
    CLI11_PARSE(app, argc, argv);
    std::signal(SIGINT, on_interrupt);
    try {
        return tune_device(asked);
    } catch (const core::Error& error) {
        std::fprintf(stderr, "clgemm-tune: %s\n", error.what());
    } catch (const cl::Error& error) {
        std::fprintf(stderr, "clgemm-tune: OpenCL: %s returned %s\n", error.what(), clgemm_status_string(error.err()));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "clgemm-tune: %s\n", error.what());
    }
    return 1;
}
