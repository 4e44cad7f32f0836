// The steps that make images of the operands before these are multiplied. As a rule one step makes both. But the image of a
// prepared operand is kept, and is recognized by the step that makes it. So where an operand is prepared, each has a step of
// its own, which says nothing of the other.
#pragma once

#include "plan/plan_builder.hpp"

namespace clgemm::core {

// The operands of which a step makes images.
struct Made {
    bool a = true, b = true;

    const char* names() const { return !b ? "A" : !a ? "B" : "A and B"; }
};

// `step_of`: given Made, returns the step.
template <typename StepOf> void add_making(PlanBuilder& builder, const Problem& problem, const StepOf& step_of)
{
    if (problem.a.prepared || problem.b.prepared) {
        builder.add_making(problem.a, step_of(Made{true, false}));
        builder.add_making(problem.b, step_of(Made{false, true}));
    } else {
        builder.add(step_of(Made{}));
    }
}

// The buffers of such a step, which writes to `image`.
std::vector<Memory> buffers_of_making(const Problem& problem, const Made& made, Memory image);

// The image of an operand in pieces. One buffer has the image, the ranges of its blocks, and whatever else is found out for
// it.
struct PieceImage {
    kernel_arguments::Image image = {};
    Memory memory = Memory::workspace;
    std::size_t next_image = 0, next_ranges = 0; // elements to those of a prepared operand's next sibling
};

struct PieceImages {
    PieceImage a, b;
};

// The arguments of a step that makes images. `groups_a`, `groups_b`: the work-groups for all of A, and for all of B, at one
// depth.
kernel_arguments::Splitting splitting(const Problem& problem, const PieceImages& images, const Made& made,
                                      std::size_t groups_a, std::size_t groups_b, std::size_t stretch = 0);

} // namespace clgemm::core
