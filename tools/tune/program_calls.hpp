// The calls of a program, as CLGEMM_RECORD has written them down, and what a tuning file has for them afterwards.
#pragma once

#include "tune/call_search.hpp"

#include "device/profile.hpp"
#include "tuning/recorded_calls.hpp"
#include "tuning/tuning.hpp"

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <vector>

namespace clgemm::tune {

// The record has no calls on the device. The text: "has no calls on ...", and on which devices it has some.
class NoCalls : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The calls that were made on the device: those first that took most time in all, then those that were made most often. Only
// the first 1000 are returned, since a tuning file has a place for so many. Throws NoCalls.
std::vector<core::SingleCall> calls_to_tune(const core::RecordedCalls& record, const core::DeviceProfile& device);

// How many seconds to search for so many calls, if nobody says.
double usual_budget(std::size_t calls);

// What became of the calls.
struct ProgramTuned {
    std::vector<core::SingleCall> tuned, too_large;
    std::vector<core::TunedCall> entries;
    std::vector<Comparison> comparisons; // of those that were tuned
};

// Searches for each call in turn, and adds to `result` as it goes on. `file`: with the earlier entries. The functions:
// whether the tuner's matrices are large enough for a call; what is told of each, by its number from 1 on; the seconds that
// are left.
void tune_each(ProgramTuned& result, const std::vector<core::SingleCall>& calls, const core::Tuning& file,
               CallSearch& search, const std::function<bool(const core::SingleCall&)>& can_time,
               const std::function<void(std::size_t)>& on_call, const std::function<double()>& time_left);

// The contents of a tuning file to which entries are to be added: nothing where there is no such file. Throws
// std::runtime_error where it is of no use on the device.
core::Tuning tuning_to_add_to(const std::filesystem::path& file, const core::DeviceProfile& device);

// The tuning with these entries in the place of all that it had for the calls that were tuned.
core::Tuning with_entries(core::Tuning tuning, const std::vector<core::SingleCall>& tuned,
                          const std::vector<core::TunedCall>& entries);

} // namespace clgemm::tune
