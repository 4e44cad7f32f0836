// What the makers of plans share: the workspace's layout, and helper kernels as steps.
#pragma once

#include "plan/plan.hpp"

#include <string>
#include <vector>

namespace clgemm::core {

// A matrix in a buffer, as a kernel's arguments take it.
struct View {
    Memory memory;
    std::size_t offset, ld;
};

// Lays matrices out one after the other in the workspace.
class WorkspaceLayout {
public:
    // Throws where memory cannot be as large as that.
    View place(std::size_t rows, std::size_t cols);
    std::size_t bytes() const { return elements_ * sizeof(float); }

private:
    std::size_t elements_ = 0;
};

// The work-group of the helper kernels (pad, unpad, transpose, scale, reduce): TILE x ROWS work-items.
struct HelperGroup {
    explicit HelperGroup(const DeviceProfile& device);
    std::string options() const { return "-DTILE=" + std::to_string(tile) + " -DROWS=" + std::to_string(rows); }

    std::size_t tile = 32, rows = 8;
};

class PlanBuilder {
public:
    explicit PlanBuilder(const DeviceProfile& device) : group_(device) {}

    const HelperGroup& group() const { return group_; }
    WorkspaceLayout& workspace() { return workspace_; }

    void add(Step step) { plan_.steps.push_back(std::move(step)); }
    // A helper kernel over p x q elements, `lines` of dimension 1 in a work-group.
    void add_helper(const char* kernel, std::string purpose, std::size_t p, std::size_t q, std::size_t lines,
                    std::vector<StepArgument> arguments, const std::string& more_options = {});
    // C = alpha * (the first of `count` parts + the second + ...) + beta * C; the parts lie `stride` apart, as C does.
    void add_sum_of_parts(const Problem& problem, std::size_t count, const View& parts, std::size_t stride);

    Plan finish()
    {
        plan_.workspace_bytes = workspace_.bytes();
        return std::move(plan_);
    }

private:
    HelperGroup group_;
    WorkspaceLayout workspace_;
    Plan plan_;
};

} // namespace clgemm::core
