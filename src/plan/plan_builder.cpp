#include "plan/plan_builder.hpp"

#include "support/error.hpp"
#include "support/whole_numbers.hpp"

#include "clgemm/clgemm.h"

#include <algorithm>

namespace clgemm::core {
namespace {

std::string purpose_of(const kernel_arguments::Reducing& reducing)
{
    return "add the " + std::to_string(reducing.parts) + " parts of K";
}

} // namespace

kernel_arguments::Strided strided(const Matrix& matrix)
{
    return {matrix.offset, matrix.row_stride(), matrix.col_stride()};
}

void add_list(Step& step, const Problem& computed)
{
    if (!computed.batch.listed)
        return;
    step.options += " -DLISTED=1";
    if (computed.a.memory == Memory::b)
        step.options += " -DOFFSET_A=offB -DOFFSET_B=offA";
    step.buffers.push_back(Memory::list);
}

PlanBuilder::PlanBuilder(const DeviceProfile& device) : device_(device)
{
    if (device.sub_group > 0)
        device_options_ = " -DSUB_GROUP=" + std::to_string(device.sub_group);
    while (rows_ > 1 && (tile_ * rows_ > device.max_work_group_size || rows_ > device.max_work_item_sizes[1]))
        rows_ /= 2;
    while (tile_ > 1 && (tile_ * rows_ > device.max_work_group_size || tile_ > device.max_work_item_sizes[0]))
        tile_ /= 2;
}

Step PlanBuilder::helper(const char* kernel, std::string purpose, std::size_t rows, std::size_t cols, std::size_t lines,
                         std::vector<Memory> buffers, ArgumentBytes arguments, const std::string& more_options) const
{
    Step step;
    step.purpose = std::move(purpose);
    step.source = &kernel_source(kernel);
    step.function = kernel;
    step.options = "-DTILE=" + std::to_string(tile_) + " -DROWS=" + std::to_string(rows_) + more_options;
    step.groups = {divide_up(rows, tile_), divide_up(cols, lines), 1};
    step.group_size = {tile_, rows_};
    step.buffers = std::move(buffers);
    step.arguments = std::move(arguments);
    return step;
}

void PlanBuilder::add(Step step)
{
    step.options += device_options_ + rounding_options_;
    plan_.steps.push_back(std::move(step));
}

void PlanBuilder::add_making(const Matrix& operand, Step step)
{
    if (!operand.prepared)
        return add(std::move(step));
    if (operand.siblings.index > 0)
        return;
    step.groups[2] = operand.siblings.count;
    step.options += device_options_ + rounding_options_;
    if (std::none_of(plan_.images.begin(), plan_.images.end(),
                     [&](const Image& image) { return image.operand == operand.memory; }))
        plan_.images.push_back({operand.memory, std::move(step), workspace.image_bytes(operand.memory)});
}

void PlanBuilder::add_scaling(const Problem& problem)
{
    const Matrix& c = problem.c;
    Step step =
        helper("scale", "scale C", c.stored_rows(), c.stored_cols(), rows_, {c.memory},
               ArgumentBytes(kernel_arguments::Scaling{c.stored_rows(), c.stored_cols(), c.offset, c.ld, problem.beta, 0,
                                                       problem.batch.listed ? 0 : c.distance, problem.batch.first}));
    step.groups[2] = problem.batch.count;
    add_list(step, problem);
    add(std::move(step));
}

void PlanBuilder::add_copy(const Matrix& from, const Matrix& to, const std::string& name)
{
    const bool turned = from.transposed != to.transposed;
    // What is filled up, counted as `from` is stored.
    const std::size_t rows = turned ? to.stored_cols() : to.stored_rows();
    const std::size_t cols = turned ? to.stored_rows() : to.stored_cols();
    const ArgumentBytes arguments(kernel_arguments::Copying{from.stored_rows(), from.stored_cols(), from.offset, from.ld,
                                                            rows, cols, to.offset, to.ld, from.siblings.distance,
                                                            to.siblings.distance});
    constexpr std::size_t each = 4; // elements of a work-item, loaded together (docs/notes/kernels.md)
    Step step = turned ? helper("transpose", "transpose " + name, rows, cols, tile_, {from.memory, to.memory}, arguments)
                       : helper("pad", "pad " + name, rows, cols, rows_ * each, {from.memory, to.memory}, arguments,
                                " -DEACH=" + std::to_string(each));
    step.groups[2] = to.siblings.count;
    step.leaves_c_as_it_is = true;
    add_making(from, std::move(step));
}

void PlanBuilder::add_unpadding(const Matrix& c, const Matrix& in, float beta)
{
    add(helper("unpad", "unpad C", c.stored_rows(), c.stored_cols(), rows_, {in.memory, c.memory},
               ArgumentBytes(kernel_arguments::Unpadding{c.stored_rows(), c.stored_cols(), in.offset, in.ld, c.offset, c.ld,
                                                         beta, 0})));
}

void PlanBuilder::add_reduction(const Problem& problem, std::size_t parts, const Matrix& sums, std::size_t distance)
{
    const Matrix& c = problem.c;
    const kernel_arguments::Reducing reducing{c.stored_rows(), c.stored_cols(), parts,    problem.alpha, problem.beta,
                                              sums.offset,     sums.ld,         distance, c.offset,      c.ld};
    if (device_.type == DeviceType::cpu)
        add(reduction_on_cpu(reducing, sums.memory, c.memory));
    else
        add(reduction(reducing, sums.memory, c.memory));
}

Step PlanBuilder::reduction(const kernel_arguments::Reducing& reducing, Memory sums, Memory c) const
{
    // As many work-items for an element as keep each busy with eight loads. Where there are fewer parts, a work-item has
    // loads of several elements under way instead (docs/notes/kernels.md).
    constexpr std::size_t most_at_once = 8;
    std::size_t sharers = 1;
    while (2 * sharers <= rows_ && 2 * sharers * most_at_once <= reducing.parts)
        sharers *= 2;
    const std::size_t at_once = reducing.parts <= 2 ? 2 : reducing.parts <= 4 ? 4 : most_at_once;
    const std::size_t each = at_once < most_at_once ? 4 : 1;
    return helper("reduce", purpose_of(reducing), reducing.rows, reducing.columns, rows_ / sharers * each, {sums, c},
                  ArgumentBytes(reducing),
                  " -DSHARERS=" + std::to_string(sharers) + " -DEACH=" + std::to_string(each) +
                      " -DAT_ONCE=" + std::to_string(at_once));
}

Step PlanBuilder::reduction_on_cpu(kernel_arguments::Reducing whole, Memory sums, Memory c) const
{
    // Without gaps all columns are one.
    if (whole.rows == whole.ldSums && whole.rows == whole.ldc) {
        whole.rows = saturating_product(whole.rows, whole.columns);
        whole.columns = 1;
    }
    // The floats that are read while another thread wakes up, about. Two work-groups for each unit, since one may come late.
    constexpr std::size_t worth_a_group = 65536, groups_for_each_unit = 2, cache_line = 16;
    const std::size_t floats = saturating_product(saturating_product(whole.rows, whole.columns), whole.parts);
    const std::size_t groups =
        std::clamp<std::size_t>(floats / worth_a_group, 1, groups_for_each_unit * device_.compute_units);
    const std::size_t columns = divide_up(whole.columns, groups), groups_n = divide_up(whole.columns, columns);
    const std::size_t rows = round_up(divide_up(whole.rows, groups / groups_n), cache_line);

    Step step;
    step.purpose = purpose_of(whole);
    step.source = &kernel_source("cpu_reduce");
    step.function = "cpu_reduce";
    step.options = "-DWIDTH=" + std::to_string(device_.vector_of_kernels());
    step.groups = {divide_up(whole.rows, rows), groups_n, 1};
    step.buffers = {sums, c};
    step.arguments = ArgumentBytes(kernel_arguments::BlockReducing{whole, rows, columns});
    return step;
}

void PlanBuilder::begin(const Part& part)
{
    plan_.workspace_bytes = std::max(plan_.workspace_bytes, workspace.bytes());
    workspace = {};
    b_is_as_before_ = part.b_is_as_before;
    rounding_options_.clear();
    if (is_reproducible(part.problem.arithmetic))
        rounding_options_ = " -DREPRODUCIBLE=" + std::to_string(reproducible_depth) +
                            " -DCONTRACTED=" + (device_.contracts_instead_of_fma ? "1" : "0");
}

Plan PlanBuilder::finish()
{
    plan_.workspace_bytes = std::max(plan_.workspace_bytes, workspace.bytes());
    if (plan_.workspace_bytes > WorkspaceLayout::most_bytes())
        throw Error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "the temporaries of this call are larger than memory can be");
    for (const Image& image : plan_.images)
        if (image.bytes > WorkspaceLayout::most_bytes())
            throw Error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "an image of this operand is larger than memory can be");
    return std::move(plan_);
}

} // namespace clgemm::core
