#include "select/fastest.hpp"

#include "families/registry.hpp"
#include "select/cost_model.hpp"
#include "select/plan_of.hpp"

namespace clgemm::core {
namespace {

// What the candidates have in common.
struct Question {
    const Problem& problem;
    const DeviceProfile& device;
    const Tuning& tuning;
    const std::size_t most_bytes;
};

void keep_if_better(std::optional<Candidate>& best, const Candidate& candidate)
{
    // Of equal estimates the first counts, also where rounding made them differ.
    constexpr double nearly_one = 1 - 1e-12;
    if (!best || candidate.ns < best->ns * nearly_one)
        best = candidate;
}

// Calls visit(Candidate) for each of the ways for which the measurement holds; or for those of the first way's form alone.
template <typename Visit>
void for_each_way(const Question& question, const Measurement& measurement, bool first_form_alone, const Visit& visit)
{
    const Variant& variant = measurement.variant;
    const Family& family = variant.family();
    if (measured_as(family.computes(measurement.arithmetic)) != measured_as(family.computes(question.problem.arithmetic)))
        return;
    bool holds = true, some_fit = false;
    // Ways that differ in the parts of K alone follow one another: their operands lie alike.
    const Way* before = nullptr;
    const auto ways = family.ways(question.problem, question.device, variant);
    for (const Way& way : ways) {
        if (first_form_alone && way.form != ways.front().form)
            continue;
        if (!measurement.operands.empty() && (!before || before->form != way.form || before->transposed != way.transposed))
            holds = measurement.operands == family.measured_operands(question.problem, way);
        before = &way;
        if (!holds)
            continue;
        const Outline outline = outline_of(question.problem, question.device, variant, way);
        if (outline.workspace_bytes > question.most_bytes)
            continue;
        some_fit = true;
        visit(Candidate{&measurement, way, {}, estimate_of(question.problem, outline, question.tuning, measurement, way)});
    }
    if (some_fit || !family.computes_in_blocks())
        return;
    if (!measurement.operands.empty() && measurement.operands != family.measured_operands(question.problem, {}))
        return;
    if (const auto blocks = blocks_within(question.problem, question.device, variant, question.most_bytes)) {
        const Outline outline = outline_of(question.problem, question.device, variant, {}, *blocks);
        visit(Candidate{
            &measurement, {}, *blocks, estimate_of(question.problem, outline, question.tuning, measurement, {}, *blocks)});
    }
}

// The same for all measurements of the tuning that take the problem, in their order.
template <typename Visit>
void for_each_candidate(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const Options& options,
                        const Visit& visit)
{
    if (options.last_resort)
        return;
    const Question question{problem, device, tuning, bytes_allowed(device, options.workspace_limit)};
    for (const auto& measurement : tuning.measurements)
        if ((!options.kernel || measurement.variant.kernel == options.kernel) && takes(problem, measurement.variant, device))
            for_each_way(question, measurement, false, visit);
}

} // namespace

double estimate_of(const Problem& problem, const Outline& outline, const Tuning& tuning, const Measurement& measurement,
                   const Way& way, const Blocks& blocks)
{
    return static_cast<double>(part_count(problem, measurement.variant, way, blocks)) *
           estimate(outline, tuning, measurement);
}

std::optional<Candidate> fastest(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                 const Options& options)
{
    std::optional<Candidate> best;
    for_each_candidate(problem, device, tuning, options,
                       [&](const Candidate& candidate) { keep_if_better(best, candidate); });
    return best;
}

std::vector<Candidate> candidates(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                  const Options& options)
{
    std::vector<Candidate> result;
    for_each_candidate(problem, device, tuning, options, [&](const Candidate& candidate) { result.push_back(candidate); });
    return result;
}

const Measurement* fastest_measurement(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                       const Options& options)
{
    const auto best = fastest(problem, device, tuning, options);
    return best ? best->measurement : nullptr;
}

std::optional<double> shortest_estimate(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                        const Measurement& measurement)
{
    std::optional<Candidate> best;
    for_each_way({problem, device, tuning, bytes_allowed(device, 0)}, measurement, true,
                 [&](const Candidate& candidate) { keep_if_better(best, candidate); });
    return best ? std::optional(best->ns) : std::nullopt;
}

} // namespace clgemm::core
