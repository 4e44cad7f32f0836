#include "select/planner.hpp"

#include "families/registry.hpp"
#include "select/plan_of.hpp"

#include <algorithm>
#include <set>

namespace clgemm::core {
namespace {

// Each takes some hundred bytes. (One product may have more parts: all its blocks are in one plan.)
constexpr std::size_t most_parts_in_a_plan = 4096;

// The same product of the prepared operands that come first among their siblings.
Problem with_first_siblings(Problem problem)
{
    for (Matrix* const operand : {&problem.a, &problem.b}) {
        operand->offset -= operand->siblings.index * operand->siblings.distance;
        operand->siblings.index = 0;
    }
    return problem;
}

} // namespace

std::shared_ptr<const Selection> Planner::known_or_selected(const Problem& problem, const Options& options, Selections& own,
                                                            const Selections& others) const
{
    const auto key = selection_key(problem, options);
    if (auto known = own.find(key))
        return known;
    auto selection = others.find(key);
    if (!selection)
        selection = std::make_shared<const Selection>(select(problem, device_, tuning_, options));
    own.keep(key, selection);
    return selection;
}

std::shared_ptr<const Selection> Planner::selection(const Problem& problem, const Options& options)
{
    return known_or_selected(problem, options, selections_, asked_about_);
}

PlannedCall Planner::plan(const Problem& problem, const Options& options, std::size_t first_product)
{
    const std::size_t left = problem.batch.count - first_product;
    if (problem.touches_nothing())
        return {nullptr, {}, left};
    const auto products_in_a_plan = [&](std::size_t parts) {
        const std::size_t products = problem.batch.count;
        if (parts > products) // each has several
            return std::min(left, std::max<std::size_t>(most_parts_in_a_plan / divide_up(parts, products), 1));
        return std::min(left, divide_up(products, divide_up(parts, most_parts_in_a_plan)));
    };
    if (problem.only_scales_c()) {
        const std::size_t count = products_in_a_plan(divide_up(problem.batch.count, most_products_at_once));
        PlanBuilder builder(device_);
        for_each_part(products_of(problem, first_product, count), {}, most_products_at_once, [&](const Part& part) {
            builder.begin(part);
            builder.add_scaling(part.problem);
        });
        return {nullptr, builder.finish(), count};
    }
    auto chosen = selection(problem, options);
    const std::size_t count = products_in_a_plan(part_count(problem, chosen->variant, chosen->way, chosen->blocks));
    const auto plan_for = [&](const Problem& products) {
        return plan_of(products, device_, chosen->variant, chosen->way, chosen->blocks);
    };
    const Problem products = products_of(problem, first_product, count);
    Plan plan = plan_for(products);
    // The images of all siblings are made by the steps of the first one.
    if (products.a.siblings.index > 0 || products.b.siblings.index > 0)
        plan.images = plan_for(with_first_siblings(product_of(products, 0))).images;
    return {std::move(chosen), std::move(plan), count};
}

std::size_t Planner::workspace_bytes(const Problem& problem, const Options& options)
{
    if (problem.touches_nothing() || problem.only_scales_c())
        return 0;
    const auto chosen = known_or_selected(problem, options, asked_about_, selections_);
    return outline_of(problem, device_, chosen->variant, chosen->way, chosen->blocks).workspace_bytes;
}

std::vector<std::size_t> Planner::widths_that_matter(const Options& options) const
{
    // Matrix::read_width() tells one, two and four apart; a tiling asks for its own width.
    std::set<std::size_t> widths{1, 2, 4, last_resort().family->tiling(last_resort().variants.front()).width};
    const auto add = [&](const Tuning& tuning) {
        for (const Measurement& measurement : tuning.measurements)
            widths.insert(measurement.variant.tiling.width);
    };
    add(tuning_);
    if (!tuning_.calls.empty()) // which are told apart by every one
        for (std::size_t width = 1; width <= widest_vector; width *= 2)
            widths.insert(width);
    if (tuning_.guesses)
        add(*tuning_.guesses);
    if (options.kernel)
        for (const Parameters& parameters : options.kernel->variants)
            widths.insert(options.kernel->family->tiling(parameters).width);
    return {widths.begin(), widths.end()};
}

} // namespace clgemm::core
