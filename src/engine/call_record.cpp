#include "engine/call_record.hpp"

#include "support/environment.hpp"
#include "support/file_lock.hpp"
#include "support/process.hpp"
#include "support/replace_file.hpp"
#include "support/warning.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>

namespace clgemm::core {
namespace {

// A program that never makes the same call twice is not one to tune call by call.
constexpr std::size_t most_calls = 20000;

constexpr std::chrono::seconds longest_wait{10}; // for other processes, which hold the lock for milliseconds

void warn(const std::string& why)
{
    warn_once("CLGEMM_RECORD is '" + environment().record_file + "': calls are not recorded: " + why);
}

// Where an earlier record could not be written, or was removed since, calls may be timed that were not counted.
void count_all_that_were_timed(RecordedCalls& calls)
{
    for (auto& [call, counts] : calls)
        counts.count = std::max(counts.count, counts.timed);
}

} // namespace

// A child that was forked after a call has the parent's calls, which the parent writes. It must not ask for the lock either:
// the thread that held it when the process was forked did not come along.
void CallRecord::write_at_exit()
{
    if (is_forked_since_first_asked())
        return;
    CallRecord& record = *call_record();
    {
        const std::lock_guard lock(record.mutex_);
        record.is_written_at_exit_ = false;
    }
    record.write();
}

void CallRecord::add(const RecordedCall& call, const CallCounts& counts) noexcept
try {
    bool is_full = false;
    {
        const std::lock_guard lock(mutex_);
        // Destructors that run after the last writing may make calls, too: these have one more writing.
        if (!is_written_at_exit_)
            is_written_at_exit_ = std::atexit(write_at_exit) == 0;
        is_full = calls_.size() >= most_calls && calls_.find(call) == calls_.end();
        if (!is_full)
            calls_[call] += counts;
    }
    if (is_full)
        warn("there are more than " + std::to_string(most_calls) + " different ones; the first are");
} catch (const std::exception&) {
    return;
}

void CallRecord::write() noexcept
try {
    RecordedCalls news;
    {
        const std::lock_guard lock(mutex_);
        news.swap(calls_);
    }
    if (news.empty())
        return;
    try {
        const std::filesystem::path file = regular_file(file_);
        const FileLock lock(file, longest_wait);
        RecordedCalls all = read_record(file);
        for (const auto& [call, counts] : news)
            all[call] += counts;
        count_all_that_were_timed(all);
        replace_file(file, to_text(all), Readers::everybody);
        return;
    } catch (const std::bad_alloc&) {
        warn("there is no memory for it");
    } catch (const std::exception& error) {
        warn(error.what());
    }
    const std::lock_guard lock(mutex_); // the next writing may do better
    for (const auto& [call, counts] : news)
        if (calls_.size() < most_calls || calls_.contains(call))
            calls_[call] += counts;
} catch (const std::exception&) {
    return;
}

CallRecord* call_record() noexcept
{
    // Never destroyed: the driver may tell of the end of a call while the process ends.
    static auto* const process = []() -> CallRecord* {
        try {
            const std::string& file = environment().record_file;
            return file.empty() ? nullptr : new CallRecord(file);
        } catch (const std::exception&) { // a variable means nothing, so that every call fails; or there is no memory
            return nullptr;
        }
    }();
    return process;
}

} // namespace clgemm::core
