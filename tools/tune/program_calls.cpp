#include "tune/program_calls.hpp"

#include "tuning/tuning_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace clgemm::tune {

using namespace core;

std::vector<SingleCall> calls_to_tune(const RecordedCalls& record, const DeviceProfile& device)
{
    constexpr std::size_t most = 1000;
    const std::string name = recorded_name(device);
    std::vector<std::pair<SingleCall, CallCounts>> calls;
    std::set<std::string> others;
    for (const auto& [recorded, counts] : record)
        if (recorded.device == name)
            calls.emplace_back(recorded.call, counts);
        else
            others.insert(recorded.device);
    if (calls.empty()) {
        std::string elsewhere;
        for (const std::string& other : others)
            elsewhere += (elsewhere.empty() ? "" : ", ") + other;
        throw NoCalls("has no calls on " + name +
                      (elsewhere.empty() ? "" : ", but some on " + elsewhere + " (--device says which is tuned)"));
    }
    std::stable_sort(calls.begin(), calls.end(), [](const auto& one, const auto& other) {
        return std::pair(one.second.all_us(), one.second.count) > std::pair(other.second.all_us(), other.second.count);
    });
    std::vector<SingleCall> result;
    for (std::size_t i = 0; i < std::min(calls.size(), most); i++)
        result.push_back(calls[i].first);
    return result;
}

double usual_budget(std::size_t calls)
{
    constexpr double for_each = 5, least = 15, most = 900;
    return std::clamp(for_each * static_cast<double>(calls), least, most);
}

void tune_each(ProgramTuned& result, const std::vector<SingleCall>& calls, const Tuning& file, CallSearch& search,
               const std::function<bool(const SingleCall&)>& can_time, const std::function<void(std::size_t)>& on_call,
               const std::function<double()>& time_left)
{
    constexpr double least_seconds = 2; // or no candidate gets its turn; those that matter most come first
    for (std::size_t i = 0; i < calls.size() && time_left() > 0; i++) {
        if (!can_time(calls[i])) {
            result.too_large.push_back(calls[i]);
            continue;
        }
        on_call(i + 1);
        const double share = time_left() / static_cast<double>(calls.size() - i);
        const FoundForCall found = search.search(calls[i], find_call(file, calls[i]), std::max(share, least_seconds));
        result.tuned.push_back(calls[i]);
        if (found.entry)
            result.entries.push_back(*found.entry);
        result.comparisons.push_back(found.comparison);
    }
}

Tuning tuning_to_add_to(const std::filesystem::path& file, const DeviceProfile& device)
{
    std::error_code failed;
    if (!std::filesystem::exists(file, failed))
        return {};
    std::ifstream stream;
    if (std::filesystem::is_regular_file(file, failed)) // a FIFO might hold the reader for ever
        stream.open(file, std::ios::binary);
    if (!stream.is_open())
        throw std::runtime_error("entries cannot be added to " + file.string() + ": it is no regular file that can be read");
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    try {
        return parse_tuning(text, device, file.string());
    } catch (const TuningFileError& error) {
        throw std::runtime_error("entries cannot be added to " + file.string() + ": " + error.what());
    }
}

Tuning with_entries(Tuning tuning, const std::vector<SingleCall>& tuned, const std::vector<TunedCall>& entries)
{
    std::erase_if(tuning.calls,
                  [&](const TunedCall& entry) { return std::find(tuned.begin(), tuned.end(), entry.call) != tuned.end(); });
    tuning.calls.insert(tuning.calls.end(), entries.begin(), entries.end());
    return tuning;
}

} // namespace clgemm::tune
