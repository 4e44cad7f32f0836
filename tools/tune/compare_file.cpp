#include "tune/compare_file.hpp"

#include "tune/ending.hpp"
#include "tune/probe.hpp"
#include "tune/report.hpp"
#include "tune/shown.hpp"

#include "tools/program/interrupt.hpp"
#include "tools/program/machine.hpp"

#include "device/query_profile.hpp"
#include "tuning/tuning_file.hpp"
#include "tuning/tuning_sources.hpp"

#include <clgemm/clgemm.hpp>

#include <cstdio>
#include <limits>
#include <stdexcept>

namespace clgemm::tune {
namespace {

core::Tuning tuning_to_compare(const std::string& file, const cl::Device& device)
try {
    return core::tuning_in(file, core::query_profile(device));
} catch (const core::TuningFileError& error) {
    throw std::runtime_error("--compare " + file + " cannot be used: " + error.what());
}

std::vector<Target> calls_to_compare(const std::vector<std::size_t>& sizes, const core::DeviceProfile& device)
{
    if (sizes.empty())
        return targets_to_compare(device);
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i + 2 < sizes.size(); i += 3)
        shapes.push_back({sizes[i], sizes[i + 1], sizes[i + 2]});
    return targets_to_compare(device, shapes);
}

} // namespace

int compare_file(const Asked& asked)
{
    const cl::Device device = default_device();
    const core::Tuning tuning = tuning_to_compare(asked.compared, device);
    if (!tuning.left_out.empty())
        std::fprintf(stderr, "clgemm-tune: left out of %s: %s\n", asked.compared.c_str(),
                     core::left_out_in_short(tuning).c_str());
    Probe probe(device);
    program::warn_if_loaded("clgemm-tune");
    program::Progress progress;
    Trial trial(
        probe.profile(), probe.tuning(), probe.of_these_it_can_time(calls_to_compare(asked.sizes, probe.profile())),
        probe.side_by_side(), [&](const TrialNews& news) { show(progress, news); }, program::is_interrupted);
    const auto comparisons = trial.compare(tuning, Budget(std::numeric_limits<double>::infinity()));
    progress.clear();
    print(stdout, comparisons);
    return exit_status();
}

} // namespace clgemm::tune
