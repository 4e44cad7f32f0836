// Where the tuner writes what it has found, and what it tells meanwhile.
#pragma once

#include "tune/asked.hpp"

#include "device/profile.hpp"
#include "tuning/tuning.hpp"

#include <cstdio>
#include <filesystem>

namespace clgemm::tune {

class Output {
public:
    // Throws std::runtime_error where the file could not be written: nobody should learn that after minutes.
    Output(const Asked& asked, const core::DeviceProfile& device);

    const std::filesystem::path& file() const { return file_; }

    // What people read: on standard error where standard output is the file's.
    std::FILE* report() const { return to_standard_output_ ? stderr : stdout; }

    // To the file, or to standard output. Throws std::runtime_error, also where the tuning is empty.
    void write(const core::Tuning& tuning) const;

private:
    const core::DeviceProfile device_;
    const bool to_standard_output_;
    const std::filesystem::path file_;
};

} // namespace clgemm::tune
