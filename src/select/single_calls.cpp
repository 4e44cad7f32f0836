#include "select/single_calls.hpp"

#include "families/registry.hpp"
#include "select/plan_of.hpp"

#include <algorithm>

namespace clgemm::core {
namespace {

// An entry of a file does not say all of how matrices lie: not every call that is as it says can be computed in its way.
bool has_way(const Problem& problem, const DeviceProfile& device, const TunedCall& tuned)
{
    const std::vector<Way> ways = tuned.variant.family().ways(problem, device, tuned.variant);
    return tuned.way == Way{} || std::find(ways.begin(), ways.end(), tuned.way) != ways.end();
}

} // namespace

const TunedCall* tuned_call(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                            const Options& options)
{
    if (tuning.calls.empty() || options.kernel || options.last_resort)
        return nullptr;
    const auto call = single_call_of(problem);
    const TunedCall* const tuned = call ? find_call(tuning, *call) : nullptr;
    if (!tuned || !takes(problem, tuned->variant, device) || !has_way(problem, device, *tuned) ||
        outline_of(problem, device, tuned->variant, tuned->way).workspace_bytes >
            bytes_allowed(device, options.workspace_limit))
        return nullptr;
    return tuned;
}

} // namespace clgemm::core
