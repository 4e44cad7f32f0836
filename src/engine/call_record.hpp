// CLGEMM_RECORD: which calls the process makes, how often, and how long they take, for clgemm-tune --calls.
#pragma once

#include "tuning/recorded_calls.hpp"

#include <filesystem>
#include <mutex>

namespace clgemm::core {

class CallRecord {
public:
    explicit CallRecord(std::filesystem::path file) : file_(std::move(file)) {}

    // Adds to what is known of a call. Threads may do so at once. Where there is no memory for it, it is not recorded.
    void add(const RecordedCall& call, const CallCounts& counts) noexcept;

    // Adds what is new since the last time to the file. Other processes may do so at once: each locks the file, reads it,
    // and puts a new one in its place. What goes wrong is said in one line on standard error.
    void write() noexcept;

private:
    static void write_at_exit();

    const std::filesystem::path file_;
    std::mutex mutex_; // of what follows
    RecordedCalls calls_;
    bool is_written_at_exit_ = false;
};

// The process's own; null where CLGEMM_RECORD is not set. It is written when the process ends.
CallRecord* call_record() noexcept;

} // namespace clgemm::core
