#include "tuning/tuning.hpp"

#include <algorithm>
#include <utility>

namespace clgemm::core {

void scale_times(Measurement& measurement, double factor)
{
    for (Curve* curve : {&measurement.step_ns, &measurement.start_ns})
        for (auto& [load, ns] : *curve)
            ns *= factor;
    measurement.least_ns *= factor;
}

Tuning completed_by(Tuning of_single_calls, Tuning rest)
{
    Tuning result = std::move(rest);
    if (!of_single_calls.calls.empty()) {
        result.calls.swap(of_single_calls.calls);
        result.origin_of_calls = std::move(of_single_calls.origin_of_calls);
    }
    result.left_out.insert(result.left_out.begin(), of_single_calls.left_out.begin(), of_single_calls.left_out.end());
    return result;
}

const TunedCall* find_call(const Tuning& tuning, const SingleCall& call)
{
    const auto found =
        std::find_if(tuning.calls.begin(), tuning.calls.end(), [&](const TunedCall& tuned) { return tuned.call == call; });
    return found == tuning.calls.end() ? nullptr : &*found;
}

std::string left_out_in_short(const Tuning& tuning)
{
    constexpr std::size_t most = 3;
    const std::size_t count = tuning.left_out.size();
    if (count == 0)
        return "";
    std::string result = std::to_string(count) + (count == 1 ? " entry" : " entries");
    for (std::size_t i = 0; i < count && i < most; i++)
        result += (i == 0 ? ": " : "; ") + tuning.left_out[i];
    if (count > most)
        result += "; and " + std::to_string(count - most) + " more";
    return result;
}

} // namespace clgemm::core
