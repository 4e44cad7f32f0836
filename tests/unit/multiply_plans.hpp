// Plans of kernels in a size and a way that the test decides, and how to read their steps.
#pragma once

#include "made_up.hpp"
#include "purposes.hpp"

#include "families/registry.hpp"
#include "kernels/arguments.h"
#include "plan/plan.hpp"
#include "select/plan_of.hpp"
#include "select/selection.hpp"
#include "support/copy_forms.hpp"
#include "support/runs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace clgemm::test {

// What a step's kernel is told besides its buffers. That it takes such a structure is tested, too.
template <typename Structure> Structure numbers_of(const core::Step& step)
{
    EXPECT_EQ(step.arguments.size(), sizeof(Structure)) << step.purpose;
    return step.arguments.as<Structure>();
}

// A matrix as a kernel is told of it: element (i, j) is at offset + i * row + j * column.
struct Operand {
    core::Memory memory;
    std::uint64_t offset, row, column;

    Operand(core::Memory its_memory, std::uint64_t its_offset, std::uint64_t its_row, std::uint64_t its_column)
        : memory(its_memory), offset(its_offset), row(its_row), column(its_column)
    {
    }
    Operand(core::Memory its_memory, const core::kernel_arguments::Strided& where)
        : Operand(its_memory, where.offset, where.row, where.column)
    {
    }
    std::uint64_t element(std::uint64_t i, std::uint64_t j) const { return offset + i * row + j * column; }
    bool operator==(const Operand&) const = default;
};

// The step of a kernel that takes A, B and C, which all lie by two strides.
struct Multiplication {
    explicit Multiplication(const core::Step& step)
        : Multiplication(step, numbers_of<core::kernel_arguments::Multiplication>(step))
    {
    }
    Multiplication(const core::Step& step, const core::kernel_arguments::Multiplication& of_step)
        : arguments(of_step), a(step.buffers.at(0), of_step.A), b(step.buffers.at(1), of_step.B),
          c(step.buffers.at(2), of_step.C)
    {
    }
    core::kernel_arguments::Multiplication arguments;
    Operand a, b, c;
};

// A problem, a kernel in one of its sizes, and the plan.
struct Planned {
    core::Problem problem;
    core::Variant variant;
    core::Plan plan;
};

inline core::Variant variant_of(const char* kernel, const core::DeviceProfile& device, std::size_t index = 0)
{
    const core::KernelInfo& info = *core::find_kernel(kernel);
    return core::with_device_features(core::variant_of(info, info.variants.at(index)), device);
}

inline Planned planned(const core::Problem& problem, const core::DeviceProfile& device, const core::Variant& variant,
                       const core::Way& way, const core::Blocks& blocks = {})
{
    return {problem, variant, core::plan_of(problem, device, variant, way, blocks)};
}

// On a GPU that runs all kernels.
inline Planned planned(const core::Arguments& arguments, const char* kernel, const core::Way& way, std::size_t index = 0,
                       const core::Blocks& blocks = {})
{
    const core::DeviceProfile device = hopper_gpu();
    return planned(core::make_problem(arguments), device, variant_of(kernel, device, index), way, blocks);
}

inline bool has_option(const core::Step& step, const std::string& option)
{
    return (" " + step.options + " ").find(" -D" + option + " ") != std::string::npos;
}

inline core::Arguments uneven(clgemm_transpose trans_a, clgemm_transpose trans_b)
{
    return uneven(202, 131, 1003, trans_a, trans_b);
}

} // namespace clgemm::test
