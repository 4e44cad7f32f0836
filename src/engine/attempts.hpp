// The ways in which one call is tried, each after the one before could not be had. The query promised the caller that a
// workspace of this size suffices for the first way, so a workspace of the caller's limits all others.
#pragma once

#include "engine/request.hpp"
#include "problem/problem.hpp"
#include "select/fallbacks.hpp"

#include <string>

namespace clgemm::core {

class Attempts {
public:
    // The first is as the call asks for it.
    Attempts(const Problem& problem, const Request& request)
        : problem_(problem), request_(request), now_{problem.arithmetic.accuracy, request.options}
    {
    }

    // The call as it is to be made now.
    const Problem& problem() const { return problem_; }
    const Options& options() const { return now_.options; }
    const Request& request() const { return request_; }

    // Goes on to the next attempt, after this one failed for this reason. False where there is none.
    bool fall_back(const std::string& reason);
    // Goes on to the same call as if none of its operands were prepared.
    void fall_back_to_unprepared(const std::string& reason);

private:
    Problem problem_;
    const Request& request_;
    Attempt now_;
};

} // namespace clgemm::core
