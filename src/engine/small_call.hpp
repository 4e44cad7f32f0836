// Small calls that stand for large ones: where a call's programs are to be tried, or a driver is to compile all of a kernel,
// a product that takes next to no time will do, as long as it is computed by the same programs. What they are depends on
// sizes, on how matrices lie, and on whether there is a batch.
#pragma once

#include "problem/problem.hpp"
#include "select/planner.hpp"

#include <vector>

namespace clgemm::core {

// The problem in another size, of so many products of its batch. Its matrices take as little memory as they can, but are
// aligned, and lie in the sets of a CPU's cache, as those of the problem do; or those without gaps stay without. A list
// stays a list.
Problem resized(const Problem& problem, std::size_t m, std::size_t n, std::size_t k, std::size_t products,
                bool stays_without_gaps = false);

// Where the matrix of this product begins in its buffer. (Of a listed batch: where the list that goes with resized() has
// it.)
std::size_t begin_of(const Problem& resized, const Matrix& matrix, std::size_t product);

// The steps of a plan of this kernel's, and of the images that it wants of prepared operands, whose programs must be known
// to compute rightly; one of each program, the kernel's own first. Where bits count these are all, else those of the kernel
// itself, which may not compute in FP32. They live in the plan.
std::vector<const Step*> steps_to_check(const Plan& plan, const KernelInfo& kernel, const Arithmetic& arithmetic);

struct SmallCall {
    Problem problem;
    Plan plan;
};

// Small calls by this call's kernel, in its way, whose plans have a step by this program: one that overwrites C and one that
// adds to it, if the program is for both; none: no such call is small. (Where bits count, one does that has all that can be
// rounded.) They have a little more than a tile in each direction, unless the program is one for less, and in each case sums
// of several blocks of K where bits count and the program is one for that, too.
std::vector<SmallCall> small_calls_by(const Step& program, const Problem& problem, const PlannedCall& call,
                                      const DeviceProfile& device);

} // namespace clgemm::core
