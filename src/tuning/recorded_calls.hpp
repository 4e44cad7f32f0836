// A record of calls: which ones a program makes, how often, and how long they take. CLGEMM_RECORD says where the library
// writes one; clgemm-tune --calls reads it. It is text, one JSON object to a line:
//
//   { "m": 512, "n": 64, "k": 1024, "transposes": "NT", "aligned": [16, 16, 16],
//     "device": "NVIDIA CUDA/NVIDIA H200", "count": 12, "timed": 12, "total_us": 340.5 }      (in one line)
#pragma once

#include "device/profile.hpp"
#include "tuning/single_call.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>

namespace clgemm::core {

struct RecordedCall {
    SingleCall call;
    std::string device; // as recorded_name() has it

    bool operator<(const RecordedCall& other) const
    {
        return device != other.device ? device < other.device : call < other.call;
    }
};

struct CallCounts {
    std::uint64_t count = 0; // how often it was made
    std::uint64_t timed = 0; // for how many of these the time is known
    double total_us = 0;     // what the timed ones took together

    CallCounts& operator+=(const CallCounts& other)
    {
        count += other.count;
        timed += other.timed;
        total_us += other.total_us;
        return *this;
    }
    // What all calls took, if those that were not timed took as long as the others.
    double all_us() const { return timed == 0 ? 0 : total_us * static_cast<double>(count) / static_cast<double>(timed); }
};

using RecordedCalls = std::map<RecordedCall, CallCounts>;

// What is wrong with a record.
class RecordError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The platform of the device, and the name by which tuning data knows it (lasting_name()): "NVIDIA CUDA/NVIDIA H200".
std::string recorded_name(const DeviceProfile& device);

std::string to_text(const RecordedCalls& calls);

// Lines about the same call are added up, so that records can be put together by appending one to another. Empty lines do
// not count. Throws RecordError, which names the line.
RecordedCalls parse_record(const std::string& text);

// The same of a file. Throws RecordError, which names the file as well, also where it cannot be read.
RecordedCalls read_record(const std::filesystem::path& file);

} // namespace clgemm::core
