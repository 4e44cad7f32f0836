// What families share: the multiplication itself, by work-groups that compute one tile of C each, from all of K or a part.
//
// Split-K: where C alone gives the compute units too little to do, K is divided into parts. The work-groups of dimension 2
// take one part each and write its sums to the workspace; one more step adds the parts, always in the same order.
#pragma once

#include "families/family.hpp"
#include "plan/plan_builder.hpp"

#include <array>
#include <limits>

namespace clgemm::core {

// What a family answers to computes() that computes in FP32 alone, and can do so in the order in which results are
// reproducible.
Arithmetic fp32_in_any_order(const Arithmetic& asked);

// What stands against a kernel that adds all of K in one sum.
Answer takes_in_one_sum(const Problem& problem);

// Appends `way` with each number of parts that leaves every part some steps, at most `most` parts. Where the result must be
// reproducible there is one number besides 1: that of the blocks of K.
void add_split_k_ways(std::vector<Way>& ways, Way way, const Problem& problem, const Tiling& tiling,
                      std::size_t most = std::numeric_limits<std::size_t>::max());

struct SplitK {
    std::size_t depth = 0;    // of each part but the last
    std::size_t parts = 1;    // 1: K is whole
    Matrix target;            // what the multiplication writes: C, or the sums of the first part, which lie as C does
    std::size_t distance = 0; // from the sums of a part to those of the next one; 0 where K is whole
};

// K in parts of that depth; the sums get their place in the workspace.
SplitK split_k(const Problem& problem, std::size_t depth, WorkspaceLayout& workspace);
// The same in `parts` parts, or fewer, whose depth is a multiple of `unit`. Where the result must be reproducible and there
// are to be several, each is a block of K.
SplitK split_k(const Problem& problem, std::size_t parts, std::size_t unit, WorkspaceLayout& workspace);

// How many parts of K, or products of a batch that are computed at once, the work-groups of one dimension share.
std::size_t parts_of(const Problem& problem, const SplitK& split);

// The work-groups of one tile each, in three dimensions.
std::array<std::size_t, 3> groups_of(const Variant& variant, const Problem& problem, const SplitK& split);

// The arguments of the multiplication.
kernel_arguments::Multiplication multiplication(const Problem& problem, const SplitK& split);

// The multiplication by work-groups of one tile each. `options`: what the kernel is told besides its parameters.
Step multiplication_step(const Variant& variant, const Problem& problem, const SplitK& split, const std::string& options);

// The sum of the parts, if there are several, as the plan's last step.
void add_sum_of_parts(PlanBuilder& builder, const Problem& problem, const SplitK& split);

// Is it worth a program of its own that several elements of C are read before the first one is written? It is not where the
// products take most of the time, and cannot be told where the factor of C is known only to the device. (Where results are
// reproducible, a program must do for all factors: it is checked bit by bit.)
bool reads_c_first(const Problem& problem, const SplitK& split);

// The load of work-groups that compute one tile each.
Load load_of_tiles(const Problem& problem, const DeviceProfile& device, const Tiling& tiling, const SplitK& split);

// Bytes of all elements of those matrices that the products of a batch have.
double bytes_of(const Problem& problem, const Matrix& matrix);

// The multiplication and the sum of its parts. `bytes_first`: of A and B, what must be there before it can compute.
void add_multiplication(Outline& outline, const Problem& problem, const SplitK& split, const Load& load,
                        double bytes_first = 0);

// Where C's columns do not begin at multiples of a vector, a GPU's work-groups store their tiles float by float. That takes
// as long as the multiplication takes for `depth` more of K (docs/notes/tuning.md has what was measured). Sums of parts are
// aligned.
void count_storing_by_floats(Outline& outline, const Problem& problem, const Way& way, const Tiling& tiling, double depth);

// The product in pieces of so much of K, one after the other: each a problem of its own, which adds to C from the second one
// on.
std::vector<Problem> pieces_of_k(const Problem& problem, std::size_t depth);

} // namespace clgemm::core
