#include "plan/decision.hpp"

#include <bit>

namespace clgemm::core {
namespace {

// Plans of more steps are large, and so are their products: those need not be remembered.
constexpr std::size_t most_remembered_steps = 8;

std::uint64_t two_in_one(std::uint32_t high, std::uint32_t low)
{
    return std::uint64_t{high} << 32 | low;
}

// All that makes a problem and the wishes; scalars by their bits, since NaN is not equal to itself. (A matrix's rows and
// columns follow from m, n, k and whether it is transposed. What is added to one of the structures does not compile here
// until it is taken in.)
std::array<std::uint64_t, 16> key_of(const Problem& problem, const Wishes& wishes)
{
    const auto& [m, n, k, alpha, beta, a, b, c, swapped] = problem;
    const auto& [kernel, strict, limit] = wishes;
    std::array<std::uint64_t, 16> key{m,
                                      n,
                                      k,
                                      two_in_one(std::bit_cast<std::uint32_t>(alpha), std::bit_cast<std::uint32_t>(beta)),
                                      two_in_one(swapped, strict),
                                      reinterpret_cast<std::uintptr_t>(kernel),
                                      limit};
    std::size_t next = 7;
    for (const Matrix* matrix : {&a, &b, &c}) {
        const auto& [rows, cols, offset, ld, transposed, base_alignment] = *matrix;
        key[next++] = offset;
        key[next++] = ld;
        key[next++] = two_in_one(transposed, static_cast<std::uint32_t>(base_alignment));
    }
    return key;
}

} // namespace

Decision Decider::decide_anew(const Problem& problem, const Wishes& wishes)
{
    const DeviceProfile& device = selector_.device();
    if (problem.touches_nothing())
        return {};
    if (problem.only_scales_c())
        return {nullptr, plan_scale(problem, device)};
    Decision decision;
    decision.selection = selector_.choose(problem, wishes);
    decision.plan = plan_multiply(problem, device, *decision.selection);
    // A choice of ours must not fail for temporaries that the device cannot hold in one buffer.
    const KernelInfo* without_temporaries = find_kernel("01_naive");
    if (!wishes.kernel && decision.plan.workspace_bytes > device.max_allocation) {
        decision.selection = selector_.choose(problem, {without_temporaries});
        decision.plan = plan_multiply(problem, device, *decision.selection);
    }
    return decision;
}

std::shared_ptr<const Decision> Decider::decide(const Problem& problem, const Wishes& wishes)
{
    const auto key = key_of(problem, wishes);
    if (auto decision = known_.find(key))
        return decision;
    auto decision = std::make_shared<const Decision>(decide_anew(problem, wishes));
    if (decision->plan.steps.size() <= most_remembered_steps)
        known_.keep(key, decision);
    return decision;
}

} // namespace clgemm::core
