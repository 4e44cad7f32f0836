// Where the tuner writes what it has found, and what it tells meanwhile.
#pragma once

#include "tune/asked.hpp"

#include "device/profile.hpp"
#include "support/file_lock.hpp"
#include "tuning/tuning.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>

namespace clgemm::tune {

class Output {
public:
    // Throws std::runtime_error where the file could not be written: nobody should learn that after minutes.
    Output(const Asked& asked, const core::DeviceProfile& device);

    const std::filesystem::path& file() const { return file_; }

    // Keeps other tuners from the file for as long as it lives, from before it is read until it is written. Null where it is
    // not to be written, or not there yet. Throws std::runtime_error.
    std::unique_ptr<const core::FileLock> lock() const;

    // What people read: on standard error where standard output is the file's.
    std::FILE* report() const { return to_standard_output_ ? stderr : stdout; }

    // To the file, or to standard output. Throws std::runtime_error, also where the tuning is empty, or larger than what the
    // library reads.
    void write(const core::Tuning& tuning) const;

    // The same, but where the tuning is empty the file goes. Throws std::runtime_error.
    void write_or_remove(const core::Tuning& tuning) const;

private:
    const core::DeviceProfile device_;
    const bool to_standard_output_;
    const std::filesystem::path file_;
};

} // namespace clgemm::tune
