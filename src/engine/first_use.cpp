#include "engine/first_use.hpp"

#include "engine/computes_rightly.hpp"
#include "engine/device_state.hpp"
#include "engine/small_call.hpp"
#include "problem/status_text.hpp"
#include "support/error.hpp"
#include "support/warning.hpp"

#include "clgemm/clgemm.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace clgemm::core {
namespace {

// As a note on the program says it.
constexpr std::string_view computes_as_it_should = "computes rightly";

// The small call's programs and, since they are needed next, those of the call.
void build(const Plan& small, const Plan& of_call, ProgramCache& programs)
{
    std::vector<const Step*> steps = steps_and_makings(small);
    const std::vector<const Step*> next = steps_and_makings(of_call);
    steps.insert(steps.end(), next.begin(), next.end());
    programs.programs(steps);
}

std::string in_words(const Variant& variant)
{
    return "kernel " + std::string(variant.kernel->name) + " (" + variant.parameters.text() + ")";
}

// Is the call's kernel right on this small call? Throws Unavailable where that cannot be found out.
bool tried_out(DeviceState& state, const SmallCall& small, const PlannedCall& call)
{
    try {
        build(small.plan, call.plan, state.programs);
        return computes_rightly(state, small);
    } catch (const cl::Error& error) {
        throw Unavailable(error.err(), "the first use of kernel " + std::string(call.selection->variant.kernel->name) +
                                           " could not be checked: " + error.what() + " returned " +
                                           status_text(error.err()));
    }
}

} // namespace

const FirstUse::Verdict* FirstUse::known(const DeviceState& state, const Step& program)
{
    auto& verdicts = known_[program.source];
    if (const auto found = verdicts.find(program.options); found != verdicts.end())
        return &found->second;
    auto note = state.programs.note(program);
    if (!note)
        return nullptr;
    if (*note == computes_as_it_should)
        note->clear();
    else
        warn_once(*note + ", as was found earlier: it is not used (" + state.programs.path_of_note(program).string() + ")");
    return &(verdicts[program.options] = std::move(*note));
}

void FirstUse::keep(const DeviceState& state, const Step& program, const Verdict& verdict)
{
    state.programs.keep_note(program, verdict.empty() ? std::string(computes_as_it_should) : verdict);
    known_[program.source][program.options] = verdict;
}

void FirstUse::try_out(DeviceState& state, const Step& program, const Problem& problem, const PlannedCall& call)
{
    const Variant& variant = call.selection->variant;
    const auto small_calls = small_calls_by(program, problem, call, state.profile());
    if (small_calls.empty())
        throw Unavailable(CLGEMM_KERNEL_NOT_SUPPORTED, "the first use of " + in_words(variant) +
                                                           " could not be checked: no small product is computed by " +
                                                           std::string(program.source->name) + " (" + program.options + ")");
    if (!std::all_of(small_calls.begin(), small_calls.end(),
                     [&](const SmallCall& small) { return tried_out(state, small, call); })) {
        const std::string found = in_words(variant) + " computes wrongly on " + state.profile().name + " with driver " +
                                  state.profile().driver_version;
        warn_once(found + ": it is not used");
        return keep(state, program, found);
    }
    // What has taken part is right, too.
    for (const SmallCall& small : small_calls)
        for (const Step* const tried : steps_to_check(small.plan, *variant.kernel, problem.arithmetic))
            if (!known(state, *tried))
                keep(state, *tried, "");
}

bool FirstUse::has_found_wrong(const DeviceState& state, const Problem& problem, const PlannedCall& call)
{
    const std::lock_guard lock(mutex_);
    const auto programs = steps_to_check(call.plan, *call.selection->variant.kernel, problem.arithmetic);
    return std::any_of(programs.begin(), programs.end(), [&](const Step* program) {
        const Verdict* const verdict = known(state, *program);
        return verdict && !verdict->empty();
    });
}

void FirstUse::check(DeviceState& state, const Problem& problem, const PlannedCall& call)
{
    const std::lock_guard lock(mutex_);
    for (const Step* const program : steps_to_check(call.plan, *call.selection->variant.kernel, problem.arithmetic)) {
        if (!known(state, *program))
            try_out(state, *program, problem, call);
        if (const Verdict* const verdict = known(state, *program); !verdict->empty())
            throw Unavailable(CLGEMM_KERNEL_NOT_SUPPORTED, *verdict);
    }
}

} // namespace clgemm::core
