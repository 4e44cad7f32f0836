#include "select/selector.hpp"

namespace clgemm::core {

std::shared_ptr<const Selection> Selector::choose(const Problem& problem, const Wishes& wishes)
{
    // All that a selection depends on.
    const std::size_t flags = (problem.a.transposed ? 1U : 0U) + (problem.b.transposed ? 2U : 0U) +
                              (takes_vectors(problem.a) ? 4U : 0U) + (takes_vectors(problem.b) ? 8U : 0U) +
                              (wishes.strict ? 16U : 0U);
    const std::array<std::uint64_t, 6> key{
        problem.m, problem.n, problem.k, flags, reinterpret_cast<std::uintptr_t>(wishes.kernel), wishes.workspace_limit};
    if (auto selection = known_.find(key))
        return selection;
    auto selection = std::make_shared<const Selection>(select(problem, device_, tuning_, wishes));
    known_.keep(key, selection);
    return selection;
}

} // namespace clgemm::core
