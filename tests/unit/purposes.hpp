// What a plan's steps are for, to compare.
#pragma once

#include "plan/plan.hpp"

#include <string>
#include <vector>

namespace clgemm::test {

using Purposes = std::vector<std::string>;

inline Purposes purposes(const core::Plan& plan)
{
    Purposes result;
    for (const auto& step : plan.steps)
        result.push_back(step.purpose);
    return result;
}

} // namespace clgemm::test
