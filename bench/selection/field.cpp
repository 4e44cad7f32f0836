#include "field.hpp"

#include <algorithm>
#include <set>

namespace bench {

using namespace clgemm::core;

std::vector<Candidate> weighed(const Problem& problem, const DeviceProfile& device, const Tuning& tuning)
{
    std::vector<Candidate> result = candidates(problem, device, tuning, {});
    if (result.empty() && tuning.guesses)
        result = candidates(problem, device, *tuning.guesses, {});
    return result;
}

std::vector<Candidate> pruned(std::vector<Candidate> candidates, const Pruning& pruning)
{
    std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.ns < b.ns; });
    if (pruning.all || candidates.empty())
        return candidates;
    const double most = candidates.front().ns * pruning.within;
    std::set<const KernelInfo*> seen;
    std::erase_if(candidates, [&](const Candidate& candidate) {
        const bool is_first_of_kernel = seen.insert(candidate.measurement->variant.kernel).second;
        return !is_first_of_kernel && candidate.ns > most;
    });
    return candidates;
}

} // namespace bench
