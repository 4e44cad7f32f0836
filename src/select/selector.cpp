#include "select/selector.hpp"

namespace clgemm::core {
namespace {

// A program with more shapes than this is forgotten and learnt again: 1 MB at most is kept.
constexpr std::size_t most_known = 2048;

} // namespace

std::size_t Selector::Hash::operator()(const Key& key) const
{
    std::size_t result = 0;
    const std::size_t flags = (key.trans_a ? 1U : 0U) + (key.trans_b ? 2U : 0U) + (key.vectors_a ? 4U : 0U) +
                              (key.vectors_b ? 8U : 0U) + (key.wishes.strict ? 16U : 0U);
    for (const std::size_t part :
         {key.m, key.n, key.k, flags, reinterpret_cast<std::size_t>(key.wishes.kernel), key.wishes.workspace_limit})
        result = (result ^ part) * 0x9e3779b97f4a7c15U; // spreads the bits (the golden ratio)
    return result ^ result >> 32;
}

std::shared_ptr<const Selection> Selector::choose(const Problem& problem, const Wishes& wishes)
{
    const Key key{problem.m,
                  problem.n,
                  problem.k,
                  problem.a.transposed,
                  problem.b.transposed,
                  takes_vectors(problem.a),
                  takes_vectors(problem.b),
                  wishes};
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = known_.find(key); found != known_.end())
            return found->second;
    }
    auto selection = std::make_shared<const Selection>(select(problem, device_, tuning_, wishes));
    const std::lock_guard lock(mutex_);
    if (known_.size() >= most_known)
        known_.clear();
    known_[key] = selection;
    return selection;
}

} // namespace clgemm::core
