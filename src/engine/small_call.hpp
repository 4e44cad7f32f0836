// Small calls that stand for large ones: where a call's programs are to be tried, or a driver is to compile all of a kernel,
// a product that takes next to no time will do, as long as it is computed by the same programs. Which programs these are
// depends on sizes, on how matrices lie, and on whether there is a batch.
#pragma once

#include "problem/problem.hpp"
#include "select/planner.hpp"

#include <vector>

namespace clgemm::core {

// The problem in another size, with so many products of its batch. Its matrices take as little memory as they can, but are
// aligned as those of the problem are, and lie in the sets of a CPU's cache as those do. `stays_without_gaps`: matrices
// without gaps get none instead. A list stays a list.
Problem resized(const Problem& problem, std::size_t m, std::size_t n, std::size_t k, std::size_t products,
                bool stays_without_gaps = false);

// Where the matrix of this product begins in its buffer. (A listed batch is given a list that has these beginnings.)
std::size_t begin_of(const Problem& resized, const Matrix& matrix, std::size_t product);

// The steps of this kernel's plan, and those that make its images, whose programs must be known to compute rightly.
// Where bits count these are all of them, otherwise those of the kernel itself, which may not compute in FP32. Of each
// program there is one step, and the kernel's own programs come first. The steps live in the plan.
std::vector<const Step*> steps_to_check(const Plan& plan, const KernelInfo& kernel, const Arithmetic& arithmetic);

struct SmallCall {
    Problem problem;
    Plan plan;
};

// Small calls by this call's kernel, in its way, whose plans have a step by this program. One overwrites C and one adds to
// it, if the program is for both. Where bits count, there is one, which has all that can be rounded. None: no such call is
// small. They have a little more than a tile in each direction, unless the program is for less. Where bits count, they have
// several blocks of K, unless the program is for less.
std::vector<SmallCall> small_calls_by(const Step& program, const Problem& problem, const PlannedCall& call,
                                      const DeviceProfile& device);

} // namespace clgemm::core
