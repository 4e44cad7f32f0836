#include "tune/tune_calls.hpp"

#include "tune/call_search.hpp"
#include "tune/ending.hpp"
#include "tune/output.hpp"
#include "tune/probe.hpp"
#include "tune/program_calls.hpp"
#include "tune/report.hpp"
#include "tune/watchdog.hpp"

#include "tools/program/interrupt.hpp"
#include "tools/program/machine.hpp"
#include "tools/program/program.hpp"
#include "tools/program/progress.hpp"

#include "device/query_profile.hpp"
#include "support/error.hpp"

#include <clgemm/clgemm.hpp>

#include <cstdio>
#include <stdexcept>

namespace clgemm::tune {
namespace {

std::vector<core::SingleCall> recorded_calls(const std::string& record, const core::DeviceProfile& device)
{
    try {
        return calls_to_tune(core::read_record(record), device);
    } catch (const core::RecordError& error) { // which names the file
        throw std::runtime_error(std::string("--calls ") + error.what());
    } catch (const NoCalls& error) {
        throw std::runtime_error("--calls " + record + " " + error.what());
    }
}

// What is in the file to which entries are added. (It is locked here, too, so that whoever cannot lock it knows that now.)
core::Tuning earlier_data(const Output& output, const core::DeviceProfile& device)
{
    const auto lock = output.lock();
    core::Tuning file = tuning_to_add_to(output.file(), device);
    if (!file.left_out.empty())
        std::fprintf(stderr, "clgemm-tune: left out of %s, and not kept: %s\n", output.file().string().c_str(),
                     core::left_out_in_short(file).c_str());
    return file;
}

// Entries are to be faster than what is chosen without any.
core::Tuning without_entries(core::Tuning tuning)
{
    tuning.calls.clear();
    return tuning;
}

// Can it be had, and is it right?
bool is_right(Probe& probe, const core::Problem& problem, const core::Selection& selection)
{
    try {
        probe.check_call(problem, selection);
        return true;
    } catch (const Unusable&) {
        return false;
    } catch (const core::Error&) { // it does not build, or memory does not hold it
        return false;
    }
}

bool can_time(const Probe& probe, const core::SingleCall& call)
{
    try {
        return !probe.of_these_it_can_time({{core::problem_of(call), ""}}).empty();
    } catch (const core::Error&) { // the record names sizes that no memory has
        return false;
    }
}

void tell_of_calls_left(std::FILE* report, std::size_t calls, const ProgramTuned& done)
{
    if (!done.too_large.empty())
        std::fprintf(report, "%zu calls are too large for the tuner's matrices, the first of them %s\n",
                     done.too_large.size(), core::describe(done.too_large.front()).c_str());
    if (const std::size_t others = calls - done.tuned.size() - done.too_large.size();
        others > 0 && !program::is_interrupted())
        std::fprintf(report, "there was no time for %zu calls that take less time in all: --budget gives more\n", others);
}

// Adds to the file as it is by now: another tuner may have added what it found since the search began.
void write_entries(const Output& output, const core::DeviceProfile& device, const ProgramTuned& done)
{
    const auto lock = output.lock();
    const core::Tuning file = tuning_to_add_to(output.file(), device);
    const core::Tuning result = with_entries(file, done.tuned, done.entries);
    if (!done.entries.empty() || result.calls.size() < file.calls.size())
        output.write_or_remove(result);
    else
        std::fprintf(output.report(),
                     "no call is faster by 2 %% than what is chosen without an entry for it: nothing is written\n");
}

} // namespace

int tune_calls(const Asked& asked)
{
    const cl::Device device = default_device();
    const core::DeviceProfile profile = core::query_profile(device);
    const std::vector<core::SingleCall> calls = recorded_calls(asked.calls, profile);
    const Output output(asked, profile);
    const core::Tuning file = earlier_data(output, profile);
    Watchdog watchdog;
    Probe probe(
        device, [&] { watchdog.note_news(); }, Probe::usual_patience_seconds, build_ahead::builders_for(profile));
    program::warn_if_loaded("clgemm-tune");
    const double seconds = asked.budget_is_given ? asked.budget : usual_budget(calls.size());
    std::fprintf(output.report(), "tuning %zu recorded calls on %s (%s) for %.0f seconds\n", calls.size(),
                 profile.name.c_str(), profile.platform_name.c_str(), seconds);
    std::fflush(output.report());

    const Budget budget(seconds);
    program::Progress progress;
    std::string now;
    CallSearch search(
        profile, without_entries(probe.tuning()), probe.side_by_side(),
        [&](const core::Problem& problem, const core::Selection& selection) { return is_right(probe, problem, selection); },
        [&](const std::string& candidate) {
            watchdog.note_news();
            progress.show(budget.share_used(), now, candidate);
        },
        program::is_interrupted, [&](const auto& expected) { probe.expect(expected); });
    ProgramTuned done;
    const std::string failure = watchdog.run([&] {
        tune_each(
            done, calls, file, search, [&](const core::SingleCall& call) { return can_time(probe, call); },
            [&](std::size_t number) { now = "call " + std::to_string(number) + " of " + std::to_string(calls.size()); },
            [&] { return program::is_interrupted() ? 0 : budget.left(); });
    });
    progress.clear();
    print(output.report(), done.comparisons);
    tell_of_calls_left(output.report(), calls.size(), done);
    if (!failure.empty())
        stop(failure, [&] { write_entries(output, profile, done); });
    write_entries(output, profile, done);
    return exit_status();
}

} // namespace clgemm::tune
