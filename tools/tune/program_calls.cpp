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

Tuning tuning_to_add_to(const std::filesystem::path& file, const DeviceProfile& device)
{
    std::error_code failed;
    if (!std::filesystem::exists(file, failed))
        return {};
    std::ifstream stream(file, std::ios::binary);
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
