#include "select/fallbacks.hpp"

#include <algorithm>

namespace clgemm::core {

std::vector<Options> attempts_at(const Options& asked, std::size_t callers_workspace)
{
    if (asked.kernel)
        return {asked};
    Options fp32_alone = asked;
    fp32_alone.strict = true;
    if (callers_workspace > 0)
        fp32_alone.workspace_limit =
            asked.workspace_limit > 0 ? std::min(asked.workspace_limit, callers_workspace) : callers_workspace;

    Options no_temporaries = fp32_alone;
    no_temporaries.workspace_limit = 1; // byte: nothing can be put there

    Options last_resort = no_temporaries;
    last_resort.last_resort = true;

    std::vector<Options> result{asked};
    if (!asked.strict)
        result.push_back(fp32_alone);
    result.push_back(no_temporaries);
    result.push_back(last_resort);
    return result;
}

} // namespace clgemm::core
