#include "select/selection.hpp"

#include "families/registry.hpp"
#include "select/fastest.hpp"
#include "select/single_calls.hpp"
#include "select/unmeasured.hpp"
#include "support/error.hpp"
#include "support/plain_text.hpp"

#include "clgemm/clgemm.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace clgemm::core {
namespace {

std::string in_microseconds(double ns)
{
    return in_digits(ns / 1000, 3) + " us";
}

Arithmetic arithmetic_of(const Candidate& candidate, const Problem& problem)
{
    return candidate.measurement->variant.family().computes(problem.arithmetic);
}

// An image of a prepared operand takes memory, and is kept. So where preparation changes the choice, the new choice must
// take less than this part of the time of what the call without preparation would choose, by estimate.
constexpr double worth_an_image = 0.95;

// The fastest candidate. Where the same call without preparation would choose another one, the fastest must be enough faster
// than that: an error of the estimate must not make a prepared call slower than the call without preparation.
std::optional<Candidate> fastest_also_prepared(const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                                               const Options& options)
{
    auto best = fastest(problem, device, tuning, options);
    if (!best || !(problem.a.prepared || problem.b.prepared))
        return best;
    Problem plain = problem;
    plain.a.prepared = plain.b.prepared = false;
    const auto without = fastest(plain, device, tuning, options);
    // Blocks of the plain call may cut through a prepared operand, whose image is one whole.
    const bool could_be_taken = without && without->blocks == Blocks{};
    const bool differs = could_be_taken && (without->measurement != best->measurement || without->way != best->way);
    return differs && best->ns > worth_an_image * without->ns ? without : best;
}

// A kernel that is less accurate than FP32 must take less than this part of the time of the fastest one that is not, by
// estimate, and one that computes in another way than FP32 alone less than this part of the time of the fastest one that
// does. Where the two are alike the more accurate one is taken.
constexpr double worth_another_arithmetic = 0.985;

struct Better {
    clgemm_math math;
    const char* in_words;
};
constexpr Better better_ones[] = {{CLGEMM_MATH_DEFAULT, "as accurate as FP32"}, {CLGEMM_MATH_STRICT, "in FP32 alone"}};

// A choice, and how its reason begins and ends.
struct Choice {
    Candidate candidate;
    std::string is, besides;
};

// The best by estimate, or a more accurate one that takes hardly longer.
Choice worth_its_accuracy(const Candidate& best, const Problem& problem, const DeviceProfile& device, const Tuning& tuning,
                          const Options& options)
{
    Choice choice{best, "the fastest", ""};
    for (const auto& [math, in_words] : better_ones) {
        if (satisfies(arithmetic_of(choice.candidate, problem), {.accuracy = math}))
            continue;
        Problem better = problem;
        better.arithmetic.accuracy = math;
        const auto other = fastest_also_prepared(better, device, tuning, options);
        if (!other)
            continue;
        const auto would_take = [](const Candidate& left) {
            return std::string(left.measurement->variant.kernel->name) + " would take " + in_microseconds(left.ns);
        };
        if (choice.candidate.ns < worth_another_arithmetic * other->ns) {
            choice.besides = "; " + std::string(in_words) + " " + would_take(*other);
            break;
        }
        choice = {*other, "the fastest " + std::string(in_words), "; not by enough faster: " + would_take(choice.candidate)};
    }
    return choice;
}

Selection selected(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const Options& options)
{
    if (const TunedCall* const tuned = tuned_call(problem, device, tuning, options))
        return {with_device_features(tuned->variant, device),
                "measured for this very call, " + in_microseconds(tuned->ns) + " (" + tuning.origin_of_calls + ")",
                tuned->way,
                {},
                tuned->ns};
    const KernelInfo* asked_for = options.kernel;
    if (const auto best = fastest_also_prepared(problem, device, tuning, options)) {
        const auto [chosen, is, besides] = asked_for ? Choice{*best, "asked for; of its sizes the fastest", ""}
                                                     : worth_its_accuracy(*best, problem, device, tuning, options);
        const Variant& variant = chosen.measurement->variant;
        const bool fp32_alone = is_fp32_alone(arithmetic_of(chosen, problem));
        std::string reason = is + " by estimate, " + in_microseconds(chosen.ns) + " (" + tuning.origin + ")" + besides;
        const bool is_unproven = !tuning.is_of_this_device() && !asked_for && !fp32_alone;
        return {with_device_features(variant, device), std::move(reason), chosen.way, chosen.blocks, chosen.ns, is_unproven};
    }
    if (!asked_for && tuning.guesses)
        return selected(problem, device, *tuning.guesses, options);
    const KernelInfo& kernel = asked_for ? *asked_for : last_resort();
    if (const auto variant = variant_by_rule(kernel, problem, device)) {
        const auto [way, blocks] = first_way(problem, device, *variant, options);
        return {with_device_features(*variant, device), asked_for ? "asked for" : "nothing else could be had", way, blocks};
    }
    throw Error(CLGEMM_KERNEL_NOT_SUPPORTED, "kernel " + std::string(kernel.name) + " cannot be used on " + device.name +
                                                 ": it " + takes(problem, kernel, device).reason());
}

} // namespace

Selection select(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const Options& options)
{
    Selection result = selected(problem, device, tuning, options);
    if (is_reproducible(problem.arithmetic)) // no driver is believed to fuse as it should
        result.is_unproven = true;
    if (result.is_unproven)
        result.reason += "; checked at its first use";
    return result;
}

Variant with_device_features(Variant variant, const DeviceProfile& device)
{
    variant.family().add_device_features(device, variant.parameters);
    return variant;
}

std::string not_taken(const Problem& problem, const DeviceProfile& device)
{
    // Kernels with the same reason stand together, in the order of the first of them.
    std::vector<std::pair<std::string, std::vector<std::string_view>>> by_reason;
    for (const KernelInfo& kernel : kernels()) {
        const Answer answer = takes(problem, kernel, device);
        if (answer)
            continue;
        const auto known =
            std::find_if(by_reason.begin(), by_reason.end(), [&](const auto& row) { return row.first == answer.reason(); });
        (known == by_reason.end() ? by_reason.emplace_back(answer.reason(), std::vector<std::string_view>()) : *known)
            .second.push_back(kernel.name);
    }
    std::string result;
    for (const auto& [reason, names] : by_reason) {
        result += result.empty() ? "" : "; ";
        for (std::size_t i = 0; i < names.size(); i++)
            result.append(i == 0 ? "" : ", ").append(names[i]);
        result += " (" + reason + ")";
    }
    return result;
}

} // namespace clgemm::core
