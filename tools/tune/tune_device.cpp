#include "tune/tune_device.hpp"

#include "tune/chosen.hpp"
#include "tune/ending.hpp"
#include "tune/output.hpp"
#include "tune/probe.hpp"
#include "tune/program_calls.hpp"
#include "tune/report.hpp"
#include "tune/search.hpp"
#include "tune/shown.hpp"
#include "tune/trial.hpp"
#include "tune/watchdog.hpp"

#include "tools/program/interrupt.hpp"
#include "tools/program/machine.hpp"
#include "tools/program/program.hpp"

#include "device/query_profile.hpp"
#include "families/registry.hpp"
#include "tuning/derived_tuning.hpp"

#include <clgemm/clgemm.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace clgemm::tune {
namespace {

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

// A file that was named by mistake stays as it is.
void refuse_to_replace_what_is_no_tuning_file(const Asked& asked, const Output& output, const core::DeviceProfile& device)
{
    std::error_code failed;
    if (asked.output.empty() || asked.dry_run || std::filesystem::file_size(output.file(), failed) == 0 || failed)
        return;
    try {
        tuning_to_add_to(output.file(), device);
    } catch (const std::runtime_error&) {
        throw std::runtime_error("--output: " + output.file().string() +
                                 " is there, and is no tuning file of this device: it is not replaced");
    }
}

// Of the sizes that are asked for, those that the device can run.
std::vector<core::Parameters> sizes_to_begin_with(const core::KernelInfo& asked, const core::DeviceProfile& device)
{
    const core::Problem any = core::one_tile(core::variant_of(asked, asked.variants.front()));
    std::vector<core::Parameters> result;
    for (const core::Variant& variant : core::variants_for(asked, any, device))
        result.push_back(variant.parameters);
    if (result.empty())
        throw std::runtime_error("--only: none of these sizes of " + std::string(asked.name) + " runs on " + device.name +
                                 ": the kernel " + core::takes(any, asked, device).reason());
    return result;
}

constexpr const char* nothing_changes = "all calls are decided as before, so nothing is written";

// Writes what was found, with the file's entries for single calls as they are by now. (A new file gets those that the
// library goes by. A file that is none of the tuner's has none.)
void write(const Output& output, core::Tuning tuning, const core::DeviceProfile& device)
{
    std::unique_ptr<const core::FileLock> lock;
    std::error_code failed;
    if (std::filesystem::exists(output.file(), failed))
        try {
            lock = output.lock();
            tuning.calls = tuning_to_add_to(output.file(), device).calls;
        } catch (const std::runtime_error& error) {
            std::fprintf(stderr, "clgemm-tune: the file's single calls are not kept: %s\n", error.what());
            tuning.calls.clear();
        }
    output.write(tuning);
}

// Writes what the search has found, without a trial.
void write_uncompared(const Output& output, const Search& search, Trial& trial, const core::DeviceProfile& device)
{
    if (!search.has_measured_anything()) {
        std::fprintf(stderr, "clgemm-tune: nothing was measured until then, so nothing is written\n");
        return;
    }
    const core::Tuning tuning = only_chosen(search.found_until_interrupted(), device, {});
    if (choose_as_before(trial.compare(tuning, Budget(0)))) {
        std::fprintf(stderr, "clgemm-tune: %s\n", nothing_changes);
        return;
    }
    std::fprintf(stderr, "clgemm-tune: what was found until then is kept, not compared with what was chosen before\n");
    write(output, tuning, device);
}

void write_compared(const Output& output, const Search& search, const Verdict& verdict, const core::DeviceProfile& device)
{
    if (!search.has_measured_what_is_chosen())
        std::fprintf(output.report(),
                     "the time was too short to measure all that would be chosen: a larger --budget may find more\n");
    print(output.report(), verdict.comparisons);
    if (choose_as_before(verdict.comparisons))
        std::fprintf(output.report(), "%s\n", nothing_changes);
    else
        write(output, verdict.tuning, device);
}

} // namespace

int tune_device(const Asked& asked)
{
    const Schedule schedule(asked.budget);
    const cl::Device device = default_device();
    const core::DeviceProfile asked_of = core::query_profile(device);
    const Output output(asked, asked_of);
    refuse_to_replace_what_is_no_tuning_file(asked, output, asked_of);
    Watchdog watchdog;
    Probe probe(
        device, [&] { watchdog.note_news(); }, std::min(Probe::usual_patience_seconds, 10 + asked.budget / 4),
        build_ahead::builders_for(asked_of));
    const core::DeviceProfile& profile = probe.profile();
    std::vector<core::Parameters> first;
    if (asked.first)
        first = sizes_to_begin_with(*asked.first, profile);
    else if (asked.only)
        refuse_in_vain(*asked.only, profile);
    program::warn_if_loaded("clgemm-tune");
    std::fprintf(output.report(), "tuning %s (%s) for %.0f seconds, at most %.0f with the trial\n", profile.name.c_str(),
                 profile.platform_name.c_str(), asked.budget, 2.5 * asked.budget);
    std::fflush(output.report());

    const core::Tuning before = probe.tuning();
    program::Progress progress;
    const auto tell = [&](const auto& news) {
        watchdog.note_news();
        show(progress, news, schedule);
    };
    Search search(
        probe, before, tell, [&] { return program::is_interrupted() ? 0 : schedule.left_to_search(); }, asked.only, first);
    Trial trial(profile, before, probe.of_these_it_can_time(targets_to_compare(profile)), probe.side_by_side(), tell,
                program::is_interrupted, [&](const auto& expected) { probe.expect(expected); });
    std::optional<Verdict> verdict; // none where the search was interrupted or has found nothing
    const std::string failure = watchdog.run([&] {
        search.run([&] { return schedule.left_to_confirm() <= 0; });
        search.confirm([&] { return program::is_interrupted() || schedule.left_to_confirm() <= 0; });
        if (program::is_interrupted() || !search.has_measured_anything())
            return;
        search.level();
        verdict = trial.judge(search.found(), schedule.left_to_compare());
    });
    progress.clear();
    if (!failure.empty())
        stop(failure, [&] { write_uncompared(output, search, trial, profile); });
    const int status = exit_status();
    if (!verdict && status == program::success)
        throw std::runtime_error("nothing could be measured, so nothing is written");
    if (verdict)
        write_compared(output, search, *verdict, profile);
    else
        write_uncompared(output, search, trial, profile);
    return status;
}

} // namespace clgemm::tune
