// clgemm-tune: finds the fastest kernels for a device and writes them to a file that the library picks up by itself.
//
//   clgemm-tune [--device NAME] [--budget SECONDS] [--output FILE] [--dry-run]
//
// Every candidate's result is checked before it is timed. Ctrl-C ends the search and keeps what was found.
#include "tune/probe.hpp"
#include "tune/progress.hpp"
#include "tune/search.hpp"

#include "device/default_device.hpp"
#include "support/environment.hpp"
#include "support/error.hpp"
#include "tuning/tuning_file.hpp"
#include "tuning/tuning_sources.hpp"

#include <CLI/CLI.hpp>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

namespace {

using namespace clgemm;

std::atomic<bool> interrupted{false};

extern "C" void on_interrupt(int)
{
    interrupted = true;
}

struct Asked {
    std::string device;
    std::string output; // empty: the user's own file
    double budget = 180;
    bool dry_run = false;
};

// A compiler or kernel that hangs cannot be stopped from inside: after this long without a candidate's end the process
// writes what it has and goes.
constexpr double patience_seconds = 60;

void write_file(const std::filesystem::path& path, const std::string& text)
{
    if (path.has_parent_path())
        std::filesystem::create_directories(path.parent_path());
    // Readers see the old file or the new one, never half.
    const std::filesystem::path temporary = path.string() + ".new";
    std::ofstream file(temporary);
    file << text;
    file.close();
    if (!file)
        throw std::runtime_error("cannot write " + temporary.string());
    std::filesystem::rename(temporary, path);
}

// What the model makes of some calls, beside what they take.
void print_comparison(tune::Probe& probe, const core::Tuning& tuning)
{
    std::printf("%-20s %-4s %12s %12s %10s  %s\n", "m x n x k", "", "estimate us", "measured us", "GFLOP/s", "kernel");
    const std::size_t shapes[][3] = {{64, 64, 64},       {256, 256, 256},  {512, 512, 512},   {1024, 1024, 1024},
                                     {2048, 2048, 2048}, {1024, 16, 1024}, {128, 128, 16384}, {2048, 2048, 16}};
    for (const auto& [m, n, k] : shapes)
        for (const char* letters : {"NT", "NN", "TN", "TT"}) {
            const core::Problem problem = tune::Probe::problem(m, n, k, letters);
            const core::Selection selection = core::select(problem, probe.profile(), tuning, nullptr);
            const double ns = probe.whole_call_ns(problem, selection);
            const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
            std::printf("%5zu x %5zu x %5zu %-4s %12.1f %12.1f %10.1f  %s (%s)%s%s, %zu parts of K\n", m, n, k, letters,
                        selection.estimate_ns / 1000, ns / 1000, flops / ns, selection.kernel->name.data(),
                        selection.parameters.text().c_str(), selection.way.copy_a ? ", copies A" : "",
                        selection.way.copy_b ? ", copies B" : "", selection.way.splits);
        }
}

int tune_device(const Asked& asked)
{
    const cl::Device device = core::choose_device(asked.device.empty() ? core::environment().device : asked.device);
    tune::Probe probe(device);
    const auto own = core::user_tuning_file(probe.profile());
    if (asked.output.empty() && !own && !asked.dry_run)
        throw std::runtime_error("there is no home directory to write to: give --output");
    const std::filesystem::path output = asked.output.empty() && own ? *own : std::filesystem::path(asked.output);
    std::printf("tuning %s (%s) for %.0f seconds\n", probe.profile().name.c_str(), probe.profile().platform_name.c_str(),
                asked.budget);

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
        [&] { return interrupted ? 0 : progress.seconds_left(); });

    std::thread worker([&] {
        try {
            search.run();
            search.confirm();
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
        std::cout << text;
    } else {
        write_file(output, text);
        std::printf("wrote %s: %zu kernels\n", output.c_str(), tuning.measurements.size());
    }
    if (hangs || !failure.empty()) {
        std::fflush(nullptr);
        std::_Exit(hangs ? 3 : 1); // its thread cannot be joined
    }
    print_comparison(probe, tuning);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    Asked asked;
    CLI::App app("Finds the fastest clgemm kernels for a device and writes them to a file that the library picks up by itself.");
    app.add_option("--device", asked.device, "part of the platform's or device's name (default: CLGEMM_DEVICE, else the best)");
    app.add_option("--budget", asked.budget, "seconds to search")->capture_default_str()->check(CLI::Range(1.0, 86400.0));
    app.add_option("--output", asked.output, "file to write (default: the user's own)");
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
