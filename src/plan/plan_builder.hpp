// What the makers of plans share: the workspace's layout, and helper kernels as steps.
#pragma once

#include "device/profile.hpp"
#include "plan/parts.hpp"
#include "plan/plan.hpp"
#include "plan/workspace_layout.hpp"
#include "problem/problem.hpp"

#include "kernels/arguments.h"

#include <string>
#include <utility>

namespace clgemm::core {

// Where a matrix lies, as kernels take it.
kernel_arguments::Strided strided(const Matrix& matrix);

// Where the problem is a listed batch, its list becomes the step's last buffer (kernels/product_list.clh). `computed`: the
// problem as the kernel computes it, which may be the transposed one.
void add_list(Step& step, const Problem& computed);

class PlanBuilder {
public:
    explicit PlanBuilder(const DeviceProfile& device);

    const DeviceProfile& device() const { return device_; }

    // The steps that are added from now on compute this part of the product, in the same workspace as the parts before.
    // Where the result must be reproducible, all kernels are told so (kernels/reproducible.clh).
    void begin(const Part& part);
    bool b_is_as_before() const { return b_is_as_before_; } // in the part that began last

    WorkspaceLayout workspace; // of that part

    void add(Step step);
    // Adds the step that fills what was placed by workspace.place_for(operand, ...). It reads this operand alone, and its
    // siblings by work-groups of dimension 2. Where the operand is prepared, the plan gets an image instead of the step. All
    // parts of the product share the image; where the operand has siblings, the step of the first one makes all of theirs.
    void add_making(const Matrix& operand, Step step);

    // C = beta * C, for all products of a batch, which must be most_products_at_once at most.
    void add_scaling(const Problem& problem);
    // Copies an operand, and its siblings, to `to`, which was placed for it and may be stored the other way round. Where
    // `to` has more rows and columns, these become zeros. `name`: what people call the matrix.
    void add_copy(const Matrix& from, const Matrix& to, const std::string& name);
    // C = in + beta * C, from the beginning of a matrix that may be larger than `c`.
    void add_unpadding(const Matrix& c, const Matrix& in, float beta);
    // C = alpha * (the sums of all parts of K) + beta * C. `sums`: the matrix of the first part's sums, which is stored as C
    // is. Those of the next part lie `distance` elements behind, and so on.
    void add_reduction(const Problem& problem, std::size_t parts, const Matrix& sums, std::size_t distance);

    // Throws CL_MEM_OBJECT_ALLOCATION_FAILURE where the temporaries are larger than memory can be.
    Plan finish();

private:
    // A helper kernel over rows x cols elements, `lines` of dimension 1 in a work-group.
    Step helper(const char* kernel, std::string purpose, std::size_t rows, std::size_t cols, std::size_t lines,
                std::vector<Memory> buffers, ArgumentBytes arguments, const std::string& more_options = {}) const;
    Step reduction(const kernel_arguments::Reducing& reducing, Memory sums, Memory c) const;
    Step reduction_on_cpu(kernel_arguments::Reducing whole, Memory sums, Memory c) const;

    // The work-group of the helper kernels: tile x rows work-items, as many as the device can have.
    std::size_t tile_ = 32, rows_ = 8;
    const DeviceProfile& device_;
    bool b_is_as_before_ = false;
    std::string device_options_;   // what every kernel is told of the device
    std::string rounding_options_; // and of how the part that began last is to be rounded
    Plan plan_;
};

} // namespace clgemm::core
