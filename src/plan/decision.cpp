#include "plan/decision.hpp"

#include <bit>

namespace clgemm::core {
namespace {

// Plans of more steps are large, and so are their products: those need not be remembered.
constexpr std::size_t most_steps = 8;

std::uint64_t two_in_one(std::uint32_t high, std::uint32_t low)
{
    return std::uint64_t{high} << 32 | low;
}

// How a matrix lies, but for its size and what op() makes of it.
std::uint64_t alignment_and_side(const Matrix& matrix)
{
    return two_in_one(static_cast<std::uint32_t>(matrix.base_alignment), matrix.transposed ? 1 : 0);
}

} // namespace

Decision Decider::decide_anew(const Problem& problem, const Wishes& wishes)
{
    if (problem.touches_nothing())
        return {};
    if (problem.only_scales_c())
        return {nullptr, plan_scale(problem, device())};
    Decision decision;
    decision.selection = selector_.choose(problem, wishes);
    decision.plan = plan_multiply(problem, device(), *decision.selection);
    // A choice of ours must not fail for temporaries that the device cannot hold in one buffer.
    const KernelInfo* without_temporaries = find_kernel("01_naive");
    if (!wishes.kernel && decision.plan.workspace_bytes > device().max_allocation) {
        decision.selection = selector_.choose(problem, {without_temporaries});
        decision.plan = plan_multiply(problem, device(), *decision.selection);
    }
    return decision;
}

std::shared_ptr<const Decision> Decider::decide(const Problem& problem, const Wishes& wishes)
{
    // All that makes a problem and the wishes; scalars by their bits, since NaN is not equal to itself.
    const auto& [m, n, k, alpha, beta, a, b, c, swapped] = problem;
    const std::array<std::uint64_t, 16> key{
        m,
        n,
        k,
        two_in_one(std::bit_cast<std::uint32_t>(alpha), std::bit_cast<std::uint32_t>(beta)),
        a.offset,
        a.ld,
        alignment_and_side(a),
        b.offset,
        b.ld,
        alignment_and_side(b),
        c.offset,
        c.ld,
        alignment_and_side(c),
        two_in_one(swapped, wishes.strict),
        reinterpret_cast<std::uintptr_t>(wishes.kernel),
        wishes.workspace_limit};
    if (auto decision = known_.find(key))
        return decision;
    auto decision = std::make_shared<const Decision>(decide_anew(problem, wishes));
    if (decision->plan.steps.size() <= most_steps)
        known_.keep(key, decision);
    return decision;
}

} // namespace clgemm::core
