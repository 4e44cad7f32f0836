#include "plan/plan_builder.hpp"

#include "support/arithmetic.hpp"
#include "support/error.hpp"

#include <limits>

namespace clgemm::core {

View WorkspaceLayout::place(std::size_t rows, std::size_t cols)
{
    // Whole cache lines and the widest vector: every matrix starts at a multiple of 256 bytes.
    constexpr std::size_t alignment = 256 / sizeof(float);
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(float) - alignment;
    if (cols > 0 && rows > (most - elements_) / cols)
        throw Error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "the temporaries of this call are larger than memory can be");
    const View view{Memory::workspace, elements_, rows};
    elements_ += round_up(rows * cols, alignment);
    return view;
}

HelperGroup::HelperGroup(const DeviceProfile& device)
{
    while (rows > 1 && tile * rows > device.max_work_group_size)
        rows /= 2;
    while (tile > 1 && (tile * rows > device.max_work_group_size || tile > device.max_work_item_sizes[0]))
        tile /= 2;
}

void PlanBuilder::add_helper(const char* kernel, std::string purpose, std::size_t p, std::size_t q, std::size_t lines,
                             std::vector<StepArgument> arguments, const std::string& more_options)
{
    add({std::move(purpose),
         &kernel_source(kernel),
         kernel,
         group_.options() + more_options,
         {divide_up(p, group_.tile), divide_up(q, lines), 1},
         {group_.tile, group_.rows},
         std::move(arguments),
         Passing::numbers_in_one});
}

void PlanBuilder::add_sum_of_parts(const Problem& problem, std::size_t count, const View& parts, std::size_t stride)
{
    // As many work-items to an element as keeps each busy with eight loads.
    std::size_t slices = 1;
    while (2 * slices <= group_.rows && 16 * slices <= count)
        slices *= 2;
    add_helper("reduce", "add the " + std::to_string(count) + " parts of K", problem.m, problem.n, group_.rows / slices,
               {problem.m, problem.n, count, problem.alpha, parts.memory, parts.offset, parts.ld, stride, problem.beta,
                Memory::c, problem.c.offset, problem.c.ld},
               " -DSLICES=" + std::to_string(slices));
}

} // namespace clgemm::core
