// From a problem to its plan: the path that a call, a workspace query and an explanation share, so that they agree.
#pragma once

#include "plan/plan.hpp"
#include "select/selector.hpp"

#include <memory>
#include <string>

namespace clgemm::core {

struct Decision {
    std::shared_ptr<const Selection> selection; // null where C is only scaled or nothing is to be done
    Plan plan;
};

Decision decide(const Problem& problem, const DeviceProfile& device, Selector& selector, const Wishes& wishes);

// For people: several lines, or one for the log.
std::string explain(const Problem& problem, const DeviceProfile& device, const Decision& decision);
std::string explain_in_one_line(const Problem& problem, const DeviceProfile& device, const Decision& decision);

} // namespace clgemm::core
