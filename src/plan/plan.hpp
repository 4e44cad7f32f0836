// Which steps: launches over the caller's matrices and one workspace, with their geometry. Pure.
//
// Only the last step of a plan writes C, so a step that cannot be enqueued leaves C as it was. (Where the workspace is too
// small for a multiplication on tensor cores as a whole, it is made of several, each with such a last step.)
#pragma once

#include "problem/problem.hpp"
#include "select/selection.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace clgemm::core {

// The buffers a step may touch.
enum class Memory { a, b, c, workspace };

// A kernel's argument: a size or offset in elements, a scalar, or a buffer.
using StepArgument = std::variant<std::uint64_t, float, Memory>;

// How a kernel takes them: one by one, or the buffers, then all numbers as one structure. (Each argument costs the host's
// time; with NVIDIA's driver, 21 numbers in one save a call 0.9 us of 12.)
enum class Passing { one_by_one, numbers_in_one };

// One launch.
struct Step {
    std::string purpose; // for people: "transpose B"
    const KernelSource* source;
    const char* function; // the kernel function in the source
    std::string options;  // for the compiler
    std::array<std::size_t, 3> groups;
    std::array<std::size_t, 2> group_size; // the third is 1
    std::vector<StepArgument> arguments;
    Passing passing = Passing::one_by_one;
    // The local memory of a program that must be retargeted (execute/retarget.hpp), in bytes; 0: it is built as it is.
    std::size_t retargeted_local_bytes = 0;
};

struct Plan {
    std::vector<Step> steps; // each after the one before
    std::size_t workspace_bytes = 0;
};

// C = beta * C: for problems that only scale C. Needs no selection.
Plan plan_scale(const Problem& problem, const DeviceProfile& device);

Plan plan_multiply(const Problem& problem, const DeviceProfile& device, const Selection& selection);

} // namespace clgemm::core
