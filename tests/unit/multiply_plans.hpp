// Plans of kernels that multiply operands where they lie or copies of them, in a way that the test decides, and how to read
// them.
#pragma once

#include "made_up.hpp"
#include "purposes.hpp"

#include "kernels/registry.hpp"
#include "plan/plan.hpp"

#include <algorithm>

namespace clgemm::test {

inline std::uint64_t number(const core::Step& step, std::size_t index)
{
    return std::get<std::uint64_t>(step.arguments[index]);
}

inline core::Memory memory(const core::Step& step, std::size_t index)
{
    return std::get<core::Memory>(step.arguments[index]);
}

// The multiply step's arguments, by position.
enum MultiplyArgument {
    arg_m,
    arg_n,
    arg_k,
    arg_alpha,
    arg_a,
    arg_offset_a,
    arg_lda,
    arg_b,
    arg_offset_b,
    arg_ldb,
    arg_beta,
    arg_c,
    arg_offset_c,
    arg_ldc // of kernels 15 and 20 the stride of rows, then that of columns; then the parts of K
};

inline float scalar(const core::Step& step, std::size_t index)
{
    return std::get<float>(step.arguments[index]);
}

// Kernel 13, 15 or 20 in its first size, in a given way.
struct Planned {
    core::Problem problem;
    core::Selection selection;
    core::Plan plan;
};

inline Planned planned(const core::Arguments& arguments, const char* kernel, const core::Way& way)
{
    const core::DeviceProfile device = hopper_gpu();
    Planned result{core::make_problem(arguments),
                   core::selection_of(*core::find_kernel(kernel), core::find_kernel(kernel)->variants[0], device, ""),
                   {}};
    result.selection.way = way;
    result.plan = core::plan_multiply(result.problem, device, result.selection);
    return result;
}

inline bool has_option(const core::Step& step, const std::string& option)
{
    return (step.options + " ").find(" -D" + option + " ") != std::string::npos;
}

inline bool writes_c(const core::Step& step)
{
    return std::count(step.arguments.begin(), step.arguments.end(), core::StepArgument(core::Memory::c)) > 0;
}

inline core::Arguments uneven(clgemm_transpose trans_a, clgemm_transpose trans_b)
{
    return uneven(202, 131, 1003, trans_a, trans_b);
}

} // namespace clgemm::test
