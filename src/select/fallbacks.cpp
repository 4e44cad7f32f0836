#include "select/fallbacks.hpp"

namespace clgemm::core {
namespace {

constexpr std::size_t no_temporaries = 1; // byte: nothing can be put there

} // namespace

std::optional<Attempt> attempt_after(const Attempt& failed, std::size_t callers_workspace)
{
    if (failed.options.kernel || failed.options.last_resort)
        return std::nullopt;
    Attempt next = failed;
    if (!is_fp32_alone({.accuracy = failed.accuracy})) {
        next.accuracy = CLGEMM_MATH_STRICT;
        next.options = limited(failed.options, callers_workspace);
    } else if (failed.options.workspace_limit != no_temporaries) {
        next.options.workspace_limit = no_temporaries;
    } else {
        next.options.last_resort = true;
    }
    return next;
}

} // namespace clgemm::core
