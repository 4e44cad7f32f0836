#include "engine/attempts.hpp"

#include "support/log.hpp"

namespace clgemm::core {

bool Attempts::fall_back(const std::string& reason)
{
    const auto next = attempt_after(now_, request_.workspace_bytes());
    if (!next)
        return false;
    now_ = *next;
    problem_.arithmetic.accuracy = now_.accuracy;
    log_line([&] { return "falling back: " + reason; });
    return true;
}

void Attempts::fall_back_to_unprepared(const std::string& reason)
{
    log_line([&] { return "computed as if nothing were prepared: " + reason; });
    problem_.a.prepared = problem_.b.prepared = false;
    now_.options = limited(now_.options, request_.workspace_bytes());
}

} // namespace clgemm::core
