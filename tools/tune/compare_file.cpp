#include "tune/compare_file.hpp"

#include "tune/ending.hpp"
#include "tune/probe.hpp"
#include "tune/report.hpp"
#include "tune/shown.hpp"

#include "tools/program/interrupt.hpp"
#include "tools/program/machine.hpp"

#include "device/query_profile.hpp"
#include "support/error.hpp"
#include "tuning/tuning_file.hpp"
#include "tuning/tuning_sources.hpp"

#include <clgemm/clgemm.hpp>

#include <cstdio>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

namespace clgemm::tune {
namespace {

core::Tuning tuning_to_compare(const std::string& file, const cl::Device& device)
try {
    return core::tuning_in(file, core::query_profile(device));
} catch (const core::TuningFileError& error) {
    throw std::runtime_error("--compare " + file + " cannot be used: " + error.what());
}

std::vector<Target> calls_of(const Shape& shape, const Probe& probe)
try {
    return probe.of_these_it_can_time(targets_to_compare(probe.profile(), std::span(&shape, 1)));
} catch (const core::Error&) { // no memory holds such matrices
    return {};
}

std::vector<Target> calls_to_compare(const std::vector<std::size_t>& sizes, const Probe& probe)
{
    if (sizes.empty())
        return probe.of_these_it_can_time(targets_to_compare(probe.profile()));
    std::vector<Target> calls;
    for (std::size_t i = 0; i + 2 < sizes.size(); i += 3) {
        const std::vector<Target> of_shape = calls_of({sizes[i], sizes[i + 1], sizes[i + 2]}, probe);
        if (of_shape.empty())
            throw std::runtime_error("--size " + std::to_string(sizes[i]) + " " + std::to_string(sizes[i + 1]) + " " +
                                     std::to_string(sizes[i + 2]) + " is too large for the tuner's matrices");
        calls.insert(calls.end(), of_shape.begin(), of_shape.end());
    }
    return calls;
}

} // namespace

int compare_file(const Asked& asked)
{
    const cl::Device device = default_device();
    const core::Tuning tuning = tuning_to_compare(asked.compared, device);
    if (!tuning.left_out.empty())
        std::fprintf(stderr, "clgemm-tune: left out of %s: %s\n", asked.compared.c_str(),
                     core::left_out_in_short(tuning).c_str());
    Probe probe(
        device, [] {}, Probe::usual_patience_seconds, build_ahead::builders_for(core::query_profile(device)));
    const std::vector<Target> calls = calls_to_compare(asked.sizes, probe);
    program::warn_if_loaded("clgemm-tune");
    program::Progress progress;
    Trial trial(
        probe.profile(), probe.tuning(), calls, probe.side_by_side(), [&](const TrialNews& news) { show(progress, news); },
        program::is_interrupted, [&](const auto& expected) { probe.expect(expected); });
    const auto comparisons = trial.compare(tuning, Budget(std::numeric_limits<double>::infinity()));
    progress.clear();
    print(stdout, comparisons);
    return exit_status();
}

} // namespace clgemm::tune
