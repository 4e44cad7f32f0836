// The CLGEMM_ variables of the environment, read once and checked. Nothing else in the library reads the environment. A
// relative file name counts from the folder where the process is at its first call.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace clgemm::core {

struct Environment {
    static constexpr std::size_t all_devices = std::numeric_limits<std::size_t>::max();
    enum class Amx { off, on, model };

    std::string device;                         // CLGEMM_DEVICE: part of a platform's or device's name
    std::size_t most_devices = 1;               // CLGEMM_DEVICES: how many share a call on host memory
    std::string kernel;                         // CLGEMM_KERNEL: as it stands there (engine/request.hpp knows what it means)
    std::string math;                           // CLGEMM_MATH: likewise
    Amx amx = Amx::on;                          // CLGEMM_AMX: 0, 1 or model, whose tiles are loops, for tests
    bool log = false;                           // CLGEMM_LOG: 1 for a line per call on standard error
    std::optional<std::string> cache_directory; // CLGEMM_CACHE_DIR, else the user's cache directory; none: memory only
    std::string tuning_file;                    // CLGEMM_TUNING: a file that clgemm-tune wrote
    std::string record_file;                    // CLGEMM_RECORD: where the process's calls are written
    std::optional<std::string> config_directory; // the user's, with clgemm-tune's files
    bool cache_directory_was_asked_for =
        false; // it came from CLGEMM_CACHE_DIR, so that failing to use it is worth a warning
};

// A variable's value that means nothing. Where the variable decides what is computed, where or how (the device, the kernel,
// the math mode, the tiles), every call fails. The log, the cache, the tuning and the record get a warning instead, since no
// result depends on them.
class EnvironmentError : public std::runtime_error {
public:
    EnvironmentError(const std::string& name, const std::string& value, const std::string& wanted)
        : std::runtime_error(name + " is '" + value + "', but must be " + wanted)
    {
    }
};

// Reads through `lookup`, which gives a variable's value or nothing.
Environment read_environment(const std::function<std::optional<std::string>(const char*)>& lookup);

// The environment of the process, read at the first call. Where the process has rights that its caller has not, as a set-uid
// program does, every variable counts as unset: the caller must not say which files it reads and writes.
const Environment& environment();

} // namespace clgemm::core
