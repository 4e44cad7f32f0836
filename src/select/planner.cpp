#include "select/planner.hpp"

#include "plan/plan_builder.hpp"

#include <algorithm>
#include <bit>

namespace clgemm::core {
namespace {

// Plans of more steps are large, and so are their products: those need not be remembered.
constexpr std::size_t most_remembered_steps = 8;

std::uint64_t two_in_one(std::uint64_t high, std::uint64_t low)
{
    return high << 32 | low;
}

// How far a matrix is aligned, in the powers of two that kernels ask for.
std::uint64_t alignment_class(const Matrix& matrix)
{
    std::uint64_t result = 0;
    for (std::size_t width = 2; width <= widest_vector && matrix.aligned_to(width); width *= 2)
        result++;
    return 2 * result + (matrix.takes_vectors() ? 1 : 0);
}

// All that a selection depends on. (C's columns always run along memory here.)
std::array<std::uint64_t, 6> selection_key(const Problem& problem, const Options& options)
{
    const std::uint64_t flags = (problem.a.transposed ? 1U : 0U) | (problem.b.transposed ? 2U : 0U) |
                                (options.strict ? 4U : 0U) | (options.last_resort ? 8U : 0U) |
                                alignment_class(problem.a) << 8 | alignment_class(problem.b) << 16 |
                                alignment_class(problem.c) << 24;
    return {
        problem.m, problem.n, problem.k, flags, reinterpret_cast<std::uintptr_t>(options.kernel), options.workspace_limit};
}

// All that makes a problem and the options; scalars by their bits, since NaN is not equal to itself. (A matrix's rows and
// columns are m, n and k. What is added to one of the structures does not compile here until it is taken in.)
std::array<std::uint64_t, 22> plan_key(const Problem& problem, const Options& options)
{
    const auto& [m, n, k, alpha, beta, a, b, c] = problem;
    const auto& [kernel, strict, limit, last_resort] = options;
    std::array<std::uint64_t, 22> key{m,
                                      n,
                                      k,
                                      two_in_one(std::bit_cast<std::uint32_t>(alpha), std::bit_cast<std::uint32_t>(beta)),
                                      two_in_one(strict, last_resort),
                                      reinterpret_cast<std::uintptr_t>(kernel),
                                      limit};
    std::size_t next = 7;
    for (const Matrix* matrix : {&a, &b, &c}) {
        const auto& [memory, rows, cols, offset, ld, transposed, alignment, count, distance] = *matrix;
        key[next++] = two_in_one(static_cast<std::uint64_t>(memory), transposed);
        key[next++] = two_in_one(alignment, count);
        key[next++] = distance;
        key[next++] = offset;
        key[next++] = ld;
    }
    return key;
}

} // namespace

std::shared_ptr<const Selection> Planner::selection(const Problem& problem, const Options& options)
{
    const auto key = selection_key(problem, options);
    if (auto known = selections_.find(key))
        return known;
    auto selection = asked_about_.find(key);
    if (!selection)
        selection = std::make_shared<const Selection>(select(problem, device_, tuning_, options));
    selections_.keep(key, selection);
    return selection;
}

Plan Planner::plan_anew(const Problem& problem, const Options& options)
{
    if (problem.touches_nothing())
        return {};
    if (problem.only_scales_c()) {
        PlanBuilder builder(device_);
        builder.add_scaling(problem);
        return builder.finish();
    }
    const auto chosen = selection(problem, options);
    Plan plan = chosen->variant.family().plan(problem, device_, chosen->variant, chosen->way);
    plan.selection = chosen;
    return plan;
}

std::size_t Planner::workspace_bytes(const Problem& problem, const Options& options)
{
    if (problem.touches_nothing() || problem.only_scales_c())
        return 0;
    const auto key = selection_key(problem, options);
    auto chosen = selections_.find(key);
    if (!chosen)
        chosen = asked_about_.find(key);
    if (!chosen) {
        chosen = std::make_shared<const Selection>(select(problem, device_, tuning_, options));
        asked_about_.keep(key, chosen);
    }
    return chosen->variant.family().outline(problem, device_, chosen->variant, chosen->way).workspace_bytes;
}

std::shared_ptr<const Plan> Planner::plan(const Problem& problem, const Options& options)
{
    const auto key = plan_key(problem, options);
    if (auto known = plans_.find(key))
        return known;
    auto plan = std::make_shared<const Plan>(plan_anew(problem, options));
    if (plan->steps.size() <= most_remembered_steps)
        plans_.keep(key, plan);
    return plan;
}

} // namespace clgemm::core
