#include "timing/selection/field.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace timing {

using namespace clgemm::core;

Pruning usual_pruning(const Tuning& tuning)
{
    Pruning result;
    if (!tuning.is_of_this_device())
        result.hopeless = std::numeric_limits<double>::infinity();
    return result;
}

std::vector<Candidate> weighed(const Problem& problem, const DeviceProfile& device, const Tuning& tuning)
{
    std::vector<Candidate> result = candidates(problem, device, tuning, {});
    if (result.empty() && tuning.guesses)
        result = candidates(problem, device, *tuning.guesses, {});
    return result;
}

Field pruned(std::vector<Candidate> candidates, const Pruning& pruning)
{
    std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.ns < b.ns; });
    if (pruning.all || candidates.empty())
        return {std::move(candidates)};
    const double least = candidates.front().ns;
    std::size_t hopeless_kernels = 0;
    std::set<const KernelInfo*> seen;
    std::erase_if(candidates, [&](const Candidate& candidate) {
        const bool is_first_of_kernel = seen.insert(candidate.measurement->variant.kernel).second;
        const bool is_hopeless = is_first_of_kernel && candidate.ns > std::max(pruning.hopeless, pruning.within) * least;
        hopeless_kernels += is_hopeless ? 1 : 0;
        return is_hopeless || (!is_first_of_kernel && candidate.ns > pruning.within * least);
    });
    return {std::move(candidates), hopeless_kernels};
}

} // namespace timing
