#include "select/single_calls.hpp"

#include "families/registry.hpp"
#include "select/plan_of.hpp"

namespace clgemm::core {

const TunedCall* tuned_call(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                            const Options& options)
{
    if (tuning.calls.empty() || options.kernel || options.last_resort)
        return nullptr;
    const auto call = single_call_of(problem);
    const TunedCall* const tuned = call ? find_call(tuning, *call) : nullptr;
    // An entry does not say all of how matrices lie: not every call that it is about can be computed in its way.
    if (!tuned || !takes(problem, tuned->variant, device) || !has_way(problem, device, tuned->variant, tuned->way) ||
        outline_of(problem, device, tuned->variant, tuned->way).workspace_bytes >
            bytes_allowed(device, options.workspace_limit))
        return nullptr;
    return tuned;
}

} // namespace clgemm::core
