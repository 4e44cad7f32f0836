#include "engine/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>

namespace clgemm::core {
namespace {

// Numbers without separators, whatever the program's locale is.
std::ostringstream text_stream()
{
    std::ostringstream result;
    result.imbue(std::locale::classic());
    return result;
}

std::string in_short(const Problem& problem)
{
    std::ostringstream out = text_stream();
    out << "sgemm ";
    if (problem.of_row_major_call)
        out << (problem.b.transposed ? 'T' : 'N') << (problem.a.transposed ? 'T' : 'N') << ' ' << problem.n << 'x'
            << problem.m << 'x' << problem.k << " (row-major, which is column-major " << describe(problem) << "), ";
    else
        out << describe(problem) << " (column-major), ";
    if (problem.batch != Batch{})
        out << problem.batch.count << " products, ";
    if (problem.batch.listed)
        out << "with offsets and factors listed in the device's memory";
    else
        out << "alpha " << problem.alpha << ", beta " << problem.beta;
    return out.str();
}

// Plans of many blocks have hundreds.
constexpr std::size_t most_steps = 8;

std::string steps_in_short(const Plan& plan)
{
    std::string result;
    for (std::size_t i = 0; i < std::min(plan.steps.size(), most_steps); i++)
        result += (result.empty() ? "" : ", ") + plan.steps[i].purpose;
    if (plan.steps.size() > most_steps)
        result += " and " + std::to_string(plan.steps.size() - most_steps) + " more";
    return result.empty() ? "none" : result;
}

std::string groups_in_short(const Step& step)
{
    std::string result = std::to_string(step.groups[0]) + " x " + std::to_string(step.groups[1]);
    return step.groups[2] > 1 ? result + " x " + std::to_string(step.groups[2]) : result;
}

// The error that the kernel promises.
std::string promise_of(const Problem& problem, const Family& family)
{
    const Arithmetic computed = family.computes(problem.arithmetic);
    const Accuracy& accuracy = accuracy_of(computed.accuracy);
    if (std::isinf(promised_error(computed, problem.k)))
        return "none for this k";
    std::ostringstream out = text_stream();
    out << "an error of at most " << promised_error_text(computed, problem.k) << " sum |a||b|";
    if (accuracy.operand_floor > 0)
        out << " and " << accuracy.operand_floor << " sum (max |a| |b| + |a| max |b|)";
    return out.str();
}

} // namespace

std::string explain(const Problem& problem, const DeviceProfile& device, const Tuning& tuning, const PlannedCall& call)
{
    const auto& [chosen, plan, products] = call;
    std::ostringstream out = text_stream();
    out << in_short(problem) << "\n";
    out << "device:     " << device.name << " (" << to_string(device.type) << ", " << device.compute_units
        << " compute units)\n";
    if (chosen) {
        const Selection& selection = *chosen;
        out << "kernel:     " << selection.variant.kernel->name << ", " << selection.variant.kernel->idea << "\n";
        out << "because:    " << selection.reason << "\n";
        out << "promise:    " << promise_of(problem, selection.variant.family()) << "\n";
        out << "parameters: " << selection.variant.parameters.text() << "\n";
        if (const std::string others = not_taken(problem, device); !others.empty())
            out << "not taken:  " << others << "\n";
    }
    if (!tuning.left_out.empty())
        out << "left out:   " << left_out_in_short(tuning) << "\n";
    if (plan.steps.empty())
        out << "steps:      none, there is nothing to compute\n";
    const std::size_t count = plan.steps.size();
    for (std::size_t i = 0; i < std::min(count, most_steps); i++) {
        const auto& step = plan.steps[i];
        out << (i == 0 ? "steps:      " : "            ") << i + 1 << ". " << step.purpose << ": " << step.source->name
            << ".cl, " << groups_in_short(step) << " work-groups of " << step.group_size[0] << " x " << step.group_size[1]
            << "\n";
    }
    if (count > most_steps)
        out << "            and " << count - most_steps << " more like these\n";
    if (products < problem.batch.count)
        out << "            and the same for the other " << problem.batch.count - products << " products\n";
    for (const Image& image : plan.images)
        out << "kept:       image of " << (image.operand == Memory::a ? "A" : "B") << " by \"" << image.making.purpose
            << "\": " << image.making.source->name << ".cl, " << image.bytes << " bytes, made once\n";
    out << "workspace:  " << plan.workspace_bytes << " bytes\n";
    return out.str();
}

std::string explain_in_one_line(const Problem& problem, const DeviceProfile& device, const PlannedCall& call)
{
    const auto& [chosen, plan, products] = call;
    std::ostringstream out = text_stream();
    out << in_short(problem) << " on " << device.name << ": ";
    if (chosen)
        out << chosen->variant.kernel->name << " (" << chosen->variant.parameters.text() << "), because: " << chosen->reason
            << "; ";
    out << "steps: " << steps_in_short(plan) << "; ";
    for (const Image& image : plan.images)
        out << "kept: " << image.making.purpose << "; ";
    out << "workspace " << plan.workspace_bytes << " bytes";
    return out.str();
}

} // namespace clgemm::core
