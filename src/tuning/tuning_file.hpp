// Tuning data as text: JSON of this form, one device to a file.
//
//   { "format": 1,
//     "device": { "platform": "NVIDIA CUDA", "name": "NVIDIA H200", "type": "GPU", "compute_units": 132 },
//     "launch_ns": 1600, "enqueue_ns": 5000, "bytes_per_ns": 3900,
//     "kernels": [ { "kernel": "13_warp_tiled", "operands": "NT", "parameters": { "TSM": 128, ... },
//                    "step_ns": [[1, 520], [2, 650], ...], "resident": 8, "start_ns": [[1, 6000], ...] }, ... ] }
//
// "properties": { "vendor": "NVIDIA Corporation", "architecture": "sm_90", "clock_mhz": 1980 } is what the device's
// relatives are found by (tuning/relatives.hpp); older files lack it.
//
// A measurement may also have "least_ns": 12300, if that was measured.
//
// A measurement may also have "arithmetic": "f32 f32 f32 strict" (problem/arithmetic.hpp), where that is not what
// callers get who ask for nothing.
//
// There may be entries for single calls (tuning/single_call.hpp), beside the measurements or alone. Libraries that are older
// than these do not look at them:
//
//     "calls": [ { "m": 512, "n": 64, "k": 1024, "transposes": "NT", "aligned": [16, 16, 16],
//                  "kernel": "13_warp_tiled", "parameters": { "TSM": 64, ... },
//                  "way": { "form": 0, "split_k": 4, "transposed": false }, "ns": 12300 }, ... ]
//
// tuning/tuning.hpp says what the values mean.
#pragma once

#include "device/profile.hpp"
#include "tuning/relatives.hpp"
#include "tuning/tuning.hpp"

#include <memory>
#include <stdexcept>
#include <string>

namespace clgemm::core {

class ParsedJson;

// What is wrong with a tuning file.
class TuningFileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The file is about another device. It need not have any other fault.
class OtherDevice : public TuningFileError {
public:
    using TuningFileError::TuningFileError;
};

// A text that was read, and the device that it is about.
class TuningFile {
public:
    // Throws TuningFileError if the text is malformed, of another format, or about no device.
    explicit TuningFile(const std::string& text);
    TuningFile(TuningFile&&) noexcept;
    TuningFile& operator=(TuningFile&&) noexcept;
    ~TuningFile();

    const MeasuredDevice& device() const { return device_; }

    // Does it have a measurement of a kernel that uses these instructions?
    bool uses(Instructions instructions) const;

    // Its data for `device`, which need not be the one that was measured. Throws TuningFileError if it is malformed.
    // Measurements and entries for single calls that this version of the library does not know, or that the device cannot
    // run, are left out, and the others hold; there may be no others.
    Tuning tuning_for(const DeviceProfile& device, std::string origin) const;

private:
    std::unique_ptr<const ParsedJson> json_;
    MeasuredDevice device_;
};

// The data of a text, which must be about this very device. Throws OtherDevice if it is not.
Tuning parse_tuning(const std::string& text, const DeviceProfile& device, std::string origin);

std::string to_text(const Tuning& tuning, const DeviceProfile& device);

} // namespace clgemm::core
