// From a problem to its plan: the path that a call, a workspace query and an explanation share, so that they agree.
#pragma once

#include "plan/plan.hpp"
#include "select/keys.hpp"
#include "select/selection.hpp"
#include "support/remembered.hpp"

#include <memory>
#include <vector>

namespace clgemm::core {

struct PlannedCall {
    std::shared_ptr<const Selection> selection; // null where C is only scaled, or nothing is to be done
    Plan plan;
    std::size_t products = 1; // of a batch: how many the plan computes, from the first one that was asked for
};

// For one device.
class Planner {
public:
    Planner(DeviceProfile device, Tuning tuning) : device_(std::move(device)), tuning_(std::move(tuning)) {}

    // These throw what select() and Family::plan() throw. Threads may ask at once.

    // The plan of a batch has a step or more for each of its parts, which takes memory. So a batch of very many parts has
    // several plans, each from another product on. All follow from the same selection, and so need the same workspace.
    PlannedCall plan(const Problem& problem, const Options& options, std::size_t first_product = 0);
    std::shared_ptr<const Selection> selection(const Problem& problem, const Options& options);

    // The workspace of that plan, which need not be made for it. However many calls are asked about, what was selected for
    // calls is not forgotten.
    std::size_t workspace_bytes(const Problem& problem, const Options& options);

    // The numbers of elements for which it may matter to a selection whether a matrix is aligned to them, ascending from 1.
    std::vector<std::size_t> widths_that_matter(const Options& options) const;

    const DeviceProfile& device() const { return device_; }
    const Tuning& tuning() const { return tuning_; }

private:
    using Selections = Remembered<Selection, std::tuple_size_v<SelectionKey>>;

    // What `own` or `others` remember, or what is selected now. Afterwards `own` remembers it.
    std::shared_ptr<const Selection> known_or_selected(const Problem& problem, const Options& options, Selections& own,
                                                       const Selections& others) const;

    const DeviceProfile device_;
    const Tuning tuning_;
    // A program that goes through a large matrix block by block never makes the same call twice, but needs few selections.
    Selections selections_{2048}; // 1 MB at most
    // Of calls whose workspace was asked for. Most questions are asked for several alignments (api/answers.hpp).
    Selections asked_about_{2048};
};

} // namespace clgemm::core
