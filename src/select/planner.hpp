// From a problem to its plan: the path that a call, a workspace query and an explanation share, so that they agree.
#pragma once

#include "plan/plan.hpp"
#include "select/selection.hpp"
#include "support/remembered.hpp"

#include <memory>

namespace clgemm::core {

// For one device.
class Planner {
public:
    Planner(DeviceProfile device, Tuning tuning) : device_(std::move(device)), tuning_(std::move(tuning)) {}

    // Throws what select() and Family::plan() throw. Threads may ask at once. A call that comes again is not planned again,
    // which would take the host a tenth of the time that a small product takes.
    std::shared_ptr<const Plan> plan(const Problem& problem, const Options& options);

    // Of that plan, which need not be made for it. However many calls are asked about, what was made is not forgotten.
    std::size_t workspace_bytes(const Problem& problem, const Options& options);

    const DeviceProfile& device() const { return device_; }
    const Tuning& tuning() const { return tuning_; }

private:
    Plan plan_anew(const Problem& problem, const Options& options);
    std::shared_ptr<const Selection> selection(const Problem& problem, const Options& options);

    const DeviceProfile device_;
    const Tuning tuning_;
    // Calls share a selection that differ in scalars, or in where their matrices lie: a program that goes through a large
    // matrix block by block never makes the same call twice.
    Remembered<Selection, 6> selections_{2048}; // 1 MB at most
    // Of calls whose workspace was asked for. Most questions are asked for many alignments (api/queries.cpp).
    Remembered<Selection, 6> asked_about_{2048};
    Remembered<Plan, 22> plans_{256};
};

} // namespace clgemm::core
