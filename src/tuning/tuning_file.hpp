// Tuning data as text: JSON of this form, one device to a file.
//
//   { "format": 1,
//     "device": { "platform": "NVIDIA CUDA", "name": "NVIDIA H200", "type": "gpu", "compute_units": 132 },
//     "launch_ns": 1600, "enqueue_ns": 5000, "bytes_per_ns": 3900,
//     "kernels": [ { "kernel": "13_warp_tiled", "operands": "NT", "parameters": { "TSM": 128, ... },
//                    "step_ns": [[1, 520], [2, 650], ...], "start_ns": [[1, 6000], ...] }, ... ] }
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

// Is this text, compiled in or a user's, about the device? Throws TuningFileError if it is no tuning file.
bool is_about(const std::string& text, const DeviceProfile& device);

// Throws TuningFileError if the text is malformed, of another format, about another device, or names kernels or parameters
// that do not exist or that the device cannot run.
Tuning parse_tuning(const std::string& text, const DeviceProfile& device, std::string origin);

std::string to_text(const Tuning& tuning, const DeviceProfile& device);

} // namespace clgemm::core
