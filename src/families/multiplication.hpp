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

// The answer to Family::computes() of a family that computes in FP32 alone, and can add in the order in which results are
// reproducible.
Arithmetic fp32_in_any_order(const Arithmetic& asked);

// What stands against a kernel that adds all of K in one sum.
Answer takes_in_one_sum(const Problem& problem);

// Appends `way` with each number of parts, at most `most`, that leaves every part some steps. Where the result must be
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
// The same in `parts` parts, or fewer, whose depth is a multiple of `unit`. Where the result must be reproducible and
// `parts` is more than 1, each part is a block of K.
SplitK split_k(const Problem& problem, std::size_t parts, std::size_t unit, WorkspaceLayout& workspace);

// The work-groups of one dimension share so many parts of K, or products of a batch that are computed at once.
std::size_t parts_of(const Problem& problem, const SplitK& split);

// The work-groups of one tile each, in three dimensions.
std::array<std::size_t, 3> groups_of(const Variant& variant, const Problem& problem, const SplitK& split);

kernel_arguments::Multiplication multiplication(const Problem& problem, const SplitK& split);

// The multiplication by work-groups of one tile each. `options`: what the kernel is told besides its parameters.
Step multiplication_step(const Variant& variant, const Problem& problem, const SplitK& split, const std::string& options);

// Adds the sum of the parts, if there are several, as the plan's last step.
void add_sum_of_parts(PlanBuilder& builder, const Problem& problem, const SplitK& split);

// Is it worth a program of its own in which several elements of C are read before the first one is written? It is not where
// the products take most of the time. Where only the device knows the factor of C, it cannot be told. (Where results are
// reproducible, one program must do for all factors, since each is checked bit by bit.)
bool reads_c_first(const Problem& problem, const SplitK& split);

// The load of work-groups that compute one tile each.
Load load_of_tiles(const Problem& problem, const DeviceProfile& device, const Tiling& tiling, const SplitK& split);

// Bytes of all elements of this matrix, for all products of the batch together.
double bytes_of(const Problem& problem, const Matrix& matrix);

// Adds the launches of the multiplication and, if there are several parts of K, of their sum. `bytes_first`: bytes of A and
// B that must be there before it can compute.
void add_multiplication(Outline& outline, const Problem& problem, const SplitK& split, const Load& load,
                        double bytes_first = 0);

// Where C's columns do not begin at multiples of a vector, a GPU's work-groups store their tiles float by float. That takes
// as long as multiplying `depth` more of K (docs/notes/tuning.md has what was measured). Sums of parts are aligned.
void count_storing_by_floats(Outline& outline, const Problem& problem, const Way& way, const Tiling& tiling, double depth);

// The product in pieces of `depth` of K, one after the other. Each is a problem of its own. From the second one on, they add
// to C.
std::vector<Problem> pieces_of_k(const Problem& problem, std::size_t depth);
// The piece that begins there, not deeper than that.
Problem piece_of_k(const Problem& problem, std::size_t begin, std::size_t depth);

} // namespace clgemm::core
