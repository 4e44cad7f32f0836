#include "families/making.hpp"

namespace clgemm::core {

std::vector<Memory> buffers_of_making(const Problem& problem, const Made& made, Memory image)
{
    const Memory a = problem.a.memory, b = problem.b.memory;
    return {made.a ? a : b, made.b ? b : a, image};
}

kernel_arguments::Splitting splitting(const Problem& problem, const PieceImages& images, const Made& made,
                                      std::size_t groups_a, std::size_t groups_b, std::size_t stretch)
{
    kernel_arguments::Splitting result{};
    result.K = problem.k;
    if (made.a) {
        result.M = problem.m;
        result.A = strided(problem.a);
        result.imageA = images.a.image;
        result.groupsA = result.groups = groups_a;
    }
    if (made.b) {
        result.N = problem.n;
        result.B = strided(problem.b);
        result.imageB = images.b.image;
        result.groups += groups_b;
    }
    result.stretch = stretch;
    // Where both are made, neither has siblings.
    result.next = (made.a ? problem.a : problem.b).siblings.distance;
    result.nextImage = (made.a ? images.a : images.b).next_image;
    result.nextRanges = (made.a ? images.a : images.b).next_ranges;
    return result;
}

} // namespace clgemm::core
