// Tuning data as text: JSON of this form, one device to a file.
//
//   { "format": 1,
//     "device": { "platform": "NVIDIA CUDA", "name": "NVIDIA H200", "type": "GPU", "compute_units": 132 },
//     "launch_ns": 1600, "enqueue_ns": 5000, "bytes_per_ns": 3900,
//     "kernels": [ { "kernel": "13_warp_tiled", "operands": "NT", "parameters": { "TSM": 128, ... },
//                    "step_ns": [[1, 520], [2, 650], ...], "resident": 8, "start_ns": [[1, 6000], ...] }, ... ] }
//
// A measurement may also have "arithmetic": "f32 f32 f32 strict" (problem/arithmetic.hpp), where it was not measured for
// what callers ask for who ask for nothing.
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
#include "tuning/tuning.hpp"

#include <stdexcept>
#include <string>

namespace clgemm::core {

// What is wrong with a tuning file.
class TuningFileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Nothing, perhaps, but it is about another device.
class OtherDevice : public TuningFileError {
public:
    using TuningFileError::TuningFileError;
};

// Throws TuningFileError if the text is malformed, of another format, or about another device. A measurement, or an entry
// for a single call, that this version of the library does not know, or that the device cannot run, is left out, and the
// others hold: there may be none.
Tuning parse_tuning(const std::string& text, const DeviceProfile& device, std::string origin);

std::string to_text(const Tuning& tuning, const DeviceProfile& device);

} // namespace clgemm::core
